/**
 * Since when all is read, for an instance that does not follow itself: of the heads that it is shown it keeps the oldest that the cursor had
 * not reached. Without this an instance that only waits for the lease would say that all is well whatever becomes of the one that has it.
 */
export function openReadByAnother(): (seen: {
  /** How far the cursor is; null before anybody has begun. */
  readonly height: bigint | null
  readonly headHeight: bigint
  readonly nowMilliseconds: number
}) => number | null {
  let unread: { readonly height: bigint; readonly shownAt: number } | undefined
  let readAt: number | null = null

  return ({ height, headHeight, nowMilliseconds }) => {
    if (height === null) return readAt
    if (height >= headHeight) {
      unread = undefined
      readAt = nowMilliseconds
    } else if (unread === undefined || height >= unread.height) {
      readAt = unread?.shownAt ?? readAt
      unread = { height: headHeight, shownAt: nowMilliseconds }
    }
    return readAt
  }
}

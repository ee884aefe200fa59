/** Which side of a payment this account is; a trade is paid for with one. */
export function typeText({
  type,
  tradeId,
}: {
  readonly type: 'sent' | 'received'
  readonly tradeId?: string
}): string {
  if (type === 'received') return 'Received'
  return tradeId === undefined ? 'Sent' : 'Sent for a trade'
}

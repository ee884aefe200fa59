import type { StreamConnection } from '../http/stream.ts'
import type { Caller } from '../kernel/caller.ts'
import { hasLeft } from '../kernel/has-left.ts'
import { limits } from '../kernel/limits.ts'
import { idOf } from './event-store.ts'
import { EventReader } from './reader.ts'
import type { ReaderForm } from './reader.ts'
import type { StreamDeps } from './stream-deps.ts'

/** The place before the first event, as a client gives it back. */
export const BEGINNING = '0'
const BLOCKS: ReaderForm<StreamConnection> = {
  send: (connection, { block }) => connection.write(block),
  sendMarket: (connection, { block }) => (connection.write(block) ? block.length : 0),
  bytesOf: ({ block }) => block.length,
  together: (_, work) => work(),
}
const COMMENT = Buffer.from(': still here\n\n')

/**
 * Serves one stream of server-sent events: everything after a number, or what comes from now on. It ends when its key is no longer live, and
 * when its reader is too slow; the client comes back with Last-Event-ID and has missed nothing.
 */
export function openStreamSession(
  {
    store,
    feed,
    markets,
    clock,
    log,
  }: Pick<StreamDeps, 'store' | 'feed' | 'markets' | 'clock' | 'log'>,
  connection: StreamConnection,
  {
    caller,
    keys,
    from,
    onClosed,
  }: {
    readonly caller: Caller
    readonly keys: readonly string[]
    /** The event after which it begins. */
    readonly from: { readonly id: string; readonly sequence: number } | undefined
    onClosed(): void
  },
): { caller(): Caller; look(nowMilliseconds: number): void; expel(): void; sendAway(): void } {
  const { accountId } = caller
  const reader = new EventReader({ feed, markets, clock, accountId, connection, form: BLOCKS })
  reader.want(keys)
  let commentAt = clock.nowMilliseconds() + limits.streamCommentSeconds * 1000
  const end = () => {
    reader.stop()
    connection.end()
  }
  connection.attend({
    onDrain: () => reader.pump(),
    onClosed: () => {
      reader.stop()
      onClosed()
    },
  })
  const newest = async () => {
    const sequence = await reader.membership.newest()
    return { sequence, id: (await idOf(store, accountId, sequence)) ?? BEGINNING }
  }
  // Says where it stands before anything comes: a client that is cut off before its first event goes on from there.
  const begin = async () => {
    const { id, sequence } = from ?? (await newest())
    connection.write(Buffer.from(`retry: 1000\nid: ${id}\n\n`))
    reader.membership.replay(sequence)
  }
  begin().catch((error: unknown) => {
    log.debug({ reason: error }, 'a stream could not begin')
    end()
  })
  return {
    caller: () => caller,
    look: (nowMilliseconds) => {
      reader.pump()
      if (reader.isTooFarBehind()) end()
      else if (!hasLeft(commentAt, nowMilliseconds, limits.streamCommentSeconds * 1000)) {
        commentAt = nowMilliseconds + limits.streamCommentSeconds * 1000
        connection.write(COMMENT)
      }
    },
    expel: end,
    sendAway: end,
  }
}

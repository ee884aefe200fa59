import type { StreamConnection } from '../http/stream.ts'
import type { Caller } from '../kernel/caller.ts'
import { limits } from '../kernel/limits.ts'
import { joinFeed } from './reader.ts'
import type { StreamDeps } from './stream-deps.ts'

const HELLO = Buffer.from('retry: 1000\n\n')
const COMMENT = Buffer.from(': still here\n\n')

/**
 * Serves one stream of server-sent events: everything after a number, or what comes from now on. It ends when its key is no longer live, and
 * when its reader is too slow; the client comes back with Last-Event-ID and has missed nothing.
 */
export function openStreamSession(
  { feed, clock, log }: Pick<StreamDeps, 'feed' | 'clock' | 'log'>,
  connection: StreamConnection,
  {
    caller,
    keys,
    sequence,
    onClosed,
  }: {
    readonly caller: Caller
    readonly keys: readonly string[]
    readonly sequence: number | undefined
    onClosed(): void
  },
): { keyId(): Caller['keyId']; look(nowMilliseconds: number): void; expel(): void } {
  const reader = joinFeed({
    feed,
    clock,
    accountId: caller.accountId,
    send: ({ block }) => connection.write(block),
    bytesOf: ({ block }) => block.length,
    waitingBytes: () => connection.waitingBytes,
    together: (work) => work(),
  })
  for (const key of keys) reader.keys.add(key)
  let commentAt = clock.nowMilliseconds() + limits.streamCommentSeconds * 1000
  const end = () => {
    reader.stop()
    connection.end()
  }
  connection.attend({
    onDrain: () => reader.outgoing.pump(),
    onClosed: () => {
      reader.stop()
      onClosed()
    },
  })
  connection.write(HELLO)
  const begin = async () => {
    reader.membership.replay(sequence ?? (await reader.membership.newest()))
  }
  begin().catch((error: unknown) => {
    log.debug({ reason: error }, 'a stream could not begin')
    end()
  })
  return {
    keyId: () => caller.keyId,
    look: (nowMilliseconds) => {
      reader.outgoing.pump()
      if (reader.outgoing.isTooFarBehind()) end()
      else if (nowMilliseconds >= commentAt) {
        commentAt = nowMilliseconds + limits.streamCommentSeconds * 1000
        connection.write(COMMENT)
      }
    },
    expel: end,
  }
}

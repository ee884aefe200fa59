import { Refusal } from '@florin/wire/errors.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import { limits } from '../kernel/limits.ts'

/**
 * The unix second from which the life of an authorization is counted: the later of this machine's clock and the newest block. The chain alone
 * ends it, so by a clock that is behind it would be over before its seller saw it. It lives no longer by the chain's time than it would by a clock
 * that is right, and so long its money is held. A block that is older than the clock says nothing: a chain may stand still.
 * @throws Refusal NETWORK_ERROR where a block is further ahead than `limits.chainAheadSecondsMax`: whoever believed a node that is wrong would sign what a
 * seller can use for as long. A sandbox's time is its own.
 */
export function signingSeconds(
  { network, sandbox }: Pick<NetworkConfig, 'network' | 'sandbox'>,
  nowMilliseconds: number,
  chainTimeSeconds: bigint | undefined,
): bigint {
  const clock = BigInt(Math.floor(nowMilliseconds / 1000))
  if (chainTimeSeconds === undefined || chainTimeSeconds <= clock) return clock
  const ahead = chainTimeSeconds - clock
  if (sandbox || ahead <= BigInt(limits.chainAheadSecondsMax)) return chainTimeSeconds
  throw new Refusal('NETWORK_ERROR', {
    message: `The newest block of ${network} is ${ahead} seconds ahead of the service's clock: one of the two is wrong. Nothing was signed.`,
    details: { reason: 'clock' },
  })
}

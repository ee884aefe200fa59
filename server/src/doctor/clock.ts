import { NodeFailure } from '../chains/chain.ts'
import type { Chain, Head } from '../chains/chain.ts'
import type { Clock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'
import { isClockOff } from '../sender/chain-clock.ts'

/** Between two looks for the next block. */
const LOOK_MILLISECONDS_MAX = 2_000

/**
 * What the newest blocks of a network say against this machine's clock, and what to do; undefined where nothing. Where the newest one is old the next
 * is waited for, two blocks' time and `limits.doctorNextBlockSeconds` at most: a chain that stands still says nothing of a clock. Throws NodeFailure.
 */
export async function whatIsWrongWithClock(
  chain: Chain,
  clock: Clock,
): Promise<string | undefined> {
  const { network, sandbox, blockTimeMilliseconds } = chain.config
  // Its blocks come from this machine.
  if (sandbox) return undefined
  const head = await chain.head()
  const ahead = await aheadOf(chain, clock, head)
  if (!isClockOff(ahead)) return undefined
  if (ahead > 0) {
    return `${network}: this machine’s clock is ${seconds(ahead)} seconds behind its newest block. Set the clock, and keep it by NTP: what a clock ends is ended at the wrong time.`
  }
  const waits = Math.min(blockTimeMilliseconds * 2, limits.doctorNextBlockSeconds * 1000)
  const until = clock.nowMilliseconds() + waits
  while (clock.nowMilliseconds() < until) {
    await clock.sleep(Math.min(blockTimeMilliseconds / 2, LOOK_MILLISECONDS_MAX))
    const next = await chain.head()
    if (next.height <= head.height) continue
    const age = -(await aheadOf(chain, clock, next))
    if (age <= 0 || !isClockOff(age)) return undefined
    return `${network}: a block that came just now is ${seconds(age)} seconds old by this machine’s clock. Set the clock, and keep it by NTP; where it is right, the first node of the network is behind its chain.`
  }
  return undefined
}

async function aheadOf(chain: Chain, clock: Clock, head: Head): Promise<number> {
  const now = clock.nowMilliseconds()
  const block = head.block ?? (await chain.blocks(head.height, 1))[0]
  if (block === undefined) throw new NodeFailure('no node shows the block of its head')
  return block.timeMilliseconds - now
}

function seconds(milliseconds: number): number {
  return Math.round(milliseconds / 1000)
}

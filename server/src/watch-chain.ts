import type { Chain } from './chains/chain.ts'
import { followCalls } from './facilitator/batch/follow-calls.ts'
import { watchClaims } from './facilitator/watch.ts'
import type { WatchDeps } from './facilitator/watch.ts'
import { resendSubmissions } from './transactions/resend.ts'
import { watchBuilds } from './transactions/watch-builds.ts'

/** What the chain decides of what no transaction of ours carries: looked at beside the rounds of its driver. */
export interface WatchChainDeps extends WatchDeps {
  readonly received: Parameters<typeof watchBuilds>[0]['received']
  readonly purchases: {
    watch(chain: Chain, finalizedHeight: bigint, stopping: AbortSignal): Promise<void>
  }
}

/** One look at everything of one network that is open beside the payments that its lanes carry, one kind after the other. */
export async function watchChain(
  deps: WatchChainDeps,
  chain: Chain,
  finalizedHeight: bigint,
  stopping: AbortSignal,
): Promise<void> {
  await watchClaims(deps, chain, finalizedHeight, stopping)
  await watchBuilds(deps, chain, stopping)
  await deps.purchases.watch(chain, finalizedHeight, stopping)
  await resendSubmissions(deps, chain, stopping)
  await followCalls(deps, chain, stopping)
}

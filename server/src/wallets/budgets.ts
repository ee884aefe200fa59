import type { Wallet } from '../custody/wallet.ts'
import { WINDOW_SECONDS, widestSeconds } from '../policies/decide.ts'
import type { WindowRule } from '../policies/decide.ts'
import type { AssetLimit, PolicyRules } from '../policies/rules.ts'
import type { Tx } from '../store/postgres.ts'
import { budgetUse } from './budgets-store.ts'

const WINDOWS = ['perHour', 'perDay', 'perMonth'] as const satisfies readonly WindowRule[]

/** One limit of a policy over time, and what is taken of it. Base units; spent, held and left are the limit, unless it was tightened since. */
export interface Budget {
  readonly network: AssetLimit['network']
  readonly asset: string
  readonly decimals: number
  readonly rule: WindowRule
  readonly windowSeconds: number
  readonly allowed: bigint
  readonly spent: bigint
  readonly held: bigint
  readonly left: bigint
}

/** Every limit over time of a wallet's policy, in its order, from the shortest window. One statement, none when there are no such limits. */
export async function budgetsOf(
  tx: Tx,
  wallet: Pick<Wallet, 'id' | 'accountId'>,
  policy: PolicyRules | undefined,
  nowMilliseconds: number,
): Promise<readonly Budget[]> {
  const timed = (policy?.limits ?? []).filter((limit) => widestSeconds(limit) > 0)
  const use = await budgetUse(
    tx,
    wallet,
    timed.map((limit) => ({
      network: limit.network,
      asset: limit.asset,
      sinceMilliseconds: nowMilliseconds - widestSeconds(limit) * 1000,
    })),
    nowMilliseconds,
  )
  return timed.flatMap((limit) => {
    const { network, asset, decimals } = limit
    const used = use.find((each) => each.network === network && each.asset === asset)
    return WINDOWS.flatMap((rule) => {
      const allowed = limit[rule]
      if (allowed === undefined) return []
      const [spent, held] = [used?.spent[rule] ?? 0n, used?.held[rule] ?? 0n]
      const over = allowed - spent - held
      const left = over > 0n ? over : 0n
      const windowSeconds = WINDOW_SECONDS[rule]
      return [{ network, asset, decimals, rule, windowSeconds, allowed, spent, held, left }]
    })
  })
}

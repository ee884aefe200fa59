import type { Draft } from '../chains/chain.ts'
import type { AssetProfile } from '../kernel/network-config.ts'
import type { ConfirmedSpend } from './store.ts'

/** What one wallet's books say, and what its confirmed but not yet final payments did to the chain's own balance. */
export interface Books {
  readonly balances: ReadonlyMap<string, { readonly available: bigint; readonly held: bigint }>
  readonly confirmed: readonly ConfirmedSpend[]
}

/** A send that wants a place: what it moves and what the node said about it. */
export interface Wanted {
  readonly asset: AssetProfile
  readonly amount: bigint
  readonly draft: Draft
}

export type Funds =
  | { readonly ok: true }
  | {
      readonly ok: false
      readonly asset: 'native' | 'moved'
      readonly required: bigint
      readonly available: bigint
    }

/** Decides for sends of one wallet, one after the other, whether its money covers them. */
export interface FundsPlan {
  /** Looks at one more send; when it is covered, its money is taken out of what the next may use. */
  take(wanted: Wanted): Funds
  /** Money that the chain showed and the books did not know: to be booked before the holds. By asset. */
  readonly discovered: ReadonlyMap<string, bigint>
}

/**
 * Two views must both cover a send. The books: available, plus what arrived on chain since. The chain at the draft's height: its
 * balance less every hold that this balance does not show as spent yet. A payment mined in a block that our follower has not
 * read counts twice against the wallet for that moment, never for it.
 */
export function planFunds({ balances, confirmed }: Books): FundsPlan {
  const discovered = new Map<string, bigint>()
  const taken = new Map<string, bigint>()

  function spendable(asset: string, onChain: bigint, height: bigint): bigint {
    const { available, held } = balances.get(asset) ?? { available: 0n, held: 0n }
    const visible = confirmed.filter((spend) => spend.height <= height)
    const spent = visible.reduce((sum, spend) => sum + cost(spend, asset), 0n)
    const released = visible.reduce((sum, spend) => sum + heldFor(spend, asset), 0n)
    const expected = available + held + (discovered.get(asset) ?? 0n) - spent
    if (onChain > expected) {
      discovered.set(asset, (discovered.get(asset) ?? 0n) + onChain - expected)
    }
    const used = taken.get(asset) ?? 0n
    const byBooks = available + (discovered.get(asset) ?? 0n) - used
    const byChain = onChain - (held - released) - used
    return byBooks < byChain ? byBooks : byChain
  }

  return {
    discovered,
    take: ({ asset, amount, draft }) => {
      const { native, asset: moved, height } = draft.balances
      const isNative = asset.asset === 'native'
      if (!isNative) {
        const available = spendable(asset.asset, moved, height)
        if (available < amount) return short('moved', amount, available)
      }
      const required = draft.feeCeiling + (isNative ? amount : 0n)
      const available = spendable('native', native, height)
      if (available < required) return short('native', required, available)
      taken.set('native', (taken.get('native') ?? 0n) + required)
      if (!isNative) taken.set(asset.asset, (taken.get(asset.asset) ?? 0n) + amount)
      return { ok: true }
    },
  }
}

function short(asset: 'native' | 'moved', required: bigint, available: bigint): Funds {
  return { ok: false, asset, required, available: available > 0n ? available : 0n }
}

/** What confirmed payments took from the chain's balance of an asset. */
function cost(spend: ConfirmedSpend, asset: string): bigint {
  return (spend.asset === asset ? spend.amount : 0n) + (asset === 'native' ? spend.feePaid : 0n)
}

/** What the books still hold for them. */
function heldFor(spend: ConfirmedSpend, asset: string): bigint {
  return (spend.asset === asset ? spend.amount : 0n) + (asset === 'native' ? spend.feeCeiling : 0n)
}

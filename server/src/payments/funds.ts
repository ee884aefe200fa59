import type { Draft } from '../chains/chain.ts'
import { inBooks } from '../kernel/currency-tokens.ts'
import type { AssetProfile } from '../kernel/network-config.ts'
import type { MinedSpend } from './mined-spends-store.ts'

/** What one wallet's books say, and what its mined payments did to the chain's own balance. */
export interface Books {
  readonly balances: ReadonlyMap<string, { readonly available: bigint; readonly held: bigint }>
  readonly mined: readonly MinedSpend[]
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
  /**
   * Looks at one more send; when it is covered, its money is taken out of what the next may use. Only a balance of a block
   * that was followed may tell of money that the books do not know: on a fork, money spent elsewhere looks like new money.
   */
  take(wanted: Wanted, followed: boolean): Funds
  /** Money that the chain showed and the books did not know: to be booked before the holds. By asset. */
  readonly discovered: ReadonlyMap<string, bigint>
}

/**
 * Two views must both cover a send. The books: available, plus what arrived on chain since. The chain as the draft saw it: its
 * balance, less the hold of every payment that this balance does not show yet, less what the ledger has as spent above the draft's
 * height. A draft may be older than what the books know, or newer: the heights say which payments its balance shows. One that was
 * mined in a block that our follower has not read counts twice against the wallet for that moment, never for it. What fills a nonce has no hold: its fee
 * ceiling is set aside here until the ledger has its fee. A token that is the native currency is looked at as that: of both names the books and the chain have one amount.
 */
export function planFunds({ balances, mined }: Books): FundsPlan {
  const promised = sum(
    mined.filter(({ fillsGap, posted }) => fillsGap && !posted),
    ({ feeCeiling }) => feeCeiling,
  )
  const discovered = new Map<string, bigint>()
  const taken = new Map<string, bigint>()

  function spendable(asset: string, onChain: bigint, height: bigint, followed: boolean): bigint {
    const booked = balances.get(asset) ?? { available: 0n, held: 0n }
    const aside = asset === 'native' ? promised : 0n
    const [available, held] = [booked.available - aside, booked.held + aside]
    const shown = mined.filter((spend) => !spend.posted && spend.height <= height)
    const hidden = mined.filter((spend) => spend.posted && spend.height > height)
    const spent = sum(shown, (spend) => cost(spend, asset))
    const released = sum(shown, (spend) => heldFor(spend, asset))
    const ahead = sum(hidden, (spend) => cost(spend, asset))
    const expected = available + held + (discovered.get(asset) ?? 0n) + ahead - spent
    if (followed && onChain > expected) {
      discovered.set(asset, (discovered.get(asset) ?? 0n) + onChain - expected)
    }
    const used = taken.get(asset) ?? 0n
    const byBooks = available + (discovered.get(asset) ?? 0n) - used
    const byChain = onChain - (held - released) - ahead - used
    return byBooks < byChain ? byBooks : byChain
  }

  return {
    discovered,
    take: ({ asset, amount, draft }, followed) => {
      const { native, asset: moved, height } = draft.balances
      const { asset: book, amount: units } = inBooks(asset, amount)
      const isNative = book === 'native'
      if (!isNative) {
        const available = spendable(book, moved, height, followed)
        if (available < units) return short('moved', units, available)
      }
      const required = draft.feeCeiling + (isNative ? units : 0n)
      const available = spendable('native', native, height, followed)
      if (available < required) return short('native', required, available)
      taken.set('native', (taken.get('native') ?? 0n) + required)
      if (!isNative) taken.set(book, (taken.get(book) ?? 0n) + units)
      return { ok: true }
    },
  }
}

function short(asset: 'native' | 'moved', required: bigint, available: bigint): Funds {
  return { ok: false, asset, required, available: available > 0n ? available : 0n }
}

/** What mined payments took from the chain's balance of an asset. */
function cost(spend: MinedSpend, asset: string): bigint {
  return (spend.asset === asset ? spend.amount : 0n) + (asset === 'native' ? spend.feePaid : 0n)
}

/** What the books still hold for them. */
function heldFor(spend: MinedSpend, asset: string): bigint {
  return (spend.asset === asset ? spend.amount : 0n) + (asset === 'native' ? spend.feeCeiling : 0n)
}

function sum(spends: readonly MinedSpend[], of: (spend: MinedSpend) => bigint): bigint {
  return spends.reduce((total, spend) => total + of(spend), 0n)
}

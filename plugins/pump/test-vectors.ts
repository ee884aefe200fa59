import type { Account } from '../../server/src/chains/solana/accounts.ts'
import { knownAddress } from '../../server/src/chains/solana/account.ts'
import { MODULE_TOOLS } from '../../server/src/chains/solana/markets/open-module.ts'
import { venue } from './venue.ts'
import recorded from './vectors.json' with { type: 'json' }

/** Recorded with the published package by against-sdk.js. */
export const vectors = recorded

export const pump = venue.open(MODULE_TOOLS)
export const WALLET = knownAddress(vectors.wallet)
export const COIN = knownAddress(vectors.mint)

interface Kept {
  readonly owner: string
  readonly data: string
}

export function kept({ owner, data }: Kept): Account {
  return {
    lamports: 1n,
    owner: knownAddress(owner),
    isExecutable: false,
    data: Buffer.from(data, 'base64'),
    space: 1n,
  }
}

export const SETTINGS = vectors.settings.map(kept)

/** A curve with some of its bytes changed. */
export function curveOf(index: number, change: Readonly<Record<number, number>> = {}): Account {
  const found = vectors.cases[index]
  if (found === undefined) throw new Error('no such case')
  const account = kept(found.curve)
  const data = Uint8Array.from(account.data)
  for (const [at, byte] of Object.entries(change)) data[Number(at)] = byte
  return { ...account, data }
}

/** The case itself, as an order. */
export function orderOf({ side, amountIn, tokenProgram }: (typeof vectors.cases)[number]) {
  return {
    side: side === 'buy' ? ('buy' as const) : ('sell' as const),
    mint: { address: COIN, program: knownAddress(tokenProgram) },
    amountIn: BigInt(amountIn),
  }
}

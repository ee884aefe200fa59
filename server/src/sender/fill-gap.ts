import { baseUnits, formatAmount } from '@florin/wire/amount.ts'
import type { BaseUnits } from '@florin/wire/amount.ts'
import { Refusal } from '@florin/wire/errors.ts'
import type { Address, Chain, Terms } from '../chains/chain.ts'
import type { OpenSigner } from '../custody/signer.ts'
import { limits } from '../kernel/limits.ts'
import type { Tx } from '../store/postgres.ts'
import type { Committed } from './broadcast.ts'
import { reopenWithNothing } from './closed-place-store.ts'
import type { ClosedPlace } from './closed-place-store.ts'
import { noteFillings } from './gap-filling-store.ts'
import type { Gap } from './lane-release-store.ts'
import { storeTransactions } from './transaction-store.ts'

/** What fills nonces that nobody has used, or that the chain has given back: a transaction of nothing to the address itself, and the key that signs it, to be erased. */
export interface Filling {
  readonly nonces: ReadonlySet<bigint>
  readonly terms: Terms
  /** Of each of them, native base units. */
  readonly feeCeiling: BaseUnits
  readonly signer: OpenSigner
}

/** It commits to nothing. */
const COMMITMENT_BYTES = 32

/**
 * Asks the chain what filling these takes. Refuses INVALID_PARAMETERS where they are too many, where code of the address refuses a transaction of nothing,
 * and where the address has less than that beside what is under way: a payment whose money went into a filling would wait for ever itself.
 */
export async function prepareFilling(
  chain: Chain,
  address: Address,
  signerOf: () => Promise<OpenSigner>,
  { missing, awaited }: Pick<Gap, 'missing' | 'awaited'>,
): Promise<Filling> {
  const asset = chain.config.assets.find((each) => each.asset === 'native')
  if (asset === undefined) throw new Error('a network has no native asset')
  if (missing.length > limits.gapPlacesMax) throw tooMany(missing)
  const commitment = new Uint8Array(COMMITMENT_BYTES)
  const order = { sender: address, recipient: address, asset, amount: baseUnits(0n), commitment }
  const drafted = await chain.draft(order)
  if (!drafted.ok) throw refusesNothing(missing)
  const { terms, feeCeiling, balances } = drafted.draft
  const fees = feeCeiling * BigInt(missing.length)
  const short = awaited + fees - balances.native
  if (short > 0n) {
    const shown = [fees, balances.native, awaited, short].map((units) =>
      formatAmount(units, asset.decimals),
    )
    throw cannotPay(missing, shown, asset.symbol)
  }
  return { nonces: new Set(missing), terms, feeCeiling, signer: await signerOf() }
}

/**
 * Signs and stores what fills them, under the lane's lock: a place of its own where there is none, the next attempt of one that came to nothing. Their fees are
 * the wallet's own, booked when they are final. Gives the bytes, to be sent once that is committed. Refuses what was not prepared: the lane has changed since.
 */
export async function storeFilling(
  tx: Tx,
  chain: Chain,
  address: Address,
  {
    filling,
    missing,
    closed = [],
    nowMilliseconds,
  }: {
    readonly filling: Filling | undefined
    readonly missing: readonly bigint[]
    readonly closed?: readonly ClosedPlace[]
    readonly nowMilliseconds: number
  },
): Promise<readonly Committed[]> {
  const nonces = [...missing, ...closed.map(({ nonce }) => nonce)]
  if (nonces.length === 0) return []
  if (filling === undefined || nonces.some((nonce) => !filling.nonces.has(nonce))) {
    throw changedSince()
  }
  const { terms, feeCeiling, signer } = filling
  const places = await Promise.all(
    missing.map(async (nonce) => ({
      ...{ nonce, terms, feeCeiling, paymentIds: [] },
      signed: await chain.sign(terms, nonce, signer),
    })),
  )
  const { network } = chain.config
  const lane = { network, address }
  await storeTransactions(tx, lane, places, nowMilliseconds)
  const bytes = places.map(({ signed }): Committed => signed)
  for (const place of closed) {
    const signed = await chain.sign(terms, place.nonce, signer)
    const next = { terms, signed, feeCeiling }
    if (!(await reopenWithNothing(tx, network, place, next, nowMilliseconds))) throw changedSince()
    bytes.push(signed)
  }
  await noteFillings(tx, lane, nonces)
  return bytes
}

/** What an operator is told of them. */
function unused(missing: readonly bigint[]): string {
  const nonces = missing.length === 1 ? 'nonce' : 'nonces'
  return `Nobody has used ${nonces} ${missing.join(', ')} of this key, and transactions of ours wait behind`
}

function tooMany(missing: readonly bigint[]): Refusal {
  const { gapPlacesMax } = limits
  return new Refusal('INVALID_PARAMETERS', {
    message: `Transactions of ours wait behind more than ${gapPlacesMax} nonces of this key that nobody has used, up to ${missing.at(-1)}, and a release fills no more than ${gapPlacesMax}. Where you hold the key elsewhere, use the lowest of them there, by a transaction of nothing each, until ${gapPlacesMax} are left, and release it once those are final.`,
    details: {
      address: `has transactions that wait behind more than ${gapPlacesMax} nonces which nobody has used`,
    },
  })
}

function refusesNothing(missing: readonly bigint[]): Refusal {
  return new Refusal('INVALID_PARAMETERS', {
    message: `${unused(missing)}. A release would send a transaction of nothing to the address itself there, and code that the address runs refuses that. Take the code off, or use these nonces, with the key elsewhere, and release it once that is final.`,
    details: { address: 'runs code that refuses a transaction of nothing' },
  })
}

function cannotPay(
  missing: readonly bigint[],
  [fees, has, awaited, short]: readonly string[],
  symbol: string,
): Refusal {
  return new Refusal('INVALID_PARAMETERS', {
    message: `${unused(missing)}. Filling them may take ${fees} ${symbol}, and of the ${has} that the address has, up to ${awaited} is for what is under way. Give it ${short} ${symbol} more, or more than that since fees move, and release it again.`,
    details: { address: 'cannot pay for what fills its nonces beside what is under way' },
  })
}

function changedSince(): Refusal {
  return new Refusal('INVALID_PARAMETERS', {
    message: 'What waits in this lane has changed while the chain was asked: release it again.',
    details: { address: 'has changed meanwhile' },
  })
}

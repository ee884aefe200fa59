import { baseUnits } from '@florin/wire/amount.ts'
import type { BaseUnits } from '@florin/wire/amount.ts'
import { Refusal } from '@florin/wire/errors.ts'
import type { Address, Chain, Terms } from '../chains/chain.ts'
import type { OpenSigner } from '../custody/signer.ts'
import { limits } from '../kernel/limits.ts'
import type { Tx } from '../store/postgres.ts'
import type { Committed } from './broadcast.ts'
import { noteFillings } from './gap-filling-store.ts'
import type { Gap } from './lane-release-store.ts'
import { storeTransactions } from './transaction-store.ts'

/** What fills nonces that nobody has used: a transaction of nothing to the address itself, and the key that signs it, to be erased. */
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
 * Asks the chain what filling these takes. Refuses INVALID_PARAMETERS where they are too many, and where the address has less than that beside what is
 * under way: a payment whose money went into a filling would wait for ever itself.
 */
export async function prepareFilling(
  chain: Chain,
  address: Address,
  signerOf: () => Promise<OpenSigner>,
  { missing, awaited }: Pick<Gap, 'missing' | 'awaited'>,
): Promise<Filling> {
  const asset = chain.config.assets.find((each) => each.asset === 'native')
  if (asset === undefined || missing.length > limits.gapPlacesMax) throw cannotFill(missing)
  const commitment = new Uint8Array(COMMITMENT_BYTES)
  const order = { sender: address, recipient: address, asset, amount: baseUnits(0n), commitment }
  const drafted = await chain.draft(order)
  if (!drafted.ok) throw cannotFill(missing)
  const { terms, feeCeiling, balances } = drafted.draft
  if (balances.native < awaited + feeCeiling * BigInt(missing.length)) throw cannotFill(missing)
  return { nonces: new Set(missing), terms, feeCeiling, signer: await signerOf() }
}

/**
 * Signs and stores what fills them, under the lane's lock. Their fees are the wallet's own, booked when they are final. Gives the bytes, to be sent once
 * that is committed. Refuses what was not prepared: the lane has changed since.
 */
export async function storeFilling(
  tx: Tx,
  chain: Chain,
  address: Address,
  {
    filling,
    missing,
    nowMilliseconds,
  }: {
    readonly filling: Filling | undefined
    readonly missing: readonly bigint[]
    readonly nowMilliseconds: number
  },
): Promise<readonly Committed[]> {
  if (missing.length === 0) return []
  if (filling === undefined || missing.some((nonce) => !filling.nonces.has(nonce))) {
    throw cannotFill(missing)
  }
  const { terms, feeCeiling, signer } = filling
  const places = await Promise.all(
    missing.map(async (nonce) => ({
      ...{ nonce, terms, feeCeiling, paymentIds: [] },
      signed: await chain.sign(terms, nonce, signer),
    })),
  )
  const lane = { network: chain.config.network, address }
  await storeTransactions(tx, lane, places, nowMilliseconds)
  await noteFillings(tx, lane, missing)
  return places.map(({ signed }) => signed)
}

function cannotFill(missing: readonly bigint[]): Refusal {
  const [first] = missing
  return new Refusal('INVALID_PARAMETERS', {
    message: `Nobody has used nonce ${first} of this key, and transactions of ours wait behind it. It takes a transaction of nothing there, which this address cannot pay for now beside what waits, or there are more than ${limits.gapPlacesMax} such nonces. Give it native currency and ask again.`,
    details: { address: 'has transactions that wait behind a nonce which nobody has used' },
  })
}

import type { Static } from 'typebox'
import { canonicalAddress } from '@florin/wire/address.ts'
import { Refusal } from '@florin/wire/errors.ts'
import type { FindQuery } from '@florin/wire/history.ts'
import { familyOf } from '@florin/wire/network.ts'
import type { NetworkId } from '@florin/wire/network.ts'
import { readNetworkName } from '@florin/wire/network-alias.ts'
import { parseTransferProof } from '@florin/wire/parse-transfer-proof.ts'
import { canonicalTransactionId } from '@florin/wire/transaction-id.ts'
import type { AccountId, PaymentId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import { paymentsOfAttempt, paymentsOfPlace } from '../sender/find-store.ts'
import type { Store, Tx } from '../store/postgres.ts'
import { knownPayments, uncommittedPayments } from './find-store.ts'
import type { Known } from './find-store.ts'
import { listPayments } from './list-payments.ts'
import type { ProofKeys } from './proof.ts'

export interface FindDeps {
  readonly store: Store
  readonly networks: ReadonlyMap<NetworkId, NetworkConfig>
  readonly proofs: ProofKeys
  /** The account's payments whose transaction was built for a place of somebody's and is signed elsewhere. */
  readonly builtFor?: (
    tx: Tx,
    accountId: AccountId,
    place: PlaceName,
  ) => Promise<readonly PaymentId[]>
}

/** A place of a signing address: EVM's nonces. */
interface PlaceName {
  readonly network: NetworkId
  readonly address: string
  readonly nonce: bigint
}

type Query = Static<typeof FindQuery>
type Look = (tx: Tx) => Promise<Known>

/** The account's payments behind a transaction, a proof or a nonce, newest first; none is an answer as well. */
export async function findPayments(
  { store, networks, proofs, builtFor = async () => [] }: FindDeps,
  accountId: AccountId,
  query: Query,
) {
  const look = lookOf(query, accountId, { proofs, builtFor })
  return store.inTransaction(accountId, async (tx) => {
    const payments = await knownPayments(tx, accountId, await look(tx), limits.foundPaymentsMax)
    return listPayments(tx, networks, payments)
  })
}

/** Which of the three ways a query means. Refuses one that means none, several or half of one, naming its fields. */
function lookOf(
  query: Query,
  accountId: AccountId,
  { proofs, builtFor }: Required<Pick<FindDeps, 'proofs' | 'builtFor'>>,
): Look {
  const { signature, proof, nonce, network, sender } = query
  const byPlace = [nonce, network, sender].some((part) => part !== undefined)
  const ways = [signature !== undefined, proof !== undefined, byPlace].filter(Boolean).length
  if (ways !== 1) {
    const rule = 'give exactly one of signature, proof, or nonce with network and sender'
    const named = ways === 0 ? ['signature', 'proof', 'nonce'] : Object.keys(query)
    throw invalid(Object.fromEntries(named.map((field) => [field, rule])))
  }
  if (signature !== undefined) return bySignature(signature)
  if (proof !== undefined) return byProof(proof, accountId, proofs)
  return byNonce(query, accountId, builtFor)
}

function bySignature(signature: string): Look {
  const transactionId = canonicalTransactionId(signature)
  if (transactionId === undefined) {
    throw invalid({ signature: 'must be an EVM transaction hash or a Solana signature' })
  }
  return async (tx) => ({ ids: await paymentsOfAttempt(tx, transactionId), transactionId })
}

/** Base64 in a query string often has its "+" sent as it is, which arrives as a space; base64 itself has none. */
function byProof(text: string, accountId: AccountId, proofs: ProofKeys): Look {
  const proof = parseTransferProof(text.replaceAll(' ', '+'))
  const claimed = proof === undefined ? undefined : proofs.claimOf(proof)
  if (claimed === undefined) {
    throw invalid({ proof: 'must be a paymentProof of this service for an enabled network' })
  }
  return async (tx) => {
    const candidates = await uncommittedPayments(tx, accountId, claimed, limits.proofCandidatesMax)
    return {
      commitment: claimed.commitment,
      ids: candidates.filter((paymentId) => claimed.isOf(paymentId)),
    }
  }
}

function byNonce(
  { nonce, network, sender }: Pick<Query, 'nonce' | 'network' | 'sender'>,
  accountId: AccountId,
  builtFor: Required<FindDeps>['builtFor'],
): Look {
  if (nonce === undefined || network === undefined || sender === undefined) {
    const missing = Object.entries({ nonce, network, sender }).filter(
      ([, part]) => part === undefined,
    )
    throw invalid(Object.fromEntries(missing.map(([field]) => [field, 'is required'])))
  }
  const id = readNetworkName(network)
  if (id === undefined || familyOf(id) !== 'evm') {
    throw invalid({ network: 'must be an EVM network: only its transactions have a nonce' })
  }
  const address = canonicalAddress(sender)
  if (address === undefined || !address.startsWith('0x')) {
    throw invalid({ sender: 'must be a valid evm address, with a right checksum' })
  }
  const place = { network: id, address, nonce: BigInt(nonce) }
  return async (tx) => ({
    ids: [...(await paymentsOfPlace(tx, place)), ...(await builtFor(tx, accountId, place))],
  })
}

function invalid(details: Readonly<Record<string, string>>): Refusal {
  return new Refusal('INVALID_PARAMETERS', { details })
}

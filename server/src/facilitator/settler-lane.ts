import type { NetworkId } from '@florin/wire/network.ts'
import type { Address, Chain, SignedTransaction } from '../chains/chain.ts'
import type { SettlementDraft } from '../chains/exact.ts'
import type { OpenSigner } from '../custody/signer.ts'
import type { Wallet } from '../custody/wallet.ts'
import type { Clock } from '../kernel/clock.ts'
import type { PaymentId } from '../kernel/id.ts'
import {
  CHAIN_AHEAD,
  advanceLane,
  freezeLane,
  lockLane,
  openCeilings,
} from '../sender/lane-store.ts'
import { storeTransactions } from '../sender/transaction-store.ts'
import type { Store, Tx } from '../store/postgres.ts'

/**
 * Stops a lane that the chain was found to be ahead of. The lock that told it ended with the claim: an operator may have released the lane since,
 * or another claim moved it on.
 */
export async function stopForeign(
  store: Store,
  network: NetworkId,
  address: Address,
  usedUp: bigint,
): Promise<void> {
  await store.inTransaction('service', async (tx) => {
    const lane = await lockLane(tx, network, address, usedUp)
    if (usedUp > lane.nextNonce) await freezeLane(tx, network, address, CHAIN_AHEAD)
  })
}

/** Rolls everything back: what is under way may take all that the key has. */
export class LaneShort extends Error {
  override readonly name = 'LaneShort'
}

/** Rolls everything back: a key that somebody else uses signs nothing more. */
export class LaneFrozen extends Error {
  override readonly name = 'LaneFrozen'
  readonly foundNow: boolean
  constructor(foundNow: boolean) {
    super('the lane of a settling key is frozen')
    this.foundNow = foundNow
  }
}

/** Takes the next place of a settling key's lane for a transaction, and signs and stores it. Throws LaneFrozen and LaneShort, which roll back all that goes with it. */
export async function placeInLane(
  tx: Tx,
  { clock }: { readonly clock: Pick<Clock, 'nowMilliseconds'> },
  {
    chain,
    settler,
    signer,
    draft,
  }: {
    readonly chain: Chain
    readonly settler: Wallet
    readonly signer: OpenSigner
    readonly draft: SettlementDraft
  },
  paymentIds: readonly PaymentId[],
  requestId: string | undefined,
): Promise<SignedTransaction> {
  const { network } = chain.config
  const lane = await lockLane(tx, network, settler.address, draft.laneLatest)
  if (lane.frozenReason !== null) throw new LaneFrozen(false)
  if (draft.laneLatest > lane.nextNonce) throw new LaneFrozen(true)
  if ((await openCeilings(tx, lane)) + draft.feeCeiling > draft.settlerBalance) {
    throw new LaneShort('what is under way may take all that the key has')
  }
  const signed = await chain.sign(draft.terms, lane.nextNonce, signer)
  const { terms, feeCeiling } = draft
  const transaction = {
    nonce: lane.nextNonce,
    terms,
    signed,
    feeCeiling,
    paymentIds,
    ...(requestId === undefined ? {} : { requestId }),
  }
  await storeTransactions(tx, lane, [transaction], clock.nowMilliseconds())
  await advanceLane(tx, lane, 1)
  return signed
}

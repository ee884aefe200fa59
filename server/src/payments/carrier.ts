import { baseUnits } from '@florin/wire/amount.ts'
import type { TransactionHash } from '../chains/chain.ts'
import type { CarriedState, Carrier } from '../sender/carrier.ts'
import { carry } from './carry.ts'
import type { CarryDeps } from './carry.ts'
import type { Payment } from './payment.ts'
import { findStandings } from './status-store.ts'

/** The way of a payment, for what other rooms want carried. */
export function openCarrier(deps: CarryDeps): Carrier {
  return {
    carry: async (order) => {
      const { payment, hash, replayed } = await carry(deps, {
        ...order,
        resource: null,
        metadataText: null,
        drafted: async (paymentId) => {
          const { draft, allowance, ...drafted } = await order.drafted(paymentId)
          const feeCeiling = baseUnits(draft.feeCeiling + (allowance?.feeCeiling ?? 0n))
          return {
            ...drafted,
            allowance,
            // One hold covers both; nothing is to be claimed by a proof of it.
            draft: { ...draft, feeCeiling, carriesCommitment: false },
            commitment: new Uint8Array(),
          }
        },
      })
      return { state: stateOf(payment, hash), replayed }
    },

    states: async (accountId, paymentIds) => {
      const standings = await findStandings(
        deps.store,
        paymentIds.map((paymentId) => ({ accountId, paymentId })),
      )
      return standings.map(
        (standing) => standing && stateOf(standing.payment, standing.attempts.at(-1)?.hash ?? null),
      )
    },
  }
}

function stateOf(payment: Payment, newestHash: TransactionHash | null): CarriedState {
  return {
    paymentId: payment.id,
    network: payment.network,
    status: payment.status,
    hash: payment.transactionHash ?? newestHash,
    blockHeight: payment.blockHeight,
    feePaid: payment.feePaid,
    failure: payment.failure,
    sandbox: payment.sandbox,
    isBuilt: payment.selfCustody !== undefined,
    createdAtMilliseconds: payment.createdAtMilliseconds,
    confirmedAtMilliseconds: payment.confirmedAtMilliseconds,
    settledAtMilliseconds: payment.settledAtMilliseconds,
    ...(payment.endedAtMilliseconds === undefined
      ? {}
      : { endedAtMilliseconds: payment.endedAtMilliseconds }),
  }
}

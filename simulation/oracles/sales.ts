import { authorizationKey } from '../chain/authorization.ts'
import { line } from '../chain/block-tree.ts'
import type { Included, ModelBlock } from '../chain/block-tree.ts'
import { markOf } from '../chain/exact-port.ts'
import type { ModelNetwork } from '../chain/model-network.ts'
import { Broken, demand } from '../finding.ts'
import type { Sale, SaleAnswer } from '../sellers.ts'
import type { ClaimRecord, Records } from './records.ts'

/** Follows what sellers are told and what is stored of their sales, from commit to commit. */
export interface SaleOracle {
  /** At any moment. */
  judge(): Promise<void>
  /** Whether the chain took the money of a claim back after it had shown it: nobody can keep that promise. */
  wasTakenBack(paymentId: string): Promise<boolean>
  /** When nothing is under way any more. */
  judgeEnd(): Promise<void>
}

const ENDS: ReadonlySet<string> = new Set(['settled', 'expired', 'failed'])
/** A claim is dated when its transaction begins; by then it is committed, whatever the database went through. */
const COMMITTED_MILLISECONDS = 20_000
/** What a seller takes for the end of a payment. */
const FINAL_WORDS: ReadonlySet<string> = new Set([
  'invalid_exact_evm_payload_authorization_valid_before',
])

/** A success is told once and is true, an end is final, and what is settled or expired is what the final chain says. */
export function openSaleOracle(
  sales: readonly Sale[],
  network: ModelNetwork,
  records: Records,
): SaleOracle {
  const ends = new Map<string, string>()

  async function judge(): Promise<void> {
    for (const { number, tries } of sales) {
      const told = tries.filter(({ answer }) => answer?.kind === 'success')
      demand(told.length <= 1, 'a success is told once', `sale ${number}`)
      for (const { answer } of tries) {
        if (answer?.kind !== 'unforeseen') continue
        const { error } = answer
        throw new Broken('nothing unforeseen', error instanceof Error ? `${error.stack}` : '')
      }
    }
    const paid = paymentsOn(network.final())
    const now = paymentsOn(network.best())
    for (const { id, status, nonce, payer } of await records.claims()) {
      const before = ends.get(id)
      demand(before === undefined || before === status, 'an end is final', `${id} left ${before}`)
      if (ENDS.has(status)) ends.set(id, status)
      const key = keyOf({ payer, nonce })
      demand(status !== 'settled' || paid.has(key), 'settled is final on chain', id)
      demand(status !== 'expired' || !now.has(key), 'what expired never moves money', id)
      demand(status !== 'failed', 'a settlement that came to nothing is no failed payment', id)
    }
  }

  return {
    judge,
    wasTakenBack: async (paymentId) => {
      const claim = (await records.claims()).find(({ id }) => id === paymentId)
      return claim !== undefined && network.takenBack.has(keyOf(claim))
    },
    judgeEnd: async () => {
      await judge()
      const claims = new Map((await records.claims()).map((claim) => [claim.nonce, claim]))
      const paid = paymentsOn(network.final())
      for (const sale of sales) judgeSale(sale, claims.get(sale.nonce), paid)
    },
  }
}

const keyOf = ({ payer, nonce }: Pick<ClaimRecord, 'payer' | 'nonce'>) =>
  authorizationKey({ payer, nonce, validBeforeSeconds: null })

function judgeSale(
  { number, nonce, payer, tries }: Sale,
  claim: ClaimRecord | undefined,
  paid: ReadonlyMap<string, Included>,
): void {
  const subject = `sale ${number} ${markOf({ nonce })} ${claim?.status}`
  const key = keyOf({ payer, nonce })
  const isPaid = paid.has(key)
  for (const { answer } of tries) {
    if (answer?.kind === 'success') {
      demand(claim !== undefined, 'a success has its record', subject)
    }
    const isOver = answer?.kind === 'no' && FINAL_WORDS.has(answer.reason) && isBound(answer, claim)
    demand(!isOver || !isPaid, 'what a seller was told to be over is over', subject)
  }
  if (claim === undefined) return
  const end = isPaid ? 'settled' : 'expired'
  demand(claim.status === end, 'a record ends as the chain says', subject)
}

/**
 * Whether a word was said of what had been claimed. Before a claim nothing is stored: the node that says that it is too late may be ahead of
 * the one that is asked next.
 */
function isBound(
  { isNamed, saidAtMilliseconds }: Extract<SaleAnswer, { kind: 'no' }>,
  claim: ClaimRecord | undefined,
): boolean {
  if (isNamed || claim === undefined) return isNamed
  return saidAtMilliseconds > claim.claimedAtMilliseconds + COMMITTED_MILLISECONDS
}

/** Authorizations that have paid on the line that ends with a block. */
function paymentsOn(tip: ModelBlock): ReadonlyMap<string, Included> {
  const found = new Map<string, Included>()
  for (const { included } of line(tip)) {
    for (const one of included) {
      const { authorization } = one.transfer
      if (authorization !== undefined && one.moved) found.set(authorizationKey(authorization), one)
    }
  }
  return found
}

import { expect, test } from 'vitest'
import type { Address } from '../chains/chain.ts'
import type { ExactPayments, UsedBy } from '../chains/exact.ts'
import {
  accountId,
  asset,
  network,
  paymentId,
  REVERTED,
  sceneOf,
} from '../facilitator/test-settle-scene.ts'
import type { Store, Tx } from '../store/postgres.ts'
import { joinPayment } from './receive.ts'
import type { ReceiveDeps } from './receive.ts'

/** What is told of an attempt that reverted to whoever joins it by its id, where the chain says this of its authorization. */
async function told(used: UsedBy): Promise<unknown> {
  const { deps: settling } = sceneOf(undefined, { ok: true }, 'exact')
  for (const chain of settling.chains.values()) {
    const usedBy: ExactPayments['usedBy'] = async () => used
    Object.assign(chain.exact ?? {}, { usedBy })
    Object.assign(chain, { parseAddress: (text: string) => text as Address })
  }
  const claim = {
    ...{ payment_id: paymentId, account_id: accountId, network, proof_key: 'k', x402_version: 2 },
    ...{ terms_digest: Buffer.alloc(32), valid_before: '9999999999', since_height: '0' },
    stored: { token: asset?.asset, from: 'payer', to: 'seller', value: '500' },
    ...{ judged: [], answered_at: null, built_until: null, is_soft: false, looks: 0 },
    facilitator: null,
  }
  const payment = {
    ...{ id: paymentId, network, amount: '500', created_at: new Date(), priority_fee: null },
    ...{ fee_ceiling: null, commitment: null, block_height: null, fee_paid: null },
    ...{ confirmed_at: null, settled_at: null, failed_at: null, trade_id: null },
  }
  const tx: Partial<Tx> = {
    query: async <Row extends object>(name: string) => {
      if (name === 'claim_of_payment') return [claim as object as Row]
      return name === 'payment_find' ? [payment as object as Row] : []
    },
  }
  const store: Partial<Store> = { inTransaction: async (_, work) => work(tx as Tx) }
  const deps: Partial<ReceiveDeps> = { ...settling, store: store as Store }
  const over = new AbortController().signal
  const order = { accountId, waitUntilMilliseconds: 0, over, once: null }
  return joinPayment(deps as ReceiveDeps, order, paymentId).catch((error: unknown) => error)
}

test('is told that it failed only where nobody else had been faster', async () => {
  expect(REVERTED).toMatchObject({ reverted: true, wasShared: false })
  expect(await told('unused')).toMatchObject({ code: 'PAYMENT_VERIFICATION_FAILED' })
})

test('is told that it is pending where somebody was, or where the node is behind', async () => {
  for (const used of ['used', 'behind'] as const) {
    expect(await told(used)).toMatchObject({ code: 'SETTLEMENT_PENDING', details: { paymentId } })
  }
})

import type { PaymentRecord } from '@florin/sdk'
import { expect, test } from 'vitest'
import { paymentText } from './payment-text.ts'

const record: PaymentRecord = {
  success: true,
  paymentId: 'pay_3nJ8vTq5ZcWm2XyRbE7hKd',
  signature: '0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060',
  network: 'eip155:84532',
  asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
  amount: '1',
  amountBaseUnits: '1000000',
  sender: '0x8Ba1f109551bD432803012645Ac136ddd64DBA72',
  recipient: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  status: 'settled',
  blockHeight: 7,
  fee: null,
  resource: null,
  metadata: null,
  type: 'sent',
  priorityFee: null,
  confirmations: 3,
  releaseDepth: 0,
  finality: 'depth 2',
  estimatedConfirmation: '2-6 seconds',
  attempts: [],
  createdAt: 0,
  confirmedAt: 100,
  settledAt: 200,
  timestamp: 300,
}

test('what the chain showed instead of what was asked for is told, whatever the status', () => {
  const remark = { reason: 'recipient_got_less', message: 'less arrived' }
  expect(paymentText({ ...record, remark }, () => 'USDC')).toMatch(
    /remark +recipient_got_less: less arrived\n/,
  )
  expect(paymentText(record, () => 'USDC')).not.toContain('remark')
})

import type { NetworkId } from '@florin/wire/network.ts'
import { expect, test } from 'vitest'
import type { BatchSettlement } from '../../chains/batch.ts'
import type { Address, Chain } from '../../chains/chain.ts'
import type { ExactPayments } from '../../chains/exact.ts'
import { testNetwork } from '../../payments/test-lane.ts'
import { scriptedChain } from '../../sender/test-chain.ts'
import { takeIn } from '../intake.ts'
import type { Presented } from '../intake.ts'
import { takeInBatch } from './intake.ts'

const config = testNetwork(84_532)
const { network } = config
const chain = scriptedChain(config, {
  exact: {} as Partial<ExactPayments> as ExactPayments,
  batch: {} as Partial<BatchSettlement> as BatchSettlement,
  parseAddress: (text) => (text.startsWith('0x') ? (text as Address) : undefined),
})
const chains = new Map<NetworkId, Chain>([[network, chain]])
const PAY_TO = `0x${'a2'.repeat(20)}`

/** Presented with terms of a scheme, one part of all of it written otherwise. */
function presented(scheme: string, change: Change): Presented {
  const terms = {
    ...{ scheme, network, payTo: PAY_TO, maxTimeoutSeconds: 60, extra: {} },
    ...{ asset: `0x${'a3'.repeat(20)}`, amount: '1', ...change.terms },
  }
  return {
    paymentPayload: { x402Version: 2, accepted: terms, payload: {}, ...change.payment },
    paymentRequirements: terms,
    ...change.around,
  }
}

interface Change {
  readonly around?: Partial<Presented>
  readonly payment?: Readonly<Record<string, unknown>>
  readonly terms?: Readonly<Record<string, unknown>>
}

const none = () => new Set<Address>()
const reasonsOf = (change: Change) => [
  takeIn(presented('exact', change), chains, none),
  takeInBatch(presented('batch-settlement', change), chains, none),
]

test.each<[string, Change, string]>([
  ['of no payment', { around: { paymentPayload: 'nothing' } }, 'invalid_payload'],
  ['in another version than its payment', { around: { x402Version: 1 } }, 'invalid_x402_version'],
  ['of nothing', { around: { paymentRequirements: {} } }, 'invalid_payment_requirements'],
  ['for nobody', { terms: { payTo: 'nobody' } }, 'invalid_payment_requirements'],
  ['in a token that is not listed', {}, 'asset_not_listed'],
])('terms %s are refused alike by every scheme', (_, change, reason) => {
  const refused = { ok: false, payer: null, reason }
  expect(reasonsOf(change)).toMatchObject([refused, refused])
})

test('what is wrong with the terms themselves is said of no network; of what they ask for, of theirs', () => {
  const said = (change: Change) =>
    reasonsOf(change).map((each) => (each.ok ? 'taken' : each.networkName))
  expect(said({ around: { x402Version: 1 } })).toEqual(['', ''])
  expect(said({})).toEqual([network, network])
})

test('a malformed payment identifier is said before another version, where the scheme reads it', () => {
  const extensions = { 'payment-identifier': { info: { id: 7 } } }
  expect(reasonsOf({ payment: { extensions }, around: { x402Version: 1 } })).toMatchObject([
    { reason: 'invalid_payload' },
    { reason: 'invalid_x402_version' },
  ])
})

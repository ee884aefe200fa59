import { baseUnits } from '@florin/wire/amount.ts'
import { parsePaymentRequirements } from '@florin/wire/x402/payment-requirements.ts'
import type { X402Version } from '@florin/wire/x402/payment-requirements.ts'
import { describe, expect, test } from 'vitest'
import { requireAddress } from '../chains/evm/account.ts'
import { connectEvm } from '../chains/evm/connect.ts'
import { testNetwork, USDC } from '../chains/evm/test-network.ts'
import { systemClock } from '../kernel/clock.ts'
import { openLog } from '../kernel/log.ts'
import { choose } from './choose.ts'

const address = (digit: string) => requireAddress(`0x${digit.repeat(40)}`)
const PAYER = address('1')
const NAMED = address('3')
const SOLANA = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1'

/** Nothing here asks a node. */
function chainWith(permit2: readonly ('exact' | 'upto')[]) {
  const config = testNetwork(['http://127.0.0.1:1'], { permit2 })
  return connectEvm({ config, log: openLog('silent'), clock: systemClock, callSeconds: 1 })
}

const exact = (amount: bigint) => ({
  ...{ scheme: 'exact', network: 'eip155:84532', amount: `${amount}`, asset: USDC.asset },
  ...{ payTo: address('2'), maxTimeoutSeconds: 60, extra: { name: 'USDC', version: '2' } },
})
const upto = (amount: bigint, extra: object = {}) => ({
  ...exact(amount),
  scheme: 'upto',
  extra: { name: 'USDC', version: '2', facilitatorAddress: NAMED, ...extra },
})
type Said = ReturnType<typeof exact>

function chosen(
  said: readonly Said[],
  { ceiling = 100n, permit2 = ['exact', 'upto'] as readonly ('exact' | 'upto')[] } = {},
  x402Version: X402Version = 2,
) {
  const outcome = choose(demandOf(said, x402Version), willingOf({ ceiling, permit2 }))
  if (outcome.ok) return [outcome.choice.scheme, outcome.choice.amount] as const
  return [outcome.wanted, ...outcome.declined.map(({ reason }) => reason)] as const
}

function demandOf(said: readonly Said[], x402Version: X402Version = 2) {
  const offers = said.map((written) => {
    const { amount, ...rest } = written
    const v1 = { ...rest, network: 'base-sepolia', maxAmountRequired: amount }
    const read = parsePaymentRequirements(x402Version === 1 ? v1 : written, x402Version)
    if (!read.ok) throw new Error(read.reason)
    return { requirements: read.requirements, written }
  })
  return { x402Version, offers, place: null, resource: null, extensions: null }
}

function willingOf({
  ceiling = 100n,
  permit2 = ['exact', 'upto'] as readonly ('exact' | 'upto')[],
} = {}) {
  const willing = { asset: USDC, ceiling: baseUnits(ceiling), payer: PAYER, allows: () => true }
  return { ...willing, chain: chainWith(permit2) }
}

test('an offer of exact that fits is taken before any of upto, whatever they ask and whoever stands first', () => {
  expect(chosen([upto(1n), exact(90n), exact(80n), upto(100n)])).toEqual(['exact', 80n])
})

test('where none of exact fits, the upto with the lowest maximum is taken', () => {
  expect(chosen([exact(101n), upto(100n), upto(50n), upto(70n)])).toEqual(['upto', 50n])
  expect(chosen([upto(100n)])).toEqual(['upto', 100n])
})

test('the ceiling is for the maximum', () => {
  const over = 'asks for more than maxAmount'
  expect(chosen([exact(102n), upto(101n)])).toEqual(['0.000101', over, over])
})

test('what nobody could take, or nobody here knows how, is not taken', () => {
  const nobody = 'names nobody who could take it'
  for (const facilitatorAddress of [
    ...[undefined, null, '', '0x', 7, [NAMED], address('0'), PAYER, USDC.asset],
    ...[NAMED.slice(0, -1), '0x036cbD53842c5426634e7929541eC2318f3dCF7E'],
  ]) {
    expect(chosen([upto(9n, { facilitatorAddress })])).toEqual([null, nobody])
  }
  expect(chosen([upto(9n, { assetTransferMethod: 'eip3009' })])).toEqual([null, nobody])
  for (const paymentFlow of ['upfront', 'escrow']) {
    expect(chosen([upto(9n, { paymentFlow })])).toEqual([null, 'is of another flow'])
  }
  const unknown = [null, 'is moved in a way that is not known here']
  expect(chosen([upto(9n)], { permit2: ['exact'] })).toEqual(unknown)
  expect(chosen([upto(9n)], {}, 1)).toEqual(unknown)
  expect(chosen([upto(0n)])).toEqual([null, 'asks for nothing'])
  const other = { ...exact(9n), scheme: 'transfer' }
  expect(chosen([other])).toEqual([null, 'is of a scheme that is not known here'])
})

test('what a seller says by null it leaves out, as stock clients read it', () => {
  const extra = { name: 'USDC', version: '2', paymentFlow: null, assetTransferMethod: null }
  expect(chosen([{ ...exact(9n), extra }])).toEqual(['exact', 9n])
  const said = { paymentFlow: null, assetTransferMethod: null }
  expect(chosen([upto(9n, said)])).toEqual(['upto', 9n])
})

describe('where nothing can be paid, it says what to do:', () => {
  const whyNot = (said: readonly Said[]) => {
    const outcome = choose(demandOf(said), willingOf())
    return outcome.ok ? undefined : outcome.why
  }
  const here = 'and this purchase pays on eip155:84532.'
  test.each<[string, readonly Said[], string]>([
    [
      'another network of the same wallet',
      [
        { ...exact(9n), network: 'eip155:8453' },
        { ...exact(9n), network: SOLANA },
      ],
      `The seller asks to be paid on eip155:8453, ${here} Name one of them as network, if GET /networks lists it.`,
    ],
    [
      'a wallet of another family',
      [{ ...exact(9n), network: SOLANA }],
      `The seller asks to be paid on ${SOLANA}, ${here} This wallet cannot pay there: buy with a wallet of another family.`,
    ],
    [
      'another asset',
      [
        { ...exact(9n), asset: NAMED },
        { ...exact(9n), network: SOLANA },
      ],
      'On eip155:84532 the seller asks for other assets than USDC. Name one of those in details.declined as asset, with maxAmount in its units.',
    ],
    [
      'another wallet',
      [
        { ...exact(9n), payTo: PAYER },
        { ...exact(9n), asset: NAMED },
      ],
      'The seller asks to be paid at the very wallet that is to pay, and no wallet pays itself. Buy with another wallet.',
    ],
    [
      'to read the offers, where no other request would help',
      [
        { ...exact(9n), scheme: 'transfer' },
        { ...exact(9n), network: SOLANA },
      ],
      'The seller asks for nothing that this wallet pays with. details.declined says of each offer why.',
    ],
  ])('%s', (_, said, why) => {
    expect(whyNot(said)).toBe(why)
  })
})

test('an offer that pays its own buyer is told from one that pays nobody', () => {
  const own = { ...exact(9n), payTo: PAYER }
  const none = { ...exact(9n), payTo: address('0') }
  const reasons = ['pays the wallet that is to pay', 'pays nobody who could be paid']
  expect(chosen([own, none])).toEqual([null, ...reasons])
})

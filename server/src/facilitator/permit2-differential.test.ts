import { getAddress } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Fields } from '@florin/wire/x402/fields.ts'
import { addressFromBytes } from '../chains/evm/account.ts'
import { startTestChain } from '../chains/evm/test-chain.ts'
import type { TestChain } from '../chains/evm/test-chain.ts'
import { USDC } from '../chains/evm/test-network.ts'
import { inMinutes, permit2Payer } from '../chains/evm/test-permit2.ts'
import type { Permit2Order, Permit2Payer } from '../chains/evm/test-permit2.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { evmOracle } from './test-oracle.ts'
import type { Oracle, Presentation } from './test-oracle.ts'
import { EVM_SETTLER } from './test-settlers.ts'

const PRICE = 10_000n
const SELLER = addressFromBytes(new Uint8Array(20).fill(0x61))
const OTHER = addressFromBytes(new Uint8Array(20).fill(0x62))
const FERN = {
  ...{ symbol: 'FERN', asset: '0xA60EeC97e807541a0de970370920e40E214FC6B5' },
  ...{ decimals: 18, takesCommitment: false },
}

let world: TestChain
let database: TestDatabase
let oracle: Oracle
let warm: Permit2Payer
let cold: Permit2Payer

beforeAll(async () => {
  ;[world, database] = await Promise.all([startTestChain(), openTestDatabase()])
  const { config } = world.chain
  const assets = [...config.assets, FERN]
  const chain = {
    ...world.chain,
    config: { ...config, assets, permit2: ['exact', 'upto'] as const },
  }
  oracle = evmOracle({ ...world, chain }, database.store)
  ;[warm, cold] = [permit2Payer(), permit2Payer()]
  await Promise.all([
    world.sandbox.fund(warm.address, 'USDC', '100'),
    world.sandbox.fund(warm.address, 'native', '1'),
    world.sandbox.fund(cold.address, 'USDC', '100'),
    world.sandbox.fund(cold.address, 'FERN', '1'),
  ])
  await warm.approve(world.sandbox.rpcUrl, USDC.asset)
})
afterAll(async () => {
  await world.sandbox.stop()
  await database.close()
})

type Scheme = 'exact' | 'upto'

interface Case {
  readonly by?: Permit2Payer
  readonly order?: Partial<Permit2Order>
  readonly permit?: Partial<Parameters<Permit2Payer['permit']>[0]>
  /** What the seller asks for, and what the payer says it accepted, where that is something else. */
  readonly asks?: Fields
  readonly accepts?: Fields
  change?(payload: Fields): Fields
}

async function present(scheme: Scheme, name: string, one: Case): Promise<Presentation> {
  const { by = warm, order = {}, permit, asks = {}, accepts = {}, change = (same) => same } = one
  const plain = { scheme, token: USDC.asset, to: SELLER, amount: PRICE, facilitator: EVM_SETTLER }
  const payload = change(await by.authorize({ ...plain, ...order }))
  const paymentRequirements = {
    ...{ scheme, network: 'eip155:84532', asset: USDC.asset, amount: `${PRICE}` },
    ...{ payTo: SELLER, maxTimeoutSeconds: 60 },
    extra: { name: 'USDC', version: '2', assetTransferMethod: 'permit2' },
    ...asks,
  }
  const extensions =
    permit === undefined ? {} : await by.permit({ token: USDC.asset, amount: PRICE, ...permit })
  const accepted = { ...paymentRequirements, ...accepts }
  const paymentPayload = { x402Version: 2, accepted, payload, extensions }
  return {
    name: `${scheme} ${name}`,
    presented: { x402Version: 2, paymentPayload, paymentRequirements },
  }
}

const invalid = (payload: Fields): Fields => ({ ...payload, signature: `0x${'5a'.repeat(65)}` })

/** Both say this, in either scheme. */
const SAME: readonly (readonly [string, () => Case, string])[] = [
  ['as it should be', () => ({}), 'valid'],
  ['for another spender', () => ({ order: { spender: OTHER } }), 'invalid_permit2_spender'],
  ['to somebody else', () => ({ order: { to: OTHER } }), 'invalid_permit2_recipient_mismatch'],
  ['of a unit less', () => ({ order: { amount: PRICE - 1n } }), 'permit2_amount_mismatch'],
  ['of a unit more', () => ({ order: { amount: PRICE + 1n } }), 'permit2_amount_mismatch'],
  ['of another token', () => ({ order: { token: OTHER } }), 'permit2_token_mismatch'],
  ['that is over', () => ({ order: { deadline: inMinutes(-9) } }), 'permit2_deadline_expired'],
  ['too early', () => ({ order: { validAfter: inMinutes(20) } }), 'permit2_not_yet_valid'],
  ['for another chain', () => ({ order: { chainId: 8_453 } }), 'invalid_permit2_signature'],
  ['that nobody signed', () => ({ change: invalid }), 'invalid_permit2_signature'],
  [
    'that somebody else signed',
    () => ({ by: cold, order: { from: warm.address } }),
    'invalid_permit2_signature',
  ],
  ['without money', () => ({ by: permit2Payer() }), 'permit2_insufficient_balance'],
  ['without an approval', () => ({ by: cold }), 'permit2_allowance_required'],
  ['with a permit', () => ({ by: cold, permit: {} }), 'valid'],
  [
    'with a permit of another nonce',
    () => ({ by: cold, permit: { nonce: 3n } }),
    'permit2_allowance_required',
  ],
  [
    'with a permit of another amount',
    () => ({ by: cold, permit: { amount: PRICE + 1n } }),
    'permit2_allowance_required',
  ],
  [
    'with a permit that is over',
    () => ({ by: cold, permit: { deadline: inMinutes(-9) } }),
    'eip2612_deadline_expired',
  ],
  [
    'with a permit of somebody else',
    () => ({ by: cold, permit: { change: { from: OTHER } } }),
    'eip2612_from_mismatch',
  ],
  [
    'with a permit for another token',
    () => ({ by: cold, permit: { change: { asset: OTHER } } }),
    'eip2612_asset_mismatch',
  ],
  [
    'with a permit for another spender',
    () => ({ by: cold, permit: { change: { spender: OTHER } } }),
    'eip2612_spender_not_permit2',
  ],
  [
    'with a permit that is no text',
    () => ({ by: cold, permit: { change: { amount: '1e4' } } }),
    'invalid_eip2612_extension_format',
  ],
  [
    'with half a permit',
    () => ({ by: cold, permit: { change: { signature: '' } } }),
    'permit2_allowance_required',
  ],
  [
    'of a token that has no permits',
    () => ({
      ...{ by: cold, order: { token: FERN.asset }, asks: { asset: FERN.asset } },
      permit: { token: FERN.asset },
    }),
    'permit2_allowance_required',
  ],
]

const MISNAMED = {
  exact: {
    network: 'invalid_exact_evm_network_mismatch',
    scheme: 'unsupported_payload_type',
  },
  upto: {
    network: 'invalid_upto_evm_network_mismatch',
    scheme: 'invalid_upto_evm_scheme',
  },
} as const

describe.each(['exact', 'upto'] as const)(
  'the reference and this one say of %s by Permit2',
  (scheme) => {
    test('the same', async () => {
      const said = await Promise.all(
        SAME.map(async ([name, one]) => oracle.judge(await present(scheme, name, one()))),
      )
      const words = SAME.map(([name, , word]) => ({
        name: `${scheme} ${name}`,
        ours: word,
        theirs: word,
      }))
      expect(said.map(({ name, ours, theirs }) => ({ name, ours, theirs }))).toEqual(words)
    })

    test('the same of what does not fit together', async () => {
      const otherScheme = scheme === 'exact' ? 'upto' : 'exact'
      for (const [accepts, word] of [
        [{ network: 'eip155:8453' }, MISNAMED[scheme].network],
        [{ scheme: otherScheme }, MISNAMED[scheme].scheme],
      ] as const) {
        const seen = await oracle.judge(await present(scheme, 'misnamed', { accepts }))
        expect([seen.ours, seen.theirs]).toEqual([word, word])
      }
    })
  },
)

describe('the reference and this one say of upto', () => {
  test('the same when somebody else is to settle it', async () => {
    const order = { facilitator: OTHER }
    const seen = await oracle.judge(await present('upto', 'of another', { order }))
    const word = 'upto_facilitator_mismatch'
    expect([seen.ours, seen.theirs]).toEqual([word, word])
  })

  test('the same when nobody is named, or the payment is by EIP-3009', async () => {
    const word = 'unsupported_payload_type'
    const unnamed = await oracle.judge(
      await present('upto', 'unnamed', { order: { scheme: 'exact', spender: UPTO_PROXY } }),
    )
    expect([unnamed.ours, unnamed.theirs]).toEqual([word, word])
    const change = (): Fields => ({ signature: '0x5a', authorization: {} })
    const other = await oracle.judge(await present('upto', 'by EIP-3009', { change }))
    expect([other.ours, other.theirs]).toEqual([word, word])
  })
})

/** What this one says otherwise, and why is in the decisions. */
describe('otherwise is said', () => {
  const judge = async (one: Case) => {
    const { ours, theirs } = await oracle.judge(await present('exact', 'otherwise', one))
    return [ours, theirs]
  }

  test('what needs no node first', async () => {
    const order = { amount: PRICE + 1n, deadline: inMinutes(-9) }
    expect(await judge({ order })).toEqual(['permit2_amount_mismatch', 'permit2_deadline_expired'])
  })

  test('a permit that is not needed is left alone', async () => {
    const permit = { amount: PRICE + 1n }
    expect(await judge({ permit })).toEqual(['valid', 'permit2_simulation_failed'])
    const over = { deadline: inMinutes(-9) }
    expect(await judge({ permit: over })).toEqual(['valid', 'eip2612_deadline_expired'])
  })

  test('a network or a receiver by which nobody is paid', async () => {
    const permit2 = getAddress('0x000000000022D473030F116dDEE9F6B43aC78BA3')
    const lost = { order: { to: permit2 }, asks: { payTo: permit2 } }
    expect(await judge(lost)).toEqual(['invalid_permit2_recipient_mismatch', 'valid'])
    const own = { order: { to: warm.address }, asks: { payTo: warm.address } }
    expect(await judge(own)).toEqual(['invalid_permit2_recipient_mismatch', 'valid'])
  })
})

const UPTO_PROXY = '0x4020A4f3b7b90ccA423B9fabCc0CE57C6C240002'

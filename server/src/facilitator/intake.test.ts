import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { networkAliasOf } from '@florin/wire/network-alias.ts'
import { parseNetworkId } from '@florin/wire/network.ts'
import type { Family, NetworkId } from '@florin/wire/network.ts'
import { REASONS } from '@florin/wire/x402/reasons.ts'
import type { Fields } from '@florin/wire/x402/fields.ts'
import type { Address, Chain } from '../chains/chain.ts'
import { addressFromBytes } from '../chains/evm/account.ts'
import { connectEvm } from '../chains/evm/connect.ts'
import { testNetwork as evmNetwork, USDC } from '../chains/evm/test-network.ts'
import { testPayer } from '../chains/evm/test-payer.ts'
import { connectSolana } from '../chains/solana/connect.ts'
import { testNetwork as solanaNetwork } from '../chains/solana/test-network.ts'
import { limit, paymentScene, PRICE as SOLANA_PRICE, price } from '../chains/solana/test-payment.ts'
import { systemClock } from '../kernel/clock.ts'
import { openLog } from '../kernel/log.ts'
import { takeIn } from './intake.ts'

const SELLER = addressFromBytes(new Uint8Array(20).fill(0x51))
const SETTLER = addressFromBytes(new Uint8Array(20).fill(0x5e))
const PRICE = 10_000n
/** No node is asked, so there is none. */
const NOWHERE = ['http://127.0.0.1:1/']
const NETWORKS = [
  'eip155:84532',
  'eip155:8453',
  'eip155:1',
  'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
  'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
].map((text) => {
  const network = parseNetworkId(text)
  if (network === undefined) throw new Error('no network')
  return network
})

function connect(network: NetworkId): Chain {
  const options = { log: openLog('silent'), clock: systemClock }
  return network.startsWith('eip155')
    ? connectEvm({ ...options, config: evmNetwork(NOWHERE, { network }) })
    : connectSolana({ ...options, config: solanaNetwork(NOWHERE, { network }) })
}

const scene = paymentScene()
const chains = new Map(NETWORKS.map((network) => [network, connect(network)]))
const settlersOf = (family: Family): ReadonlySet<Address> =>
  new Set(family === 'evm' ? [SETTLER] : [scene.feePayer.address])
const payer = testPayer()

function said(paymentPayload: unknown, paymentRequirements: unknown): string {
  const outcome = takeIn({ paymentPayload, paymentRequirements }, chains, settlersOf)
  return outcome.ok ? 'taken' : outcome.reason
}

/** A payload that was signed for a network, and what its seller asks for on it. */
async function purchase(network: NetworkId, version: 1 | 2) {
  const isEvm = network.startsWith('eip155')
  const chainId = Number(network.split(':')[1])
  const payload: Fields = isEvm
    ? await payer.authorize({ asset: USDC, to: SELLER, amount: PRICE, chainId })
    : scene.payloadOf([limit(20_000), price(1n), scene.paying()])
  const asks = isEvm
    ? { asset: USDC.asset, payTo: SELLER, extra: { name: 'USDC', version: '2' } }
    : {
        asset: scene.demand().asset.asset,
        payTo: scene.seller.address,
        extra: scene.demand().extra,
      }
  const amount = `${isEvm ? PRICE : SOLANA_PRICE}`
  const name = version === 1 ? (networkAliasOf(network) ?? '') : network
  const requirements = {
    scheme: 'exact',
    network: name,
    ...asks,
    ...(version === 1 ? { maxAmountRequired: amount } : { amount }),
    maxTimeoutSeconds: 60,
  }
  return { name, payload, requirements }
}

/** The payload as if it were for some requirements. */
function shown(version: 1 | 2, payload: Fields, requirements: Fields): Fields {
  return version === 1
    ? { x402Version: 1, scheme: 'exact', network: requirements['network'], payload }
    : { x402Version: 2, accepted: requirements, payload }
}

describe.each([1, 2] as const)('networks of version %i', (version) => {
  const pairs = NETWORKS.flatMap((paid) => NETWORKS.map((asked) => [paid, asked] as const))

  test.each(pairs)('paid on %s, asked for on %s', async (paid, asked) => {
    const [one, other] = [await purchase(paid, version), await purchase(asked, version)]
    const honest = said(shown(version, one.payload, one.requirements), other.requirements)
    expect(honest === 'taken').toBe(paid === asked)
    // A payer that says the right network and has signed for another.
    const lying = said(shown(version, one.payload, other.requirements), other.requirements)
    const sameFamily = paid.split(':')[0] === asked.split(':')[0]
    if (paid !== asked && paid.startsWith('eip155')) expect(lying).not.toBe('taken')
    if (!sameFamily) expect(lying).not.toBe('taken')
  })

  test.each([
    'eip155:084532',
    'EIP155:84532',
    'eip155:84532 ',
    'eip155:*',
    'Base-Sepolia',
    'base_sepolia',
    'eip155:84532/erc20',
    'solana:etwtrabzayq6imfeykouru166vu2xqa1',
    'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1wv6p',
    'solana:devnet',
    'toString',
    '',
  ])('no other spelling is a network: "%s"', async (network) => {
    const { payload, requirements } = await purchase(NETWORKS[0] ?? raise(), version)
    const spelled = { ...requirements, network }
    expect(said(shown(version, payload, requirements), spelled)).not.toBe('taken')
    expect(said(shown(version, payload, spelled), requirements)).not.toBe('taken')
    expect(said(shown(version, payload, spelled), spelled)).not.toBe('taken')
  })
})

function raise(): never {
  throw new Error('no network')
}

describe('a payment that pays nobody', () => {
  const evm = 'invalid_exact_evm_recipient_mismatch'
  test.each<[string, () => Address, string]>([
    ['the payer itself', () => payer.address, evm],
    ['our own key', () => SETTLER, evm],
    ['the token', () => parsedAddress(USDC.asset), evm],
    ['nobody', () => addressFromBytes(new Uint8Array(20)), evm],
  ])('because it pays %s', async (_, receiver, reason) => {
    const { requirements } = await purchase(NETWORKS[0] ?? raise(), 2)
    const to = receiver()
    const payload = await payer.authorize({ asset: USDC, to, amount: PRICE, chainId: 84_532 })
    const asks = { ...requirements, payTo: to }
    expect(said(shown(2, payload, asks), asks)).toBe(reason)
  })

  test('because it pays nothing', async () => {
    const { requirements } = await purchase(NETWORKS[0] ?? raise(), 2)
    const payload = await payer.authorize({ asset: USDC, to: SELLER, amount: 0n, chainId: 84_532 })
    const asks = { ...requirements, amount: '0' }
    expect(said(shown(2, payload, asks), asks)).toBe('invalid_payment_requirements')
  })

  test('on Solana, to the payer, our fee payer, the mint or nobody', async () => {
    const { requirements } = await purchase(NETWORKS[3] ?? raise(), 2)
    const receivers = [
      scene.payer.address,
      scene.feePayer.address,
      requirements.asset,
      '11111111111111111111111111111111',
      'So11111111111111111111111111111111111111112',
    ]
    for (const payTo of receivers) {
      const to = parsedAddress(payTo)
      const payload = scene.payloadOf([limit(1), price(1n), scene.paying({ to })])
      const asks = { ...requirements, payTo }
      expect(said(shown(2, payload, asks), asks)).toBe(
        'invalid_exact_svm_payload_recipient_mismatch',
      )
    }
  })
})

function parsedAddress(text: string): Address {
  for (const chain of chains.values()) {
    const address = chain.parseAddress(text)
    if (address !== undefined) return address
  }
  throw new Error('no address')
}

describe('whatever a caller sends', () => {
  test('is read or refused in a word of the list, and never throws', async () => {
    const { payload, requirements } = await purchase(NETWORKS[0] ?? raise(), 2)
    const whole = {
      paymentPayload: shown(2, payload, requirements),
      paymentRequirements: requirements,
    }
    const texts = JSON.stringify(whole)
    const anything = fc.oneof(
      fc.tuple(fc.jsonValue(), fc.jsonValue()),
      // The whole, with some of its text replaced.
      fc
        .tuple(fc.nat({ max: texts.length }), fc.nat({ max: 40 }), fc.string({ maxLength: 8 }))
        .map(([at, length, more]) => partsOf(texts.slice(0, at) + more + texts.slice(at + length))),
      fc.tuple(
        fc.record({
          x402Version: fc.constantFrom(1, 2),
          payload: fc.dictionary(fc.string(), fc.jsonValue()),
        }),
        fc.constant(requirements),
      ),
    )
    const words = new Set<string>(['taken', ...REASONS])
    fc.assert(
      fc.property(anything, ([payment, asks]) => {
        expect(words.has(said(payment, asks))).toBe(true)
      }),
      { numRuns: 5_000 },
    )
  })

  function partsOf(text: string): [unknown, unknown] {
    try {
      const parsed = JSON.parse(text) as Record<string, unknown>
      return [parsed['paymentPayload'], parsed['paymentRequirements']]
    } catch {
      return [text, text]
    }
  }
})

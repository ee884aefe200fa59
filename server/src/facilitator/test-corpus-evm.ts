import { keccak256, stringToHex } from 'viem'
import { baseUnits } from '@florin/wire/amount.ts'
import type { Address } from '../chains/chain.ts'
import { addressFromBytes } from '../chains/evm/account.ts'
import type { TestChain } from '../chains/evm/test-chain.ts'
import { USDC } from '../chains/evm/test-network.ts'
import { testPayer } from '../chains/evm/test-payer.ts'
import type { AuthorizeOrder, TestPayer } from '../chains/evm/test-payer.ts'
import { fieldsOf } from '@florin/wire/x402/fields.ts'
import { changed, fieldCases, networkCases } from './test-corpus.ts'
import type { Presentation } from './test-oracle.ts'
import { EVM_SETTLER } from './test-settlers.ts'

const PRICE = 10_000n
const SELLER = addressFromBytes(new Uint8Array(20).fill(0x51))
const NOBODY = addressFromBytes(new Uint8Array(20))
/** Of secp256k1. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const SUFFIX = '6492'.repeat(16)
/** Ours is the chain's time, the reference's this machine's: what is wrong with a time is wrong by minutes. */
const now = (): bigint => BigInt(Math.floor(Date.now() / 1000))

type Version = 1 | 2
export interface EvmScene {
  /** A signed payment with whatever is wrong with it. */
  present(name: string, version: Version, order?: Order): Promise<Presentation>
  readonly twists: readonly Twist[]
}

type Order = Partial<AuthorizeOrder> & {
  readonly payer?: TestPayer
  /** What the seller asks for instead. */
  readonly asks?: Readonly<Record<string, unknown>>
  readonly extra?: unknown
}

/** One thing wrong with a payment; several can be put together. */
export interface Twist {
  readonly name: string
  order?(): Order
  change?(presentation: Presentation, version: Version): Presentation
}

export async function openEvmScene(world: TestChain): Promise<EvmScene> {
  const [rich, poor, coded, spent] = [testPayer(), testPayer(), testPayer(), testPayer()]
  await Promise.all([
    ...[rich, coded, spent].map(({ address }) => world.sandbox.fund(address, 'USDC', '100')),
    world.sandbox.fund(poor.address, 'USDC', '0.009999'),
  ])
  // A delegation as EIP-7702 writes it, to an account that accepts no signature.
  await world.rpc('anvil_setCode', coded.address, `0xef0100${'11'.repeat(20)}`)
  const usedNonce = keccak256(stringToHex('used'))
  await useUp(world, spent, usedNonce)

  const present = async (name: string, version: Version, order: Order = {}) => {
    const { payer = rich, asks = {}, extra, ...rest } = order
    const payload = await payer.authorize({ asset: USDC, to: SELLER, amount: PRICE, ...rest })
    const network = version === 1 ? 'base-sepolia' : 'eip155:84532'
    const amount = version === 1 ? { maxAmountRequired: `${PRICE}` } : { amount: `${PRICE}` }
    const requirements = {
      scheme: 'exact',
      network,
      asset: USDC.asset,
      payTo: SELLER,
      ...amount,
      maxTimeoutSeconds: 60,
      extra: extra ?? { name: 'USDC', version: '2' },
      ...asks,
    }
    const paymentPayload =
      version === 1
        ? { x402Version: 1, scheme: 'exact', network, payload }
        : { x402Version: 2, accepted: requirements, payload }
    return {
      name: `evm v${version} ${name}`,
      presented: { x402Version: version, paymentPayload, paymentRequirements: requirements },
    }
  }

  const asked = (field: string, value: unknown): Twist => ({
    name: `asks for ${field} ${String(value)}`,
    change: (base) => changed(base, ['paymentRequirements', field], [String(value), value]),
  })
  const bothTo = (name: string, to: Address): Twist => ({
    name: `pays ${name}`,
    order: () => ({ to, asks: { payTo: to } }),
  })
  const twists: readonly Twist[] = [
    { name: 'no money', order: () => ({ payer: poor }) },
    { name: 'a payer with code', order: () => ({ payer: coded }) },
    { name: 'a used nonce', order: () => ({ payer: spent, nonce: usedNonce }) },
    { name: 'a unit less', order: () => ({ amount: PRICE - 1n }) },
    { name: 'a unit more', order: () => ({ amount: PRICE + 1n }) },
    { name: 'nothing', order: () => ({ amount: 0n }) },
    { name: 'another recipient', order: () => ({ to: rich.address }) },
    { name: 'over', order: () => ({ validBefore: now() - 600n }) },
    { name: 'without an end', order: () => ({ validBefore: 2n ** 256n - 1n }) },
    { name: 'too early', order: () => ({ validAfter: now() + 900n, validBefore: now() + 1_200n }) },
    { name: 'never good', order: () => ({ validAfter: now() + 900n, validBefore: now() - 600n }) },
    { name: 'for another chain', order: () => ({ chainId: 8_453 }) },
    {
      name: 'another name, signed and asked for',
      order: () => ({
        domain: { name: 'USD Coin', version: '2' },
        extra: { name: 'USD Coin', version: '2' },
      }),
    },
    {
      name: 'another version, signed and asked for',
      order: () => ({
        domain: { name: 'USDC', version: '1' },
        extra: { name: 'USDC', version: '1' },
      }),
    },
    { name: 'no domain', order: () => ({ extra: {} }) },
    { name: 'half a domain', order: () => ({ extra: { name: 'USDC' } }) },
    { name: 'a domain that is no text', order: () => ({ extra: { name: 7, version: 2 } }) },
    {
      name: 'more beside the domain',
      order: () => ({ extra: { name: 'USDC', version: '2', x: 1 } }),
    },
    bothTo('the token', USDC.asset as Address),
    bothTo('nobody', NOBODY),
    bothTo('the payer', rich.address),
    bothTo('the settler', EVM_SETTLER as string as Address),
    asked('scheme', 'upto'),
    asked('asset', SELLER),
    asked('asset', USDC.asset.toLowerCase()),
    asked('asset', 'native'),
    asked('payTo', SELLER.toLowerCase()),
    asked('payTo', `0x${SELLER.slice(2).toUpperCase()}`),
    asked('payTo', SELLER.slice(2)),
    asked('payTo', rich.address),
    asked('payTo', '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU'),
    {
      name: 'asks for nothing',
      order: () => ({ amount: 0n, asks: { amount: '0', maxAmountRequired: '0' } }),
    },
    {
      name: 'two names of the chain',
      change: (base) =>
        changed(base, ['paymentRequirements', 'network'], ['its id', 'eip155:84532']),
    },
    {
      name: 'all lower case',
      change: (base) => spelled(base, (text) => text.toLowerCase()),
    },
    {
      name: 'all upper case',
      change: (base) => spelled(base, (text) => `0x${text.slice(2).toUpperCase()}`),
    },
    {
      name: 'a checksum that is wrong',
      change: (base) => spelled(base, swappedCase),
    },
    signed('v of 0 or 1', (rs, v) => `${rs}${v === '1b' ? '00' : '01'}`),
    signed('high s', (rs, v) => {
      const high = (ORDER - BigInt(`0x${rs.slice(64)}`)).toString(16).padStart(64, '0')
      return `${rs.slice(0, 64)}${high}${v === '1b' ? '1c' : '1b'}`
    }),
    signed('the other v', (rs, v) => `${rs}${v === '1b' ? '1c' : '1b'}`),
    signed('v of 29', (rs) => `${rs}1d`),
    signed('compact', (rs) => rs),
    signed('a byte too many', (rs, v) => `${rs}${v}00`),
    signed('all zeros', () => '00'.repeat(65)),
    signed('empty', () => ''),
    signed('an odd digit', (rs, v) => `${rs}${v}0`),
    signed('in upper case', (rs, v) => `${rs}${v}`.toUpperCase()),
    signed('wrapped for an account to be made', (rs, v) => wrapped(`${rs}${v}`)),
    signed('ending as if it were wrapped', (rs, v) => `${rs}${v}${SUFFIX}`),
    {
      name: 'fields that nobody knows',
      change: (base) => changed(base, ['paymentPayload', 'payload', 'more'], ['', { a: 1 }]),
    },
    {
      name: 'paid on another network',
      change: (base, version) =>
        changed(
          base,
          ['paymentPayload', ...(version === 1 ? [] : ['accepted']), 'network'],
          ['another', version === 1 ? 'base' : 'eip155:8453'],
        ),
    },
    {
      name: 'no version beside it',
      change: ({ name, presented }) => {
        const { paymentPayload, paymentRequirements } = presented
        return { name, presented: { paymentPayload, paymentRequirements } }
      },
    },
  ]
  return { present, twists }
}

const SIGNATURE = ['paymentPayload', 'payload', 'signature']
const AUTHORIZATION = ['paymentPayload', 'payload', 'authorization']

function payloadOf({ presented }: Presentation): Readonly<Record<string, unknown>> {
  return fieldsOf(fieldsOf(presented.paymentPayload)?.['payload']) ?? {}
}

/** Writes the signature anew: 64 bytes of r and s, and v, as hex digits. */
function signed(name: string, write: (rs: string, v: string) => string): Twist {
  return {
    name: `a signature ${name}`,
    change: (base) => {
      const digits = String(payloadOf(base)['signature']).slice(2)
      // Another twist has been here: what it left is no signature that could be written anew.
      if (!/^[0-9a-f]{130}$/i.test(digits)) return base
      return changed(base, SIGNATURE, [name, `0x${write(digits.slice(0, 128), digits.slice(128))}`])
    },
  }
}

function spelled(base: Presentation, spell: (text: string) => string): Presentation {
  const authorization = fieldsOf(payloadOf(base)['authorization']) ?? {}
  return ['from', 'to'].reduce(
    (before, field) =>
      changed(before, [...AUTHORIZATION, field], ['spelled', spell(String(authorization[field]))]),
    base,
  )
}

function swappedCase(text: string): string {
  const swap = (letter: string): string =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()
  return `0x${Array.from(text.slice(2), swap).join('')}`
}

/** ERC-6492: a factory, what to call it with, and the signature; then the mark. */
function wrapped(signature: string): string {
  const word = (value: number | string): string => value.toString().padStart(64, '0')
  const bytes = (digits: string): string =>
    word((digits.length / 2).toString(16)) + digits.padEnd(Math.ceil(digits.length / 64) * 64, '0')
  const call = 'deadbeef'
  const head = word(USDC.asset.slice(2).toLowerCase()) + word('60') + word('a0')
  return `${head}${bytes(call)}${bytes(signature)}${SUFFIX}`
}

async function useUp(world: TestChain, payer: TestPayer, nonce: `0x${string}`): Promise<void> {
  const { exact } = world.chain
  const settler = await world.wallet(['native', '2'])
  const payload = await payer.authorize({ asset: USDC, to: SELLER, amount: 1n, nonce })
  const extra = { name: 'USDC', version: '2' }
  const demand = {
    asset: USDC,
    payTo: SELLER,
    amount: baseUnits(1n),
    extra,
    settlers: new Set<Address>(),
  }
  const read = exact?.read(payload, demand)
  if (read?.ok !== true) throw new Error(read?.reason)
  const drafted = await exact?.draft(read.authorization, settler.address)
  if (drafted?.ok !== true) throw new Error(drafted?.reason)
  const signedBytes = await world.chain.sign(
    drafted.draft.terms,
    drafted.draft.laneLatest,
    settler.signer,
  )
  await world.chain.broadcast([signedBytes.raw])
  await world.sandbox.mine()
}

/** Every field in every wrong form, every network, every twist alone. */
export async function evmCases(scene: EvmScene): Promise<Presentation[]> {
  const own = [
    ...['from', 'to', 'value', 'validAfter', 'validBefore', 'nonce'].map((field) => [
      ...AUTHORIZATION,
      field,
    ]),
    AUTHORIZATION,
    SIGNATURE,
    ['paymentRequirements', 'extra', 'name'],
    ['paymentRequirements', 'extra', 'version'],
  ]
  const cases: Presentation[] = []
  for (const version of [1, 2] as const) {
    const base = await scene.present('plain', version)
    cases.push(base, ...fieldCases(base, version, own), ...networkCases(base, version))
    for (const twist of scene.twists) cases.push(await evmTwisted(scene, version, [twist]))
  }
  return cases
}

export async function evmTwisted(
  scene: EvmScene,
  version: Version,
  twists: readonly Twist[],
): Promise<Presentation> {
  const name = twists.map((twist) => twist.name).join(' + ')
  const orders = twists.map((twist) => twist.order?.() ?? {})
  const asks: Record<string, unknown> = Object.assign({}, ...orders.map((one) => one.asks))
  const order: Order = Object.assign({}, ...orders, { asks })
  const base = await scene.present(name, version, order)
  return twists.reduce((before, twist) => twist.change?.(before, version) ?? before, base)
}

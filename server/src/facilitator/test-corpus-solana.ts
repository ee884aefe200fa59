import { knownAddress } from '../chains/solana/account.ts'
import {
  ASSOCIATED_TOKEN_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
} from '../chains/solana/programs.ts'
import type { TestChain } from '../chains/solana/test-chain.ts'
import { NETWORK, USDC } from '../chains/solana/test-network.ts'
import {
  assertion,
  limit,
  memo,
  messageOf,
  newKey,
  PRICE,
  price,
  sealed,
  transfer,
} from '../chains/solana/test-payment.ts'
import type { Key, MessageOptions, Paying, Step } from '../chains/solana/test-payment.ts'
import { fieldCases, networkCases } from './test-corpus.ts'
import type { Presentation } from './test-oracle.ts'
import { SOLANA_SETTLER } from './test-settlers.ts'

type Version = 1 | 2

/** What a payment is made of before it is compiled, signed and presented. */
interface Draft {
  readonly payer: Key
  readonly paying: Partial<Paying>
  readonly steps: readonly Step[]
  readonly keys: readonly Key[]
  readonly feePayer: Key
  readonly options: Partial<MessageOptions>
  readonly asks: Readonly<Record<string, unknown>>
  readonly extra: Readonly<Record<string, unknown>>
}

/** One thing wrong with a payment; several can be put together. */
export interface SolanaTwist {
  readonly name: string
  draft?(draft: Draft): Draft
  bytes?(bytes: Buffer): Uint8Array
  text?(text: string): string
}

export interface SolanaScene {
  present(name: string, version: Version, twists?: readonly SolanaTwist[]): Promise<Presentation>
  readonly twists: readonly SolanaTwist[]
}

export async function openSolanaScene(world: TestChain): Promise<SolanaScene> {
  const [rich, poor, seller, stranger, third] = [newKey(), newKey(), newKey(), newKey(), newKey()]
  const { sandbox } = world
  await Promise.all([
    sandbox.fund(rich.address, 'USDC', '1000'),
    sandbox.fund(poor.address, 'USDC', '0.1'),
    sandbox.fund(seller.address, 'USDC', '1'),
    sandbox.fund(SOLANA_SETTLER.address),
  ])

  const present = async (name: string, version: Version, twists: readonly SolanaTwist[] = []) => {
    const latest = await world.rpc('getLatestBlockhash', { commitment: 'confirmed' })
    const { blockhash } = (latest as { value: { blockhash: string } }).value
    const plain: Draft = {
      payer: rich,
      paying: {},
      steps: [limit(30_000), price(1n)],
      keys: [],
      feePayer: SOLANA_SETTLER,
      options: { blockhash: knownAddress(blockhash) },
      asks: {},
      extra: {},
    }
    const draft = twists.reduce((before, twist) => twist.draft?.(before) ?? before, plain)
    const { payer, paying, steps, options, keys, asks } = draft
    const moving = transfer({ from: payer.address, to: seller.address, ...paying })
    const all = [...steps.slice(0, 2), moving, ...steps.slice(2)]
    const message = messageOf(draft.feePayer.address, all, {
      blockhash: knownAddress(blockhash),
      ...options,
    })
    const whole = twists.reduce(
      (bytes, twist) => twist.bytes?.(Buffer.from(bytes)) ?? bytes,
      sealed(message, [payer, ...keys]),
    )
    const transaction = twists.reduce(
      (text, twist) => twist.text?.(text) ?? text,
      Buffer.from(whole).toString('base64'),
    )
    const network = version === 1 ? 'solana-devnet' : 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1'
    const requirements = {
      scheme: 'exact',
      network,
      asset: USDC.asset,
      payTo: seller.address,
      ...(version === 1 ? { maxAmountRequired: `${PRICE}` } : { amount: `${PRICE}` }),
      maxTimeoutSeconds: 60,
      extra: { feePayer: SOLANA_SETTLER.address, ...draft.extra },
      ...asks,
    }
    const payload = { transaction }
    const paymentPayload =
      version === 1
        ? { x402Version: 1, scheme: 'exact', network, payload }
        : { x402Version: 2, accepted: requirements, payload }
    return {
      name: `solana v${version} ${name}`,
      presented: { x402Version: version, paymentPayload, paymentRequirements: requirements },
    }
  }

  const guard = () => assertion({ address: rich.address })
  const behind = (name: string, ...more: readonly Step[]): SolanaTwist => ({
    name,
    draft: (draft) => ({ ...draft, steps: [...draft.steps, ...more] }),
  })
  const budget = (name: string, ...steps: readonly Step[]): SolanaTwist => ({
    name,
    draft: (draft) => ({ ...draft, steps: [...steps, ...draft.steps.slice(2)] }),
  })
  const pays = (name: string, paying: Partial<Paying>): SolanaTwist => ({
    name,
    draft: (draft) => ({ ...draft, paying: { ...draft.paying, ...paying } }),
  })
  const asks = (name: string, asked: Readonly<Record<string, unknown>>): SolanaTwist => ({
    name,
    draft: (draft) => ({ ...draft, asks: { ...draft.asks, ...asked } }),
  })
  const wants = (name: string, extra: Readonly<Record<string, unknown>>): SolanaTwist => ({
    name,
    draft: (draft) => ({ ...draft, extra: { ...draft.extra, ...extra } }),
  })
  const both = (one: SolanaTwist, other: SolanaTwist): SolanaTwist => ({
    name: `${one.name}, ${other.name}`,
    draft: (draft) => other.draft?.(one.draft?.(draft) ?? draft) ?? draft,
  })
  const flip = (name: string, at: (bytes: Buffer) => number): SolanaTwist => ({
    name,
    bytes: (bytes) => {
      const index = at(bytes)
      if (index < 0 || index >= bytes.length) return bytes
      bytes[index] = (bytes[index] ?? 0) ^ 1
      return bytes
    },
  })
  const long = 'é'.repeat(128)
  const longer = (step: Step): Step => ({ ...step, data: Buffer.concat([step.data, Buffer.of(0)]) })
  const system: Step = {
    program: SYSTEM_PROGRAM,
    accounts: [
      { address: rich.address, signs: true, writes: true },
      { address: stranger.address, writes: true },
    ],
    data: Uint8Array.of(2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0),
  }
  const creation: Step = { program: ASSOCIATED_TOKEN_PROGRAM, accounts: [], data: Uint8Array.of(1) }
  const ours = { address: SOLANA_SETTLER.address }

  const twists: readonly SolanaTwist[] = [
    { name: 'no money', draft: (draft) => ({ ...draft, payer: poor }) },
    pays('a unit less', { amount: PRICE - 1n }),
    pays('a unit more', { amount: PRICE + 1n }),
    pays('nothing', { amount: 0n }),
    pays('other decimals', { decimals: 9 }),
    pays('another mint', { mint: stranger.address }),
    pays('a stranger', { to: stranger.address }),
    pays('the seller and no account of it', { destination: seller.address }),
    pays('through another token program', { program: TOKEN_2022_PROGRAM }),
    { name: 'our own money', draft: (draft) => ({ ...draft, payer: SOLANA_SETTLER }) },
    {
      name: 'nobody has signed',
      draft: (draft) => ({ ...draft, payer: { ...rich, secret: third.secret } }),
    },
    { name: 'another fee payer', draft: (draft) => ({ ...draft, feePayer: third, keys: [third] }) },
    behind('a third signer', assertion({ address: third.address, signs: true })),
    both(behind('a third signer who signed', assertion({ address: third.address, signs: true })), {
      name: 'with a key',
      draft: (draft) => ({ ...draft, keys: [third] }),
    }),
    behind('a memo', memo('a1b2')),
    behind('three assertions', guard(), guard(), guard()),
    behind('three assertions and a memo', guard(), guard(), guard(), memo('x')),
    behind('five assertions', guard(), guard(), guard(), guard(), guard()),
    behind('an assertion that names us', assertion(ours)),
    behind('a memo that names us', { ...memo('x'), accounts: [ours] }),
    behind('lamports', system),
    behind('lamports fifth', memo('x'), system),
    behind('lamports sixth', memo('x'), memo('y'), system),
    behind('lamports seventh', memo('x'), memo('y'), memo('z'), system),
    behind('an account that is made', creation),
    behind('a second transfer', transfer({ from: rich.address, to: seller.address })),
    behind('another limit', limit(1)),
    budget('no budget'),
    budget('a limit alone', limit(30_000)),
    budget('the wrong way round', price(1n), limit(30_000)),
    budget('a limit of 200,000', limit(200_000), price(1n)),
    budget('a limit of 200,001', limit(200_001), price(1n)),
    budget('a limit too low', limit(10), price(1n)),
    budget('a price of 250,001', limit(200_000), price(250_001n)),
    budget('a price of 5,000,000', limit(10_000), price(5_000_000n)),
    budget('a price of 5,000,001', limit(9_000), price(5_000_001n)),
    budget('a limit with more', longer(limit(30_000)), price(1n)),
    budget('a price with more', limit(30_000), longer(price(1n))),
    budget(
      'a limit with an account',
      { ...limit(30_000), accounts: [{ address: rich.address }] },
      price(1n),
    ),
    budget('a limit without data', { ...limit(1), data: new Uint8Array() }, price(1n)),
    budget(
      'a nonce first',
      { ...system, data: Uint8Array.of(4, 0, 0, 0) },
      limit(30_000),
      price(1n),
    ),
    wants('the memo "a"', { memo: 'a' }),
    both(behind('the memo "a"', memo('a')), wants('asked for', { memo: 'a' })),
    both(behind('the memo "b"', memo('b')), wants('while "a" is asked for', { memo: 'a' })),
    both(behind('the memo twice', memo('a'), memo('a')), wants('asked for once', { memo: 'a' })),
    both(
      behind('a mark of order before the memo', memo('\ufeffa')),
      wants('asked for', { memo: 'a' }),
    ),
    both(
      behind('a memo that is no UTF-8', memo(Uint8Array.of(0xff))),
      wants('asked for', { memo: '\ufffd' }),
    ),
    both(behind('a memo of 256 bytes', memo(long)), wants('asked for', { memo: long })),
    both(behind('a memo of 257 bytes', memo(`${long}x`)), wants('asked for', { memo: `${long}x` })),
    wants('an empty memo', { memo: '' }),
    wants('a memo that is null', { memo: null }),
    wants('a memo that is false', { memo: false }),
    wants('a memo that is a number', { memo: 7 }),
    wants('a stranger for a fee payer', { feePayer: stranger.address }),
    wants('a fee payer that is no address', { feePayer: 'me' }),
    wants('no fee payer', { feePayer: undefined }),
    wants('an empty fee payer', { feePayer: '' }),
    wants('a fee payer that is no text', { feePayer: 7 }),
    wants('a fee payer of five thousand letters', { feePayer: 'x'.repeat(5_000) }),
    wants('more', { more: 1 }),
    asks('for another scheme', { scheme: 'upto' }),
    asks('for another asset', { asset: stranger.address }),
    asks('for the coin', { asset: 'native' }),
    asks('for another recipient', { payTo: stranger.address }),
    asks('for the payer', { payTo: rich.address }),
    both(pays('the payer', { to: rich.address }), asks('for the payer', { payTo: rich.address })),
    asks('for us', { payTo: SOLANA_SETTLER.address }),
    asks('for an address of the other family', { payTo: `0x${'51'.repeat(20)}` }),
    asks('for nothing', { amount: '0', maxAmountRequired: '0' }),
    asks('on the chain by its id', { network: NETWORK ?? '' }),
    asks('for the mint', { payTo: USDC.asset }),
    both(pays('the system', { to: SYSTEM_PROGRAM }), asks('for it', { payTo: SYSTEM_PROGRAM })),
    {
      name: 'legacy',
      draft: (draft) => ({ ...draft, options: { ...draft.options, legacy: true } }),
    },
    {
      name: 'an unknown blockhash',
      draft: (draft) => ({ ...draft, options: { ...draft.options, blockhash: stranger.address } }),
    },
    {
      name: 'a lookup table',
      draft: (draft) => ({
        ...draft,
        options: { ...draft.options, tables: [{ table: stranger.address, entries: [0] }] },
      }),
    },
    { name: 'a byte behind', bytes: (bytes) => Buffer.concat([bytes, Buffer.of(0)]) },
    { name: 'a byte too few', bytes: (bytes) => bytes.subarray(0, -1) },
    { name: 'nothing at all', bytes: () => Buffer.alloc(0) },
    { name: 'random bytes', bytes: (bytes) => Buffer.alloc(bytes.length, 0xab) },
    { name: 'two kilobytes', bytes: (bytes) => Buffer.concat([bytes, Buffer.alloc(2_048)]) },
    {
      name: 'our place filled',
      bytes: (bytes) => (bytes.length < 65 ? bytes : bytes.fill(7, 1, 65)),
    },
    flip('a bit of the signature', () => 70),
    flip('a bit of the version', () => 129),
    flip('a bit of the number of signers', () => 130),
    flip('a bit of the fee payer', () => 140),
    flip('a bit of the end', (bytes) => bytes.length - 1),
    flip('a bit of the amount', (bytes) => bytes.length - 9),
    { name: 'without padding', text: (text) => text.replace(/=+$/, '') },
    { name: 'for URLs', text: (text) => text.replaceAll('+', '-').replaceAll('/', '_') },
    { name: 'a space before', text: (text) => ` ${text}` },
    { name: 'a line’s end', text: (text) => `${text}\n` },
    { name: 'a letter that is none', text: (text) => `${text.slice(0, 40)}!${text.slice(41)}` },
  ]
  return { present, twists }
}

/** Every field in every wrong form, every network, every twist alone. */
export async function solanaCases(scene: SolanaScene): Promise<Presentation[]> {
  const own = [
    ['paymentPayload', 'payload', 'transaction'],
    ['paymentRequirements', 'extra', 'feePayer'],
    ['paymentRequirements', 'extra', 'memo'],
  ]
  const cases: Presentation[] = []
  for (const version of [1, 2] as const) {
    const base = await scene.present('plain', version)
    cases.push(base, ...fieldCases(base, version, own), ...networkCases(base, version))
    for (const twist of scene.twists) cases.push(await solanaTwisted(scene, version, [twist]))
  }
  return cases
}

export async function solanaTwisted(
  scene: SolanaScene,
  version: Version,
  twists: readonly SolanaTwist[],
): Promise<Presentation> {
  const name = twists.map((twist) => twist.name).join(' + ')
  return scene.present(name, version, twists)
}

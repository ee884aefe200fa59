import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Address } from '../chain.ts'
import { addressBytes, knownAddress } from './account.ts'
import { startTestChain } from './test-chain.ts'
import type { TestChain, TestWallet } from './test-chain.ts'
import {
  accountOf,
  AMOUNT,
  DECIMALS,
  makeMint,
  mintProfile,
  OWNER,
  paymentIn,
  readonly,
  seeded,
  SELLER,
  token,
  u64,
  writable,
} from './test-token-2022.ts'
import type { MintExtension } from './test-token-2022.ts'

const key = (address: Address) => Buffer.from(addressBytes(address))
/** A program that is there and knows nothing of transfers. */
const NO_HOOK = knownAddress('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr')

/** Extensions of a mint that can take a payment back, hold it up or bend it; the operator listed the mint all the same. */
const mintsOf = (thief: Address) =>
  ({
    BOUND: { bytes: 0, begin: Buffer.from([32]) },
    FROZEN: { bytes: 1, begin: Buffer.from([28, 0, 2]) },
    HOOKED: { bytes: 64, begin: Buffer.concat([Buffer.from([36, 0]), key(OWNER), key(NO_HOOK)]) },
    PAUSED: { bytes: 33, begin: Buffer.concat([Buffer.from([44, 0]), key(OWNER)]) },
    CLAWED: { bytes: 32, begin: Buffer.concat([Buffer.from([35]), key(thief)]) },
    GROWING: {
      bytes: 52,
      begin: Buffer.concat([Buffer.from([33, 0]), key(OWNER), Buffer.from([0xff, 0x7f])]),
    },
  }) satisfies Record<string, MintExtension>
type Symbol = keyof ReturnType<typeof mintsOf>
const SYMBOLS = [
  'BOUND',
  'FROZEN',
  'HOOKED',
  'PAUSED',
  'CLAWED',
  'GROWING',
] as const satisfies readonly Symbol[]

let world: TestChain
let sender: TestWallet
let settler: TestWallet
/** Who may move everybody's tokens of one of the mints. */
let thief: TestWallet
beforeAll(async () => {
  world = await startTestChain(...SYMBOLS.map(mintProfile))
  sender = await world.wallet(['native', '100'])
  if (sender.address !== OWNER) throw new Error('the mints are made from another wallet')
  settler = await world.wallet(['native', '1'])
  thief = await world.wallet(['native', '1'])
  const extensions = mintsOf(thief.address)
  for (const symbol of SYMBOLS) {
    await makeMint(world, sender, symbol, {
      extension: extensions[symbol],
      thaws: symbol === 'FROZEN',
    })
  }
})
afterAll(async () => {
  await world.sandbox.stop()
})

const exact = () => {
  if (world.chain.exact === undefined) throw new Error('the chain has exact')
  return world.chain.exact
}
const held = async (owner: Address, symbol: Symbol) =>
  (await world.chain.balances(owner, [mintProfile(symbol)])).amounts[0]
const lamportsOf = async (owner: Address) => {
  const native = world.chain.config.assets.filter(({ asset }) => asset === 'native')
  const [lamports] = (await world.chain.balances(owner, native)).amounts
  if (lamports === undefined) throw new Error('the network has a native currency')
  return lamports
}

/** Nothing is signed for it, so it costs the service nothing. */
async function expectRefused(symbol: Symbol): Promise<void> {
  const authorization = await paymentIn(world, sender, settler, symbol)
  const before = await lamportsOf(settler.address)
  const refused = {
    ok: false,
    reason: expect.stringMatching(/^(invalid_exact_svm_|transaction_)\w+$/),
  }
  expect(await exact().check(authorization)).toMatchObject(refused)
  expect(await exact().draft(authorization, settler.address)).toMatchObject(refused)
  expect(await lamportsOf(settler.address)).toBe(before)
  expect(await held(SELLER, symbol)).toBe(0n)
}

async function expectPaid(symbol: Symbol): Promise<void> {
  const authorization = await paymentIn(world, sender, settler, symbol)
  const before = (await held(SELLER, symbol)) ?? 0n
  expect(await exact().check(authorization)).toEqual({ ok: true })
  const drafted = await exact().draft(authorization, settler.address)
  if (drafted.ok !== true) throw new Error(drafted.reason)
  const signed = await world.chain.sign(drafted.draft.terms, 0n, settler.signer)
  await world.chain.broadcast([signed.raw])
  expect(await world.mined(signed.hash)).toMatchObject({
    succeeded: true,
    transfers: [{ asset: seeded(symbol), from: OWNER, to: SELLER, amount: AMOUNT }],
  })
  expect(await held(SELLER, symbol)).toBe(before + AMOUNT)
}

describe('a payment in a listed mint of Token-2022', () => {
  test('whose tokens stay where they are is refused', () => expectRefused('BOUND'))
  test('whose accounts begin frozen is refused', () => expectRefused('FROZEN'))
  test('whose transfers call a program that is no hook is refused', () => expectRefused('HOOKED'))
  test('that bears interest moves the base units that were signed', () => expectPaid('GROWING'))

  test('that can be paused is taken while it is not, and refused once it is, after a verify that was good', async () => {
    await expectPaid('PAUSED')
    const authorization = await paymentIn(world, sender, settler, 'PAUSED')
    expect(await exact().check(authorization)).toEqual({ ok: true })
    const mint = writable(seeded('PAUSED'))
    await world.run(sender, [token([mint, readonly(OWNER)], Buffer.from([44, 1]))])
    expect(await exact().draft(authorization, settler.address)).toMatchObject({ ok: false })
    expect(await held(SELLER, 'PAUSED')).toBe(AMOUNT)
  })

  test('whose delegate takes the payer’s money after the verify is refused at the settle', async () => {
    await expectPaid('CLAWED')
    const authorization = await paymentIn(world, sender, settler, 'CLAWED')
    expect(await exact().check(authorization)).toEqual({ ok: true })
    const left = (await held(OWNER, 'CLAWED')) ?? 0n
    const [from, to] = [accountOf(OWNER, 'CLAWED'), accountOf(SELLER, 'CLAWED')]
    const accounts = [writable(from), readonly(seeded('CLAWED')), writable(to)]
    const move = [Buffer.from([12]), u64(left), Buffer.from([DECIMALS])]
    await world.run(thief, [token([...accounts, readonly(thief.address)], ...move)])
    expect(await exact().draft(authorization, settler.address)).toMatchObject({ ok: false })
  })
})

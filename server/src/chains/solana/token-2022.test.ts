import { createHash } from 'node:crypto'
import { baseUnits } from '@florin/wire/amount.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AssetProfile } from '../../kernel/network-config.ts'
import type { Address } from '../chain.ts'
import type { ExactAuthorization } from '../exact.ts'
import { addressBytes, addressFromBytes, knownAddress } from './account.ts'
import { addressOfPrivateKey } from './ed25519.ts'
import type { Instruction } from './message.ts'
import { ASSOCIATED_TOKEN_PROGRAM, SYSTEM_PROGRAM, TOKEN_2022_PROGRAM } from './programs.ts'
import { order, startTestChain } from './test-chain.ts'
import type { TestChain, TestWallet } from './test-chain.ts'
import { limit, messageOf, newKey, price, sealed, transfer } from './test-payment.ts'
import { associatedAccount } from './token-account.ts'

const DECIMALS = 6
/** The first wallet of a test chain; mints are at addresses made from it, so that they can be configured before they exist. */
const OWNER = addressOfPrivateKey(new Uint8Array(createHash('sha256').update('test 1').digest()))
const seeded = (seed: string): Address => {
  const hash = createHash('sha256')
  for (const part of [addressBytes(OWNER), Buffer.from(seed), addressBytes(TOKEN_2022_PROGRAM)]) {
    hash.update(part)
  }
  return addressFromBytes(new Uint8Array(hash.digest()))
}
const asset = (symbol: string): AssetProfile => ({
  symbol,
  asset: seeded(symbol),
  decimals: DECIMALS,
  takesCommitment: true,
})
/** One with nothing extra, one that keeps a part, one that wants a fee of zero for now. */
const [PLAIN, GREEDY, FREE] = [asset('PLAIN'), asset('GREEDY'), asset('FREE')]

let world: TestChain
let sender: TestWallet
beforeAll(async () => {
  world = await startTestChain(PLAIN, GREEDY, FREE)
  sender = await world.wallet(['native', '100'])
  if (sender.address !== OWNER) throw new Error('the mints are made from another wallet')
  await makeMint(PLAIN)
  await makeMint(GREEDY, 100)
  await makeMint(FREE, 0)
})
afterAll(async () => {
  await world.sandbox.stop()
})

const u64 = (value: bigint): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(value)
  return bytes
}
const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
const u16 = (value: number): Buffer => Buffer.from([value & 0xff, value >> 8])
const writable = (address: Address) => ({ address, isWritable: true })
const readonly = (address: Address) => ({ address, isWritable: false })
const token = (accounts: Instruction['accounts'], ...data: readonly Buffer[]): Instruction => ({
  program: TOKEN_2022_PROGRAM,
  accounts,
  data: Buffer.concat(data),
})

/** Makes a mint with a million tokens for the sender; with basis points, one that keeps that share of each transfer. */
async function makeMint({ symbol }: AssetProfile, points?: number): Promise<void> {
  const mint = seeded(symbol)
  const seed = Buffer.from(symbol)
  const space = points === undefined ? 82n : 278n
  const create: Instruction = {
    program: SYSTEM_PROGRAM,
    accounts: [writable(OWNER), writable(mint)],
    data: Buffer.concat([
      u32(3),
      addressBytes(OWNER),
      u64(BigInt(seed.length)),
      seed,
      u64(10n ** 7n),
      u64(space),
      addressBytes(TOKEN_2022_PROGRAM),
    ]),
  }
  const none = Buffer.from([0])
  const fee =
    points === undefined
      ? []
      : [token([writable(mint)], Buffer.from([26, 0]), none, none, u16(points), u64(10n ** 12n))]
  const begin = token(
    [writable(mint)],
    Buffer.from([20, DECIMALS]),
    Buffer.from(addressBytes(OWNER)),
    none,
  )
  const own = associatedAccount(OWNER, TOKEN_2022_PROGRAM, mint).address
  const open: Instruction = {
    program: ASSOCIATED_TOKEN_PROGRAM,
    accounts: [
      writable(OWNER),
      writable(own),
      readonly(OWNER),
      readonly(mint),
      readonly(SYSTEM_PROGRAM),
      readonly(TOKEN_2022_PROGRAM),
    ],
    data: Buffer.from([1]),
  }
  const give = token(
    [writable(mint), writable(own), readonly(OWNER)],
    Buffer.from([7]),
    u64(10n ** 12n),
  )
  await world.run(sender, [create, ...fee, begin, open, give])
}

test.each([PLAIN, FREE])('a token of Token-2022 arrives whole: $symbol', async (profile) => {
  const recipient = (await world.wallet()).address
  for (const amount of [5_000_000n, 7n]) {
    const drafted = await world.draft(order(sender, recipient, amount, profile))
    const signed = await world.chain.sign(drafted.terms, 0n, sender.signer)
    await world.chain.broadcast([signed.raw])
    const outcome = await world.mined(signed.hash)
    expect(outcome).toMatchObject({
      succeeded: true,
      transfers: [{ asset: profile.asset, from: OWNER, to: recipient, amount }],
    })
    expect(outcome.feePaid).toBeLessThanOrEqual(drafted.feeCeiling)
    // The rent that was held for the new account is what it took, to the lamport.
    expect(drafted.feeCeiling - outcome.feePaid).toBeLessThan(1_000n)
  }
  expect((await world.chain.balances(recipient, [profile])).amounts).toEqual([5_000_007n])
})

test('a token that keeps a part of each transfer is refused', async () => {
  const recipient = (await world.wallet()).address
  expect(await world.chain.draft(order(sender, recipient, 5_000_000n, GREEDY))).toEqual({
    ok: false,
    refusal: 'recipient_refuses',
  })
})

test('what arrived of one that keeps a part is what the recipient got', async () => {
  const mint = seeded('GREEDY')
  const recipient = (await world.wallet()).address
  const [from, to] = [OWNER, recipient].map(
    (owner) => associatedAccount(owner, TOKEN_2022_PROGRAM, mint).address,
  )
  if (from === undefined || to === undefined) throw new Error('two accounts were found')
  const move = token(
    [writable(from), readonly(mint), writable(to), readonly(OWNER)],
    Buffer.from([12]),
    u64(1_000_000n),
    Buffer.from([DECIMALS]),
  )
  const open: Instruction = {
    program: ASSOCIATED_TOKEN_PROGRAM,
    accounts: [
      writable(OWNER),
      writable(to),
      readonly(recipient),
      readonly(mint),
      readonly(SYSTEM_PROGRAM),
      readonly(TOKEN_2022_PROGRAM),
    ],
    data: Buffer.from([1]),
  }
  const { transfers } = await world.run(sender, [open, move])
  expect(transfers).toEqual([
    { asset: mint, from: OWNER, to: recipient, amount: 990_000n, logIndex: 1 },
  ])
})

describe('an x402 payment', () => {
  const SELLER = addressOfPrivateKey(new Uint8Array(32).fill(0x5e))
  const AMOUNT = 1_000_000n
  let settler: TestWallet
  beforeAll(async () => {
    settler = await world.wallet(['native', '1'])
  })

  /** Read from bytes that the sender, who is the payer, has signed; the seller's account is there. */
  async function paymentIn({ symbol }: AssetProfile): Promise<ExactAuthorization> {
    const mint = seeded(symbol)
    const to = associatedAccount(SELLER, TOKEN_2022_PROGRAM, mint).address
    const open: Instruction = {
      program: ASSOCIATED_TOKEN_PROGRAM,
      accounts: [
        writable(OWNER),
        writable(to),
        readonly(SELLER),
        readonly(mint),
        readonly(SYSTEM_PROGRAM),
        readonly(TOKEN_2022_PROGRAM),
      ],
      data: Buffer.from([1]),
    }
    await world.run(sender, [open])
    const paying = { from: OWNER, to: SELLER, amount: AMOUNT, decimals: DECIMALS, mint }
    const steps = [limit(60_000), price(1n), transfer({ ...paying, program: TOKEN_2022_PROGRAM })]
    const latest = await world.rpc('getLatestBlockhash', { commitment: 'confirmed' })
    const blockhash = knownAddress((latest as { value: { blockhash: string } }).value.blockhash)
    const message = messageOf(settler.address, steps, { blockhash })
    const key = newKey(new Uint8Array(createHash('sha256').update('test 1').digest()))
    const read = world.chain.exact?.read(
      { transaction: Buffer.from(sealed(message, [key])).toString('base64') },
      {
        asset: asset(symbol),
        payTo: SELLER,
        amount: baseUnits(AMOUNT),
        extra: { feePayer: settler.address },
        settlers: new Set([settler.address]),
      },
    )
    if (read?.ok !== true) throw new Error(read?.reason)
    return read.authorization
  }

  test.each([PLAIN, FREE])('in a token of Token-2022 arrives whole: $symbol', async (profile) => {
    const authorization = await paymentIn(profile)
    expect(await world.chain.exact?.check(authorization)).toEqual({ ok: true })
    const drafted = await world.chain.exact?.draft(authorization, settler.address)
    if (drafted?.ok !== true) throw new Error(drafted?.reason)
    const signed = await world.chain.sign(drafted.draft.terms, 0n, settler.signer)
    await world.chain.broadcast([signed.raw])
    expect(await world.mined(signed.hash)).toMatchObject({
      succeeded: true,
      transfers: [{ asset: profile.asset, from: OWNER, to: SELLER, amount: AMOUNT }],
    })
  })

  test('in one that keeps a part is refused, though the chain would take it', async () => {
    const authorization = await paymentIn(GREEDY)
    const refused = { ok: false, reason: 'invalid_exact_svm_payload_amount_mismatch' }
    expect(await world.chain.exact?.check(authorization)).toMatchObject(refused)
    expect(await world.chain.exact?.draft(authorization, settler.address)).toMatchObject(refused)
  })
})

test('a recipient that wants a memo before each transfer is refused, and pays nothing for it', async () => {
  const recipient = await world.wallet(['native', '1'])
  const own = associatedAccount(recipient.address, TOKEN_2022_PROGRAM, seeded('PLAIN')).address
  const pays = async (): Promise<unknown> =>
    await world.chain.draft(order(sender, recipient.address, 1n, PLAIN))
  expect(await pays()).toMatchObject({ ok: true })
  const open: Instruction = {
    program: ASSOCIATED_TOKEN_PROGRAM,
    accounts: [
      writable(recipient.address),
      writable(own),
      readonly(recipient.address),
      readonly(seeded('PLAIN')),
      readonly(SYSTEM_PROGRAM),
      readonly(TOKEN_2022_PROGRAM),
    ],
    data: Buffer.from([1]),
  }
  const grow = token(
    [
      writable(own),
      writable(recipient.address),
      readonly(SYSTEM_PROGRAM),
      readonly(recipient.address),
    ],
    Buffer.from([29]),
    u16(8),
  )
  const demand = token([writable(own), readonly(recipient.address)], Buffer.from([30, 0]))
  await world.run(recipient, [open, grow, demand])
  expect(await pays()).toEqual({ ok: false, refusal: 'recipient_refuses' })
})

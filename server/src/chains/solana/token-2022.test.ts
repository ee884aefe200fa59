import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Instruction } from './message.ts'
import { ASSOCIATED_TOKEN_PROGRAM, SYSTEM_PROGRAM, TOKEN_2022_PROGRAM } from './programs.ts'
import { order, startTestChain } from './test-chain.ts'
import type { TestChain, TestWallet } from './test-chain.ts'
import {
  accountOf,
  AMOUNT,
  DECIMALS,
  makeMint,
  mintProfile,
  openAccount,
  OWNER,
  paymentIn,
  readonly,
  seeded,
  SELLER,
  token,
  u16,
  u64,
  writable,
} from './test-token-2022.ts'

/** One with nothing extra, one that keeps a part, one that wants a fee of zero for now. */
const [PLAIN, GREEDY, FREE] = [mintProfile('PLAIN'), mintProfile('GREEDY'), mintProfile('FREE')]
/** An extension of a fee of so many basis points. */
const fee = (points: number) => ({
  bytes: 108,
  begin: Buffer.concat([Buffer.from([26, 0, 0, 0]), u16(points), u64(10n ** 12n)]),
})

let world: TestChain
let sender: TestWallet
beforeAll(async () => {
  world = await startTestChain(PLAIN, GREEDY, FREE)
  sender = await world.wallet(['native', '100'])
  if (sender.address !== OWNER) throw new Error('the mints are made from another wallet')
  await makeMint(world, sender, 'PLAIN')
  await makeMint(world, sender, 'GREEDY', { extension: fee(100) })
  await makeMint(world, sender, 'FREE', { extension: fee(0) })
})
afterAll(async () => {
  await world.sandbox.stop()
})

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
  const [from, to] = [accountOf(OWNER, 'GREEDY'), accountOf(recipient, 'GREEDY')]
  const move = token(
    [writable(from), readonly(mint), writable(to), readonly(OWNER)],
    Buffer.from([12]),
    u64(1_000_000n),
    Buffer.from([DECIMALS]),
  )
  const { transfers } = await world.run(sender, [openAccount(recipient, 'GREEDY'), move])
  expect(transfers).toEqual([
    { asset: mint, from: OWNER, to: recipient, amount: 990_000n, logIndex: 1 },
  ])
})

describe('an x402 payment', () => {
  let settler: TestWallet
  beforeAll(async () => {
    settler = await world.wallet(['native', '1'])
  })

  test.each([PLAIN, FREE])('in a token of Token-2022 arrives whole: $symbol', async (profile) => {
    const authorization = await paymentIn(world, sender, settler, profile.symbol)
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
    const authorization = await paymentIn(world, sender, settler, 'GREEDY')
    const refused = { ok: false, reason: 'invalid_exact_svm_payload_amount_mismatch' }
    expect(await world.chain.exact?.check(authorization)).toMatchObject(refused)
    expect(await world.chain.exact?.draft(authorization, settler.address)).toMatchObject(refused)
  })
})

test('a recipient that wants a memo before each transfer is refused, and pays nothing for it', async () => {
  const recipient = await world.wallet(['native', '1'])
  const own = accountOf(recipient.address, 'PLAIN')
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

import { baseUnits } from '@florin/wire/amount.ts'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { NodeFailure } from '../chain.ts'
import type { Address } from '../chain.ts'
import type { ExactAuthorization, ExactPayments } from '../exact.ts'
import { paymentSimulationRead } from './exact-check.ts'
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './programs.ts'
import { startExactScene } from './test-exact-scene.ts'
import type { ExactScene } from './test-exact-scene.ts'
import type { TestChain, TestWallet } from './test-chain.ts'
import { USDC } from './test-network.ts'
import {
  limit,
  memo,
  messageOf,
  MINT,
  newKey,
  PRICE,
  price,
  sealed,
  transfer,
} from './test-payment.ts'
import type { Key, Paying, Step } from './test-payment.ts'
import {
  account,
  ALICE,
  ALICES,
  BOB,
  BOBS,
  CAROL,
  chainWith,
  HASH,
  MINT_DATA,
  nodeWith,
  tokenAccount,
  WORLD,
} from './test-scene.ts'
import type { Accounts } from './test-scene.ts'

const UNITS = 30_000
const MEMO = '0123456789abcdef0123456789abcdef'
/** Above what a transfer with this memo takes, and below what stock clients allow it. */
const STOCK_UNITS = 20_000

let scene: ExactScene
let world: TestChain
let exact: ExactPayments
let settler: TestWallet
let seller: TestWallet
let payer: Key
beforeAll(async () => {
  scene = await startExactScene()
  ;({ world, exact, settler, seller, payer } = scene)
})
afterEach(() => world.sandbox.clearFaults())
afterAll(() => world?.sandbox.stop())

interface Made {
  readonly by?: Key
  readonly paying?: Partial<Paying>
  readonly units?: number
  readonly feePayer?: Address
  readonly more?: readonly Step[]
  readonly blockhash?: Address
  readonly message?: (message: Buffer) => Buffer
  readonly program?: Address
}

async function payment(made: Made = {}): Promise<ExactAuthorization> {
  const { by = payer, paying = {}, units = UNITS, feePayer = settler.address } = made
  const { more = [memo(MEMO)], message: changed = (message: Buffer) => message } = made
  const payTo = paying.to ?? seller.address
  const blockhash = made.blockhash ?? (await world.latestBlockhash())
  const moving = transfer({ from: by.address, to: payTo, ...paying })
  const steps = [limit(units), price(1n), moving, ...more]
  const message = changed(Buffer.from(messageOf(feePayer, steps, { blockhash })))
  const transaction = Buffer.from(sealed(message, [by])).toString('base64')
  const wanted = {
    asset: USDC,
    payTo,
    amount: baseUnits(paying.amount ?? PRICE),
    extra: { feePayer },
    settlers: new Set([feePayer]),
  }
  const read = exact.read({ transaction }, wanted)
  if (!read.ok) throw new Error(read.reason)
  return read.authorization
}

async function stands(authorization: ExactAuthorization): Promise<boolean | undefined> {
  return exact.stands?.(authorization)
}

async function unitsOf({ stored }: ExactAuthorization): Promise<bigint> {
  const read = paymentSimulationRead(stored['transaction'] ?? '')
  return read.parse(await world.rpc(read.method, ...read.params)).unitsUsed ?? 0n
}

describe('accounts alone', () => {
  test('tell of a payment only after one of its shape was simulated, and then without a simulation', async () => {
    const first = await payment()
    expect(await stands(first)).toBe(false)
    expect(await exact.check(first)).toEqual({ ok: true })
    const methods = ['simulateTransaction']
    const outage = { chain: 'solana', kind: 'fail', answer: 'http-500', methods } as const
    await world.sandbox.fault({ ...outage, forward: false })
    expect(await stands(first)).toBe(true)
    expect(await stands(await payment())).toBe(true)
    expect(await stands(await payment({ units: STOCK_UNITS }))).toBe(true)
    expect(await stands(await payment({ more: [memo(`${MEMO}0`)] }))).toBe(false)
  })

  test('say nothing good that a simulation does not say, and say it of whatever plain clients make', async () => {
    const [poor, newcomer] = [newKey(), newKey()]
    await world.sandbox.fund(poor.address, 'USDC', '0.1')
    const [dry, thin] = [newKey().address, newKey()]
    await world.sandbox.fund(thin.address, 'native', '0.000892')
    /** Source and destination are the last that may be written, in this order. */
    const readingMore = (count: number) => (message: Buffer) => {
      message[3] = (message[3] ?? 0) + count
      return message
    }
    const used = await unitsOf(await payment())
    const cases: Readonly<Record<string, Made>> = {
      plain: {},
      'all that is there': { paying: { amount: await scene.usdcOf(payer.address) } },
      'a unit more than there is': { paying: { amount: (await scene.usdcOf(payer.address)) + 1n } },
      'a poor payer': { by: poor },
      'a payer without an account': { by: newcomer },
      'a receiver without an account': { paying: { to: newKey().address } },
      'too few units': { units: Number(used) - 1 },
      'units without room': { units: Number(used) + 1 },
      'an unknown blockhash': { blockhash: newKey().address },
      'a fee payer without an account': { feePayer: dry },
      'a fee payer that could not keep its account': { feePayer: thin.address },
      'both accounts only to be read': { message: readingMore(2) },
      'a receiver that may only be read': { message: readingMore(1) },
      'two memos': { more: [memo(MEMO), memo('b')] },
      'a memo that is no text': { more: [memo(Uint8Array.of(0xff, 0xfe))] },
      'no memo': { more: [] },
    }
    // Every shape was seen, so that nothing is refused for that.
    for (const more of [[memo(MEMO)], []])
      expect(await exact.check(await payment({ more }))).toEqual({ ok: true })
    const said: Record<string, readonly [boolean | undefined, boolean]> = {}
    for (const [name, made] of Object.entries(cases)) {
      const authorization = await payment(made)
      said[name] = [await stands(authorization), (await exact.check(authorization)).ok]
    }
    for (const [name, [alone, simulated]] of Object.entries(said)) {
      expect.soft(alone === true && !simulated, name).toBe(false)
    }
    const good = Object.keys(said).filter((name) => said[name]?.[0] === true)
    expect(good.toSorted()).toEqual(['all that is there', 'no memo', 'plain'])
    const onlySimulated = Object.keys(said).filter(
      (name) => said[name]?.[0] === false && said[name][1],
    )
    expect(onlySimulated).toEqual(['units without room', 'two memos'])
  })

  test('that cannot be read say nothing, and are nobody’s fault', async () => {
    const authorization = await payment()
    expect(await exact.check(authorization)).toEqual({ ok: true })
    const methods = ['getMultipleAccounts']
    const outage = { chain: 'solana', kind: 'fail', answer: 'http-500', methods } as const
    await world.sandbox.fault({ ...outage, forward: false })
    expect(await stands(authorization)).toBe(false)
    await expect(exact.check(authorization)).rejects.toThrow(NodeFailure)
  })
})

describe('accounts as only a scripted node tells them', () => {
  const carol = account({ lamports: 10_000_000n })
  const fine: Accounts = { ...WORLD, [CAROL]: carol }
  const cases: Readonly<Record<string, readonly [boolean, Accounts]>> = {
    'as they should be': [true, fine],
    'a frozen source': [false, { ...fine, [ALICES]: tokenAccount(ALICE, { state: 2 }) }],
    'a frozen destination': [false, { ...fine, [BOBS]: tokenAccount(BOB, { state: 2 }) }],
    'a source of another owner': [false, { ...fine, [ALICES]: tokenAccount(BOB) }],
    'a destination of another owner': [false, { ...fine, [BOBS]: tokenAccount(ALICE) }],
    'a source that its owner approved itself for': [
      false,
      { ...fine, [ALICES]: tokenAccount(ALICE, { delegate: ALICE }) },
    ],
    'a source that another may move a part of': [
      true,
      { ...fine, [ALICES]: tokenAccount(ALICE, { delegate: BOB }) },
    ],
    'a source of another mint': [false, { ...fine, [ALICES]: tokenAccount(ALICE, { mint: BOB }) }],
    'a destination of another mint': [false, { ...fine, [BOBS]: tokenAccount(BOB, { mint: BOB }) }],
    'a source of another program': [
      false,
      { ...fine, [ALICES]: tokenAccount(ALICE, { program: TOKEN_2022_PROGRAM }) },
    ],
    'a destination with more to it': [
      false,
      { ...fine, [BOBS]: tokenAccount(BOB, { space: 200 }) },
    ],
    'a payer that is a multisignature': [
      false,
      { ...fine, [ALICE]: account({ owner: TOKEN_PROGRAM, data: new Uint8Array(355) }) },
    ],
    'a fee payer that keeps data': [
      false,
      { ...fine, [CAROL]: account({ data: new Uint8Array(80) }) },
    ],
    'a fee payer of a program': [false, { ...fine, [CAROL]: account({ owner: TOKEN_PROGRAM }) }],
    'a payer that the chain does not know': [
      true,
      Object.fromEntries(Object.entries(fine).filter(([address]) => address !== ALICE)),
    ],
    'a mint of other decimals': [
      false,
      {
        ...fine,
        [MINT]: account({ owner: TOKEN_PROGRAM, data: Buffer.from(MINT_DATA).fill(9, 44, 45) }),
      },
    ],
    'a mint of Token-2022': [
      false,
      { ...fine, [MINT]: account({ owner: TOKEN_2022_PROGRAM, data: MINT_DATA }) },
    ],
  }

  test.each(Object.entries(cases))('stand or not: %s', async (_, [expected, accounts]) => {
    const chain = (await chainWith(nodeWith(accounts, { isBlockhashValid: live(true) }))).chain
    const authorization = signedByAlice(chain.exact)
    // Only the shape has to have been seen: what this node says of the simulation is no part of it.
    await chain.exact?.check(authorization)
    expect(await chain.exact?.stands?.(authorization)).toBe(expected)
  })

  test('stand for nothing when the blockhash is over', async () => {
    const { chain } = await chainWith(nodeWith(fine, { isBlockhashValid: live(false) }))
    const authorization = signedByAlice(chain.exact)
    await chain.exact?.check(authorization)
    expect(await chain.exact?.stands?.(authorization)).toBe(false)
  })
})

const live = (value: boolean) => ({ context: { slot: 50 }, value })

function signedByAlice(exact: ExactPayments | undefined): ExactAuthorization {
  const alice = newKey(new Uint8Array(32).fill(1))
  const moving = transfer({ from: ALICE, to: BOB })
  const message = messageOf(CAROL, [limit(UNITS), price(1n), moving], { blockhash: HASH })
  const transaction = Buffer.from(sealed(message, [alice])).toString('base64')
  const read = exact?.read(
    { transaction },
    {
      asset: USDC,
      payTo: BOB,
      amount: baseUnits(PRICE),
      extra: { feePayer: CAROL },
      settlers: new Set([CAROL]),
    },
  )
  if (read?.ok !== true) throw new Error(read?.reason)
  return read.authorization
}

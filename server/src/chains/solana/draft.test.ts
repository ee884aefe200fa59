import { baseUnits } from '@florin/wire/amount.ts'
import { describe, expect, test } from 'vitest'
import { NodeFailure } from '../chain.ts'
import type { Draft, TransferOrder } from '../chain.ts'
import { addressFromBytes, knownAddress } from './account.ts'
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './programs.ts'
import { readTerms } from './terms.ts'
import { NATIVE, NETWORK, USDC } from './test-network.ts'
import {
  ALICE,
  ALICES,
  BOB,
  BOBS,
  CAROL,
  HASH,
  MINT,
  MINT_DATA,
  RENT,
  TOKEN_RENT,
  WORLD,
  account,
  chainWith,
  draftOf,
  nodeWith,
  order,
  simulated,
  termsOf,
  tokenAccount,
  wallet,
} from './test-scene.ts'
import type { Accounts } from './test-scene.ts'
import { error } from './test-script.ts'
import type { Lines } from './test-script.ts'
import { associatedAccount } from './token-account.ts'

describe('a draft', () => {
  test('takes one round trip once its shape is known, and one more before', async () => {
    const { chain, node } = await chainWith(nodeWith())
    const trips = async (wanted: TransferOrder): Promise<number> => {
      const before = node.requests.length
      expect(await chain.draft(wanted)).toMatchObject({ ok: true })
      return node.requests.length - before
    }
    expect(await trips(order(1n))).toBe(2)
    expect(await trips(order(2n))).toBe(1)
    expect(await trips(order(1n, USDC))).toBe(3)
    expect(await trips(order(2n, USDC))).toBe(1)
    expect(await trips(order(2n, USDC, { recipient: CAROL }))).toBe(2)
    expect(await trips(order(3n, USDC, { recipient: CAROL }))).toBe(1)
  })

  test('says what is moved, how, and until when', async () => {
    const draft = await draftOf(nodeWith(), order(3n, USDC))
    expect(termsOf(draft)).toEqual({
      network: NETWORK,
      transfer: {
        sender: ALICE,
        recipient: BOB,
        amount: 3n,
        memo: `florin1:${'c5'.repeat(32)}`,
        token: {
          mint: MINT,
          program: TOKEN_PROGRAM,
          decimals: 6,
          from: ALICES,
          to: BOBS,
          createsAccount: false,
        },
      },
      budget: { units: 3_500n, pricePerUnit: 1_000n },
      isPriceFixed: false,
      accountRent: 0n,
      blockhash: HASH,
      lastValidBlockHeight: 190n,
    })
    expect(draft).toMatchObject({
      // 3500 units at a thousandth of a lamport, rounded up, four times.
      feeCeiling: 5_000n + 4n * 4n,
      carriesCommitment: true,
      laneLatest: 0n,
      balances: { native: 10_000_000_000n - RENT, asset: 5_000_000n, height: 50n, blockHash: HASH },
    })
  })

  test('makes a missing token account, whose rent is part of the ceiling', async () => {
    const draft = await draftOf(nodeWith(), order(3n, USDC, { recipient: CAROL }))
    expect(termsOf(draft)).toMatchObject({
      accountRent: TOKEN_RENT,
      transfer: { token: { createsAccount: true } },
    })
    expect(draft.feeCeiling).toBe(5_000n + TOKEN_RENT + 16n)
  })

  test('makes one too where somebody sent lamports ahead, and simulates that each time', async () => {
    const { chain, node } = await chainWith(
      nodeWith({ ...WORLD, [BOBS]: account({ lamports: 1n }) }),
    )
    for (let round = 0; round < 2; round += 1) {
      const outcome = await chain.draft(order(3n, USDC))
      if (!outcome.ok) throw new Error('refused')
      expect(termsOf(outcome.draft).transfer.token?.createsAccount).toBe(true)
    }
    const simulations = node.requests.flat().filter((method) => method === 'simulateTransaction')
    expect(simulations).toHaveLength(2)
  })

  test("offers a caller's priority fee as it is, without room for more", async () => {
    const draft = await draftOf(nodeWith(), order(1n, NATIVE, { priorityFee: baseUnits(70_000n) }))
    expect(termsOf(draft)).toMatchObject({
      isPriceFixed: true,
      budget: { units: 3_500n, pricePerUnit: 20_000_000n },
    })
    expect(draft.feeCeiling).toBe(75_000n)
    const free = await draftOf(nodeWith(), order(1n, NATIVE, { priorityFee: baseUnits(0n) }))
    expect(termsOf(free).budget.pricePerUnit).toBe(0n)
    expect(free.feeCeiling).toBe(5_000n)
  })

  test("offers what recent slots asked, up to the policy's maximum", async () => {
    const recent = (prioritizationFee: number): Lines => ({
      getRecentPrioritizationFees: [{ slot: 49, prioritizationFee }],
    })
    expect(
      termsOf(await draftOf(nodeWith(WORLD, recent(50_000)), order(1n))).budget.pricePerUnit,
    ).toBe(50_000n)
    expect(
      termsOf(await draftOf(nodeWith(WORLD, recent(2 ** 40)), order(1n))).budget.pricePerUnit,
    ).toBe(1_000_000n)
  })

  test('asks for the hash of its own slot when the lifetime came from another', async () => {
    const older = { context: { slot: 49 }, value: { blockhash: HASH, lastValidBlockHeight: 189 } }
    const own = addressFromBytes(new Uint8Array(32).fill(8))
    const lines = nodeWith(WORLD, { getLatestBlockhash: older, getBlock: { blockhash: own } })
    expect((await draftOf(lines, order(1n))).balances).toMatchObject({
      height: 50n,
      blockHash: own,
    })
    const silent = nodeWith(WORLD, { getLatestBlockhash: older })
    expect((await draftOf(silent, order(1n))).balances.blockHash).toBeNull()
  })

  test("simulates each time where the recipient's account or the mint may ask for more", async () => {
    const mint = { ...USDC, asset: wallet(9) }
    const extensions = Buffer.alloc(170)
    extensions.set(MINT_DATA)
    extensions.writeUInt16LE(26, 166)
    const to = associatedAccount(BOB, TOKEN_2022_PROGRAM, knownAddress(mint.asset)).address
    const from = associatedAccount(ALICE, TOKEN_2022_PROGRAM, knownAddress(mint.asset)).address
    const held = { mint: knownAddress(mint.asset), program: TOKEN_2022_PROGRAM }
    for (const [data, space] of [
      [extensions, 174],
      [MINT_DATA, 175],
    ] as const) {
      const accounts = {
        ...WORLD,
        [mint.asset]: account({ owner: TOKEN_2022_PROGRAM, data }),
        [from]: tokenAccount(ALICE, { ...held, space: 170 }),
        [to]: tokenAccount(BOB, { ...held, space }),
      }
      const { chain, node } = await chainWith(nodeWith(accounts), [NATIVE, mint])
      for (let round = 0; round < 2; round += 1) {
        expect(await chain.draft(order(1n, mint))).toMatchObject({ ok: true })
      }
      const simulations = node.requests.flat().filter((method) => method === 'simulateTransaction')
      expect(simulations).toHaveLength(2)
    }
  })
})

describe('too little money', () => {
  const poor = (lamports: bigint): Accounts => ({ ...WORLD, [ALICE]: account({ lamports }) })

  test.each<[string, Accounts, TransferOrder, Partial<Draft['balances']>]>([
    ['no account at all', { ...WORLD, [ALICE]: JSON.parse('null') }, order(1n), { native: 0n }],
    ['nothing beyond the rent-exempt minimum', poor(RENT), order(1n), { native: 0n }],
    ['less than the minimum', poor(1n), order(1n), { native: 0n }],
    ['the amount without the fee', poor(RENT + 100n + 4_999n), order(100n), { native: 5_099n }],
    [
      'the fee without the rent of the account to make',
      poor(RENT + 5_000n),
      order(1n, USDC, { recipient: CAROL }),
      { asset: 5_000_000n },
    ],
    ['less of the token', WORLD, order(5_000_001n, USDC), { asset: 5_000_000n }],
    ['more than 64 bits can say', WORLD, order(2n ** 70n), {}],
    [
      'no token account',
      { ...WORLD, [ALICES]: JSON.parse('null') },
      order(1n, USDC),
      { asset: 0n },
    ],
    [
      'a frozen token account',
      { ...WORLD, [ALICES]: tokenAccount(ALICE, { state: 2 }) },
      order(1n, USDC),
      { asset: 0n },
    ],
    [
      'a token account that was given away',
      { ...WORLD, [ALICES]: tokenAccount(ALICE, { owner: CAROL }) },
      order(1n, USDC),
      { asset: 0n },
    ],
  ])('is told by the balances and never simulated: %s', async (_, accounts, wanted, balances) => {
    const { chain, node } = await chainWith(nodeWith(accounts))
    expect(await chain.draft(wanted)).toMatchObject({ ok: true, draft: { balances } })
    expect(node.requests.flat()).not.toContain('simulateTransaction')
  })
})

describe("a node in trouble is never the recipient's fault", () => {
  test.each<[string, Lines]>([
    [
      'calls a balance short that it called enough',
      simulated({ InstructionError: [1, { Custom: 1 }] }),
    ],
    ['calls the sender unknown that it has just shown', simulated('AccountNotFound')],
    ['fails at the memo', simulated({ InstructionError: [2, 'InvalidInstructionData'] })],
    ['lacks the blockhash', simulated('BlockhashNotFound')],
    ['is at maintenance', simulated('ClusterMaintenance')],
    ['cannot simulate', { simulateTransaction: () => error(-32603, 'Internal error') }],
    ['simulates nothing', { simulateTransaction: null }],
    ['tells no units', { simulateTransaction: { context: { slot: 50 }, value: { err: null } } }],
    [
      'tells no blockhash',
      { getLatestBlockhash: () => error(-32005, 'Node is behind by 42 slots') },
    ],
    [
      'gives a malformed blockhash',
      {
        getLatestBlockhash: {
          context: { slot: 1 },
          value: { blockhash: '0x00', lastValidBlockHeight: 1 },
        },
      },
    ],
    ['tells no accounts', { getMultipleAccounts: () => error(-32603, 'Internal error') }],
    ['tells too few accounts', { getMultipleAccounts: { context: { slot: 50 }, value: [null] } }],
    ['has no such mint', { getAccountInfo: { context: { slot: 50 }, value: null } }],
    [
      "shows another program's account for the mint",
      { getAccountInfo: { context: { slot: 50 }, value: account({ data: MINT_DATA }) } },
    ],
    ['tells no rent', { getMinimumBalanceForRentExemption: () => error(-32603, 'Internal error') }],
    ['tells no recent fees', { getRecentPrioritizationFees: null }],
  ])('when it %s', async (_, change) => {
    const { chain } = await chainWith(nodeWith(WORLD, change))
    await expect(chain.draft(order(1n, USDC))).rejects.toThrow(NodeFailure)
  })

  test('and the failure says that it could not simulate', async () => {
    const { chain } = await chainWith(nodeWith(WORLD, simulated('BlockhashNotFound')))
    await expect(chain.draft(order(1n))).rejects.toThrow('cannot simulate: "BlockhashNotFound"')
  })

  test('nor is a mint with other decimals than configured', async () => {
    const profile = { ...USDC, decimals: 9 }
    const { chain } = await chainWith(nodeWith(), [NATIVE, profile])
    await expect(chain.draft(order(1n, profile))).rejects.toThrow('has 6 decimals, not 9')
  })
})

describe('a renewal', () => {
  const later = {
    getLatestBlockhash: {
      context: { slot: 250 },
      value: { blockhash: addressFromBytes(new Uint8Array(32).fill(9)), lastValidBlockHeight: 390 },
    },
  }

  test('is the same transfer with a new lifetime and twice the price', async () => {
    const draft = await draftOf(nodeWith(), order(1n, USDC))
    const { chain } = await chainWith(nodeWith(WORLD, later))
    const renewed = await chain.renew(draft.terms, draft.feeCeiling)
    if (renewed === undefined) throw new Error('the ceiling leaves room')
    const [before, after] = [termsOf(draft), readTerms(renewed, NETWORK ?? '')]
    expect(after).toEqual({
      ...before,
      budget: { units: 3_500n, pricePerUnit: 2_000n },
      blockhash: later.getLatestBlockhash.value.blockhash,
      lastValidBlockHeight: 390n,
    })
    if (chain.renewal.kind !== 'lifetime') throw new Error('Solana renews by lifetime')
    expect(chain.renewal.lifetimeOf(draft.terms)).toBe(190n)
    expect(chain.renewal.lifetimeOf(renewed)).toBe(390n)
  })

  test("leaves a caller's price as it is", async () => {
    const draft = await draftOf(nodeWith(), order(1n, NATIVE, { priorityFee: baseUnits(70_000n) }))
    const { chain } = await chainWith(nodeWith(WORLD, later))
    const renewed = await chain.renew(draft.terms, draft.feeCeiling)
    if (renewed === undefined) throw new Error('the ceiling leaves room')
    expect(readTerms(renewed, NETWORK ?? '').budget).toEqual(termsOf(draft).budget)
  })

  test('stays below the ceiling, and is none when not even the rent is in it', async () => {
    const draft = await draftOf(nodeWith(), order(1n, USDC, { recipient: CAROL }))
    const { chain } = await chainWith(nodeWith(WORLD, later))
    const least = 5_000n + TOKEN_RENT
    const tight = await chain.renew(draft.terms, baseUnits(least))
    if (tight === undefined) throw new Error('the ceiling leaves room')
    expect(readTerms(tight, NETWORK ?? '').budget.pricePerUnit).toBe(0n)
    expect(await chain.renew(draft.terms, baseUnits(least - 1n))).toBeUndefined()
  })
})

test("balances are every lamport and the token account's amount, all at one slot", async () => {
  const { chain, node } = await chainWith(nodeWith())
  expect(await chain.balances(ALICE, [NATIVE, USDC])).toEqual({
    height: 50n,
    amounts: [10_000_000_000n, 5_000_000n],
  })
  expect(await chain.balances(CAROL, [USDC, NATIVE])).toEqual({ height: 50n, amounts: [0n, 0n] })
  expect(node.requests).toHaveLength(3)
})

test('what a frozen token account holds is owned, and cannot be spent', async () => {
  const frozen = { ...WORLD, [ALICES]: tokenAccount(ALICE, { state: 2 }) }
  const { chain } = await chainWith(nodeWith(frozen))
  expect(await chain.balances(ALICE, [NATIVE, USDC])).toEqual({
    height: 50n,
    amounts: [10_000_000_000n, 0n],
    owned: [10_000_000_000n, 5_000_000n],
  })
})

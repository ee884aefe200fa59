import { baseUnits } from '@florin/wire/amount.ts'
import { getTokenEncoder } from '@solana-program/token'
import { none } from '@solana/kit'
import type { Address as KitAddress } from '@solana/kit'
import { afterEach, describe, expect, test } from 'vitest'
import type { AssetProfile } from '../../kernel/network-config.ts'
import { NodeFailure } from '../chain.ts'
import type { Address, Chain, Draft, TransferOrder } from '../chain.ts'
import type { TestNode } from '../json-rpc/test-node.ts'
import { addressFromBytes, knownAddress } from './account.ts'
import { addressOfPrivateKey } from './ed25519.ts'
import { SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './programs.ts'
import { readTerms } from './terms.ts'
import type { SolanaTerms } from './terms.ts'
import { associatedAccount } from './token-account.ts'
import { NATIVE, NETWORK, USDC } from './test-network.ts'
import { error, result, script, startScripted } from './test-script.ts'
import type { Lines } from './test-script.ts'

const wallet = (serial: number): Address => addressOfPrivateKey(new Uint8Array(32).fill(serial))
const [ALICE, BOB, CAROL] = [wallet(1), wallet(2), wallet(3)]
const MINT = knownAddress(USDC.asset)
const ALICES = associatedAccount(ALICE, TOKEN_PROGRAM, MINT).address
const BOBS = associatedAccount(BOB, TOKEN_PROGRAM, MINT).address
const HASH = addressFromBytes(new Uint8Array(32).fill(7))
const RENT = 890_880n
const TOKEN_RENT = 2_039_280n
const COMMITMENT = new Uint8Array(32).fill(0xc5)

interface Kept {
  readonly lamports?: bigint
  readonly owner?: string
  readonly executable?: boolean
  readonly data?: Uint8Array
  readonly space?: number
}

const account = ({
  lamports = 1_000_000_000n,
  owner = SYSTEM_PROGRAM,
  executable = false,
  data = new Uint8Array(),
  space = data.length,
}: Kept): object => ({
  lamports: Number(lamports),
  owner,
  executable,
  data: [Buffer.from(data).toString('base64'), 'base64'],
  space,
  rentEpoch: 18_446_744_073_709_552_000,
})

interface Held {
  readonly owner?: Address
  readonly mint?: Address
  readonly amount?: bigint
  readonly state?: number
  readonly program?: string
  readonly space?: number
}

const tokenAccount = (owner: Address, held: Held = {}): object =>
  account({
    lamports: TOKEN_RENT,
    owner: held.program ?? TOKEN_PROGRAM,
    space: held.space ?? 165,
    data: Uint8Array.from(
      getTokenEncoder().encode({
        mint: (held.mint ?? MINT) as string as KitAddress,
        owner: (held.owner ?? owner) as string as KitAddress,
        amount: held.amount ?? 5_000_000n,
        delegate: none(),
        state: held.state ?? 1,
        isNative: none(),
        delegatedAmount: 0n,
        closeAuthority: none(),
      }),
    ),
  })

const MINT_DATA = Buffer.alloc(82)
MINT_DATA[44] = 6
MINT_DATA[45] = 1

/** Accounts that exist, by address. */
type Accounts = Readonly<Record<string, object>>
const WORLD: Accounts = {
  [ALICE]: account({ lamports: 10_000_000_000n }),
  [BOB]: account({}),
  [MINT]: account({ owner: TOKEN_PROGRAM, data: MINT_DATA }),
  [ALICES]: tokenAccount(ALICE),
  [BOBS]: tokenAccount(BOB),
}

function nodeWith(accounts: Accounts = WORLD, change: Lines = {}): Lines {
  return {
    getLatestBlockhash: {
      context: { slot: 50 },
      value: { blockhash: HASH, lastValidBlockHeight: 190 },
    },
    getMultipleAccounts: ([addresses]: [readonly string[]]) =>
      result({ context: { slot: 50 }, value: addresses.map((each) => accounts[each] ?? null) }),
    getAccountInfo: ([address]: [string]) =>
      result({ context: { slot: 50 }, value: accounts[address] ?? null }),
    getMinimumBalanceForRentExemption: Number(RENT),
    getRecentPrioritizationFees: [],
    simulateTransaction: {
      context: { slot: 50 },
      value: { err: null, logs: [], unitsConsumed: 2_000 },
    },
    ...change,
  }
}

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()))
})

async function chainWith(
  lines: Lines,
  assets: readonly AssetProfile[] = [NATIVE, USDC],
): Promise<{ chain: Chain; node: TestNode }> {
  const { chain, nodes, stop } = await startScripted([script(lines)], { assets })
  stops.push(stop)
  const [node] = nodes
  if (node === undefined) throw new Error('one node was started')
  return { chain, node }
}

const order = (
  amount: bigint,
  asset = NATIVE,
  change: Partial<TransferOrder> = {},
): TransferOrder => ({
  sender: ALICE,
  recipient: BOB,
  asset,
  amount: baseUnits(amount),
  commitment: COMMITMENT,
  ...change,
})

async function draftOf(lines: Lines, wanted: TransferOrder): Promise<Draft> {
  const outcome = await (await chainWith(lines)).chain.draft(wanted)
  if (!outcome.ok) throw new Error(`refused: ${outcome.refusal}`)
  return outcome.draft
}

async function refusalOf(lines: Lines, wanted: TransferOrder): Promise<string> {
  const outcome = await (await chainWith(lines)).chain.draft(wanted)
  return outcome.ok ? 'none' : outcome.refusal
}

const termsOf = ({ terms }: Draft): SolanaTerms => readTerms(terms, NETWORK ?? '')
const simulated = (err: unknown): Lines => ({
  simulateTransaction: { context: { slot: 50 }, value: { err, logs: [], unitsConsumed: 0 } },
})

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

describe('a recipient is refused', () => {
  const off = associatedAccount(CAROL, TOKEN_PROGRAM, MINT).address
  test.each<[string, string, Address, Accounts]>([
    ['recipient_is_zero', 'the zero address', SYSTEM_PROGRAM, {}],
    ['recipient_is_asset', 'a configured mint', MINT, {}],
    ['recipient_is_no_wallet', 'an address that no key can have and that does not exist', off, {}],
    [
      'recipient_is_no_wallet',
      'a program',
      CAROL,
      {
        [CAROL]: account({
          executable: true,
          owner: 'BPFLoaderUpgradeab1e11111111111111111111111',
        }),
      },
    ],
    [
      'recipient_is_no_wallet',
      "a program's code",
      CAROL,
      { [CAROL]: account({ owner: 'BPFLoaderUpgradeab1e11111111111111111111111' }) },
    ],
    ['recipient_is_no_wallet', 'a token account', BOBS, {}],
    [
      'recipient_is_no_wallet',
      'another mint',
      CAROL,
      { [CAROL]: account({ owner: TOKEN_2022_PROGRAM }) },
    ],
    [
      'recipient_is_no_wallet',
      'a record of the cluster',
      CAROL,
      { [CAROL]: account({ owner: 'Sysvar1111111111111111111111111111111111111' }) },
    ],
  ])('as %s: %s', async (refusal, _, recipient, accounts) => {
    const lines = nodeWith({ ...WORLD, ...accounts })
    for (const asset of [NATIVE, USDC]) {
      expect(await refusalOf(lines, order(1_000_000n, asset, { recipient }))).toBe(refusal)
    }
  })

  test('not when no key can have its address but it exists: a vault of a program', async () => {
    const lines = nodeWith({ ...WORLD, [off]: account({}) })
    expect(await refusalOf(lines, order(1n, NATIVE, { recipient: off }))).toBe('none')
    expect(await refusalOf(lines, order(1n, USDC, { recipient: off }))).toBe('none')
  })

  test('for an amount that leaves a new account below the rent-exempt minimum', async () => {
    const to = (amount: bigint, asset = NATIVE) => order(amount, asset, { recipient: CAROL })
    expect(await refusalOf(nodeWith(), to(RENT - 1n))).toBe('amount_below_rent')
    expect(await refusalOf(nodeWith(), to(RENT))).toBe('none')
    expect(await refusalOf(nodeWith(), to(1n, USDC))).toBe('none')
  })

  test.each<[string, Held]>([
    ['is frozen', { state: 2 }],
    ['was given to somebody else', { owner: CAROL }],
    ['is of another mint', { mint: CAROL }],
    ['was never begun', { state: 0 }],
    ['belongs to another program', { program: TOKEN_2022_PROGRAM }],
  ])('when its token account %s', async (_, held) => {
    const lines = nodeWith({ ...WORLD, [BOBS]: tokenAccount(BOB, held) })
    expect(await refusalOf(lines, order(1n, USDC))).toBe('recipient_refuses')
    expect(await refusalOf(lines, order(1n))).toBe('none')
  })

  test.each([{ InstructionError: [1, { Custom: 17 }] }, { InstructionError: [1, 'IllegalOwner'] }])(
    'when the simulation fails on the transfer with %j',
    async (err) => {
      expect(await refusalOf(nodeWith(WORLD, simulated(err)), order(1n, USDC))).toBe(
        'recipient_refuses',
      )
    },
  )

  test('when the mint would keep a part of the amount', async () => {
    const mint = { ...USDC, asset: wallet(9) }
    const data = Buffer.alloc(166 + 4 + 108)
    data.set(MINT_DATA)
    data.writeUInt16LE(1, 166)
    data.writeUInt16LE(108, 168)
    data.writeBigUInt64LE(10n ** 9n, 170 + 72 + 8)
    data.writeUInt16LE(100, 170 + 72 + 16)
    const lines = nodeWith({ ...WORLD, [mint.asset]: account({ owner: TOKEN_2022_PROGRAM, data }) })
    const { chain } = await chainWith(lines, [NATIVE, mint])
    expect(await chain.draft(order(1n, mint))).toEqual({ ok: false, refusal: 'recipient_refuses' })
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

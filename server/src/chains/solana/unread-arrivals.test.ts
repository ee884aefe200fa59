import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Address } from '../chain.ts'
import { addressBytes, addressFromBytes, knownAddress } from './account.ts'
import type { Instruction } from './message.ts'
import { SYSTEM_PROGRAM, TOKEN_PROGRAM } from './programs.ts'
import { startTestChain } from './test-chain.ts'
import type { TestChain, TestWallet } from './test-chain.ts'
import { USDC } from './test-network.ts'
import { associatedAccount } from './token-account.ts'
import { unreadArrivals, unreadLamports } from './unread-arrivals.ts'

const MINT = knownAddress(USDC.asset)
const tokensOf = (owner: Address): Address => associatedAccount(owner, TOKEN_PROGRAM, MINT).address

let world: TestChain
let payer: TestWallet
beforeAll(async () => {
  world = await startTestChain()
  payer = await world.wallet(['native', '100'], ['USDC', '100'])
})
afterAll(() => world.sandbox.stop())

/** TransferChecked, with whatever stands behind its data. */
const move = (to: Address, amount: bigint, ...behind: readonly number[]) => {
  const units = Buffer.alloc(8)
  units.writeBigUInt64LE(amount)
  return {
    program: TOKEN_PROGRAM,
    accounts: [
      { address: tokensOf(payer.address), isWritable: true },
      { address: MINT, isWritable: false },
      { address: tokensOf(to), isWritable: true },
      { address: payer.address, isWritable: false },
    ],
    data: Buffer.concat([Uint8Array.of(12), units, Uint8Array.of(6, ...behind)]),
  }
}

async function arrivedBy(instructions: readonly Instruction[], address: Address) {
  const { height } = await world.run(payer, instructions)
  const [block] = await world.chain.blocks(height, 1)
  if (block === undefined) throw new Error('no block')
  const found = (await world.chain.arrivals([block], async () => new Set([address]))) ?? []
  expect(new Set(found.map(({ effectIndex }) => effectIndex)).size).toBe(found.length)
  expect(found.every(({ from, to }) => from === payer.address && to === address)).toBe(true)
  return found.map(({ amount }) => amount)
}

test('tokens have arrived by a transfer with bytes behind it, however many, and by each part of a batch', async () => {
  const { address } = await world.wallet(['USDC', '1'])
  const behind = [move(address, 7n, 0), move(address, 5n), move(address, 3n, 1, 2)]
  expect(await arrivedBy(behind, address)).toEqual([7n, 5n, 3n])
  const long = [...Buffer.alloc(300)]
  expect(await arrivedBy([move(address, 8n, ...long), move(address, 6n)], address)).toEqual([
    6n,
    8n,
  ])
  const parts = [move(address, 4n), move(address, 9n)]
  const batch = {
    program: TOKEN_PROGRAM,
    accounts: parts.flatMap(({ accounts }) => accounts),
    data: Buffer.concat([
      Uint8Array.of(255),
      ...parts.flatMap(({ accounts, data }) => [Uint8Array.of(accounts.length, data.length), data]),
    ]),
  }
  expect(await arrivedBy([batch, move(address, 2n)], address)).toEqual([4n, 9n, 2n])
})

const key = (serial: number) => addressFromBytes(new Uint8Array(32).fill(serial))
const [ALICE, BOB, OWNER, BROKER] = [key(1), key(2), key(3), key(4)]
const ACCOUNTS = [BROKER, ...[ALICE, BOB, OWNER].map(tokensOf), MINT, TOKEN_PROGRAM]

/** What came to the owner's account, where these hold so much before and after, and where only one transfer of Bob's can be read. */
function unread(...holdings: readonly (readonly [Address, bigint, bigint])[]) {
  const found = unreadArrivals(
    {
      accounts: ACCOUNTS,
      holdings: new Map(
        holdings.map(([owner, before, after]) => [
          tokensOf(owner),
          { mint: MINT, owner, firstOwner: owner, program: TOKEN_PROGRAM, before, after },
        ]),
      ),
      explained: new Map([
        [tokensOf(BOB), -5n],
        [tokensOf(OWNER), 5n],
      ]),
    },
    { tokenAccount: (owner) => associatedAccount(owner, TOKEN_PROGRAM, MINT) },
    ({ owner }) => owner === OWNER,
  )
  return found.map(({ from, to, amount }) => [from, to, amount])
}

test('what no instruction tells came from whoever has less without one, or else from who sent the transaction', () => {
  expect(unread([ALICE, 10n, 2n], [BOB, 10n, 5n], [OWNER, 1n, 14n])).toEqual([[ALICE, OWNER, 8n]])
  expect(unread([BOB, 10n, 5n], [OWNER, 1n, 14n])).toEqual([[BROKER, OWNER, 8n]])
  expect(unread([ALICE, 10n, 9n], [BOB, 10n, 0n], [OWNER, 1n, 12n])).toEqual([[BOB, OWNER, 6n]])
})

test('nothing has come beside what is told, nor where less is there than is told', () => {
  expect(unread([BOB, 10n, 5n], [OWNER, 1n, 6n])).toEqual([])
  expect(unread([BOB, 10n, 5n], [OWNER, 1n, 5n])).toEqual([])
  expect(unread([ALICE, 10n, 2n], [OWNER, 8n, 2n])).toEqual([])
})

const u64 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return bytes
}
/** System program: `Transfer` and `TransferWithSeed`. */
const pay = (to: Address, lamports: number): Instruction => ({
  program: SYSTEM_PROGRAM,
  accounts: [payer.address, to].map((address) => ({ address, isWritable: true })),
  data: Buffer.concat([Uint8Array.of(2, 0, 0, 0), u64(lamports)]),
})

test('lamports have arrived by a transfer with a seed, and by a token account that was closed', async () => {
  const { address } = await world.wallet(['native', '1'])
  const owner = addressBytes(SYSTEM_PROGRAM)
  const hash = createHash('sha256').update(addressBytes(payer.address)).update('till').update(owner)
  const till = addressFromBytes(hash.digest())
  const fromTill: Instruction = {
    program: SYSTEM_PROGRAM,
    accounts: [
      { address: till, isWritable: true },
      { address: payer.address, isWritable: false },
      { address, isWritable: true },
    ],
    data: Buffer.concat([
      Uint8Array.of(11, 0, 0, 0),
      ...[u64(400_000), u64(4), Buffer.from('till'), owner],
    ]),
  }
  await arrivedBy([pay(till, 5_000_000)], address)
  const { height } = await world.run(payer, [fromTill, pay(address, 7)])
  const [block] = await world.chain.blocks(height, 1)
  if (block === undefined) throw new Error('no block')
  expect(await world.chain.arrivals([block], async () => new Set([address]))).toMatchObject([
    { asset: 'native', from: payer.address, to: address, amount: 7n },
    { asset: 'native', from: till, to: address, amount: 400_000n },
  ])

  const closer = await world.wallet(['native', '1'], ['USDC', '1'])
  const account = { address: tokensOf(closer.address), isWritable: true }
  const signer = { address: closer.address, isWritable: false }
  const given = move(payer.address, 1_000_000n)
  const [, mint, target] = given.accounts
  if (mint === undefined || target === undefined) throw new Error('a transfer has four accounts')
  const empty = { ...given, accounts: [account, mint, target, signer] }
  const close: Instruction = {
    program: TOKEN_PROGRAM,
    accounts: [account, { address, isWritable: true }, signer],
    data: Uint8Array.of(9),
  }
  const closed = await world.run(closer, [empty, close])
  const [last] = await world.chain.blocks(closed.height, 1)
  if (last === undefined) throw new Error('no block')
  expect(await world.chain.arrivals([last], async () => new Set([address]))).toMatchObject([
    { asset: 'native', from: closer.address, to: address, amount: 2_039_280n },
  ])
})

test('lamports that no instruction explains came to wallets that signed nothing, from who has most less', () => {
  const accounts = [BROKER, ALICE, BOB, OWNER]
  const came = (signers: number, gained: readonly bigint[], transfers = [] as const) =>
    unreadLamports(
      { accounts, signers, gained, fee: 5n, holdings: new Map(), transfers },
      (account) => account === OWNER || account === BROKER,
    ).map(({ from, to, amount, effectIndex }) => [from, to, amount, effectIndex])
  expect(came(1, [-5n, -30n, -10n, 40n])).toEqual([[ALICE, OWNER, 40n, 1_000_000_003]])
  expect(came(1, [-5n, 0n, 0n, 0n])).toEqual([])
  expect(came(1, [-45n, 0n, 0n, 40n])).toEqual([[BROKER, OWNER, 40n, 1_000_000_003]])
  // Who signs may get rent back, or what its own trade gave.
  expect(came(4, [35n, -40n, 0n, 0n])).toEqual([])
  expect(came(4, [-5n, -40n, 0n, 40n])).toEqual([])
})

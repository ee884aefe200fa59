import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { NodeFailure } from '../chain.ts'
import type { Address, Block, TransactionHash } from '../chain.ts'
import { addressBytes, addressFromBytes, knownAddress } from './account.ts'
import { encodeBase58 } from './base58.ts'
import { compileMessage } from './message.ts'
import type { Instruction } from './message.ts'
import {
  ASSOCIATED_TOKEN_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from './programs.ts'
import { withSignature } from './sign.ts'
import { SOL, startTestChain } from './test-chain.ts'
import type { TestChain, TestWallet } from './test-chain.ts'
import { USDC } from './test-network.ts'
import { error, result, script, startScripted } from './test-script.ts'
import type { Lines } from './test-script.ts'
import { associatedAccount } from './token-account.ts'

const MINT = knownAddress(USDC.asset)
const tokensOf = (owner: Address): Address => associatedAccount(owner, TOKEN_PROGRAM, MINT).address
const of =
  (...ours: readonly Address[]) =>
  async (asked: readonly Address[]) =>
    new Set(asked.filter((each) => ours.includes(each)))

const number = (bytes: number, value: bigint | number): Buffer => {
  const buffer = Buffer.alloc(8)
  buffer.writeBigUInt64LE(BigInt(value))
  return buffer.subarray(0, bytes)
}
const writable = (address: Address) => ({ address, isWritable: true })
const readonly = (address: Address) => ({ address, isWritable: false })
const instruction = (
  program: Address,
  accounts: Instruction['accounts'],
  ...data: readonly Uint8Array[]
): Instruction => ({ program, accounts, data: Buffer.concat(data) })
const pay = (from: Address, to: Address, lamports: bigint): Instruction =>
  instruction(SYSTEM_PROGRAM, [writable(from), writable(to)], number(4, 2), number(8, lamports))
const move = (from: Address, owner: Address, to: Address, amount: bigint): Instruction =>
  instruction(
    TOKEN_PROGRAM,
    [writable(from), readonly(MINT), writable(to), readonly(owner)],
    Uint8Array.of(12),
    number(8, amount),
    Uint8Array.of(6),
  )
const open = (payer: Address, owner: Address): Instruction =>
  instruction(
    ASSOCIATED_TOKEN_PROGRAM,
    [
      writable(payer),
      writable(tokensOf(owner)),
      readonly(owner),
      readonly(MINT),
      readonly(SYSTEM_PROGRAM),
      readonly(TOKEN_PROGRAM),
    ],
    Uint8Array.of(1),
  )

describe('what arrives on a real chain', () => {
  let world: TestChain
  let payer: TestWallet
  let from: Address
  beforeAll(async () => {
    world = await startTestChain()
    payer = await world.wallet(['native', '100'], ['USDC', '100'])
    from = tokensOf(payer.address)
  }, 240_000)
  afterAll(() => world.sandbox.stop())

  const blockOf = async (height: bigint): Promise<Block> => {
    const [block] = await world.chain.blocks(height, 1)
    if (block === undefined) throw new Error('there is no such block')
    return block
  }
  /** What one transaction of the payer brought to some owners: from whom, to whom, which asset, how much, under which index. */
  const arrived = async (instructions: readonly Instruction[], ...ours: readonly Address[]) => {
    const { height } = await world.run(payer, instructions)
    const found = await world.chain.arrivals([await blockOf(height)], of(...ours))
    return found?.map(({ asset, from: sender, to, amount, effectIndex }) => [
      asset,
      sender,
      to,
      amount,
      effectIndex,
    ])
  }

  test('is coin and token, each with its place, in two round trips', async () => {
    const { address } = await world.wallet()
    const { height } = await world.run(payer, [
      open(payer.address, address),
      pay(payer.address, address, SOL),
      move(from, payer.address, tokensOf(address), 9n),
    ])
    const block = await blockOf(height)
    world.requests()
    const found = await world.chain.arrivals([block], of(address))
    expect(world.requests()).toBe(2)
    const place = {
      transactionHash: block.transactionHashes[0],
      height,
      blockHash: block.hash,
      from: payer.address,
      to: address,
    }
    expect(found).toEqual([
      { ...place, asset: 'native', amount: SOL, effectIndex: 1 },
      { ...place, asset: USDC.asset, amount: 9n, effectIndex: 2 },
    ])
    world.requests()
    expect(await world.chain.arrivals([block], of())).toEqual([])
    expect(world.requests()).toBe(1)
  })

  test('is every transfer of one transaction under its own index, equal ones and one to itself too', async () => {
    const [one, other] = [(await world.wallet()).address, (await world.wallet()).address]
    const self = payer.address
    const found = await arrived(
      [
        pay(self, one, SOL),
        pay(self, one, SOL),
        pay(self, other, SOL),
        pay(self, self, 5n),
        open(self, one),
        move(from, self, tokensOf(one), 6n),
        move(from, self, tokensOf(one), 6n),
        move(from, self, from, 7n),
      ],
      one,
      other,
      self,
    )
    expect(found).toEqual([
      ['native', self, one, SOL, 0],
      ['native', self, one, SOL, 1],
      ['native', self, other, SOL, 2],
      ['native', self, self, 5n, 3],
      [USDC.asset, self, one, 6n, 5],
      [USDC.asset, self, one, 6n, 6],
      [USDC.asset, self, self, 7n, 7],
    ])
  })

  test('is what a transfer moves that has more data than the System program reads', async () => {
    const { address } = await world.wallet()
    const plain = pay(payer.address, address, SOL)
    const longer = { ...plain, data: Buffer.concat([plain.data, Uint8Array.of(1, 2, 3)]) }
    expect(await arrived([plain, longer], address)).toEqual([
      ['native', payer.address, address, SOL, 0],
      ['native', payer.address, address, SOL, 1],
    ])
  })

  test('is what a mint makes, from whoever may make it', async () => {
    const { address } = await world.wallet()
    const hash = await world.sandbox.fund(address, 'USDC', '2')
    const { height } = await world.mined(hash as TransactionHash)
    const found = await world.chain.arrivals([await blockOf(height)], of(address))
    expect(found).toMatchObject([{ asset: USDC.asset, to: address, amount: 2_000_000n }])
    expect(found?.[0]?.from).not.toBe(address)
  })

  test('is no fee, no rent that is paid for an account or comes back from one', async () => {
    const owner = await world.wallet(['native', '1'], ['USDC', '1'])
    const other = await world.wallet()
    expect(
      await arrived([open(payer.address, other.address)], other.address, payer.address),
    ).toEqual([])
    const emptied = tokensOf(owner.address)
    const close = instruction(
      TOKEN_PROGRAM,
      [writable(emptied), writable(owner.address), readonly(owner.address)],
      Uint8Array.of(9),
    )
    const { height } = await world.run(owner, [
      move(emptied, owner.address, from, 1_000_000n),
      close,
    ])
    expect(
      await world.chain.arrivals([await blockOf(height)], of(owner.address, payer.address)),
    ).toMatchObject([{ to: payer.address, amount: 1_000_000n }])
  })

  test('is nothing in a token account that a wallet cannot spend from', async () => {
    const { address } = await world.wallet()
    const seed = Buffer.from('aside')
    const aside = seeded(payer.address, seed)
    const found = await arrived(
      [
        instruction(
          SYSTEM_PROGRAM,
          [writable(payer.address), writable(aside)],
          number(4, 3),
          addressBytes(payer.address),
          number(8, seed.length),
          seed,
          number(8, 10n ** 7n),
          number(8, 165),
          addressBytes(TOKEN_PROGRAM),
        ),
        instruction(
          TOKEN_PROGRAM,
          [writable(aside), readonly(MINT)],
          Uint8Array.of(18),
          addressBytes(address),
        ),
        move(from, payer.address, aside, 9n),
      ],
      address,
    )
    expect(found).toEqual([])
  })

  test('is nothing of a transaction that failed, and nothing at all in another block', async () => {
    const { address } = await world.wallet()
    const message = compileMessage(
      payer.address,
      [pay(payer.address, payer.address, SOL), pay(payer.address, address, 10_000n * SOL)],
      await world.latestBlockhash(),
    )
    const raw = withSignature(await payer.signer.sign(message), message)
    const hash = await world.rpc('sendTransaction', Buffer.from(raw).toString('base64'), {
      encoding: 'base64',
      skipPreflight: true,
    })
    const { height, succeeded } = await world.mined(hash as TransactionHash)
    const block = await blockOf(height)
    const found = await world.chain.arrivals([block], of(address, payer.address))
    expect([succeeded, found]).toEqual([false, []])
    const other = { ...block, hash: block.parentHash }
    expect(await world.chain.arrivals([other], of(address))).toBeUndefined()
  })
})

describe('what a node shows of a block', () => {
  const key = (serial: number): Address => addressFromBytes(new Uint8Array(32).fill(serial))
  const [PAYER, OWNER, PAYERS, PROGRAM] = [key(1), key(2), key(3), key(4)]
  const OWNERS = tokensOf(OWNER)
  const KEYS = [PAYER, OWNER, PAYERS, OWNERS, MINT, SYSTEM_PROGRAM, TOKEN_PROGRAM, PROGRAM]
  const HASH = encodeBase58(new Uint8Array(64).fill(9)) as TransactionHash
  const BLOCK: Block = {
    height: 20n,
    hash: key(5),
    parentHash: key(6),
    timeMilliseconds: 0,
    transactionHashes: [HASH],
  }
  const listed = ({ program, accounts, data }: Instruction) => ({
    programIdIndex: KEYS.indexOf(program),
    accounts: accounts.map(({ address }) => KEYS.indexOf(address)),
    data: encodeBase58(data),
  })
  const called = instruction(PROGRAM, [], Uint8Array.of(0))
  const HEADER = { numRequiredSignatures: 1 }
  const held = (accountIndex: number, owner: Address, amount: bigint) => ({
    accountIndex,
    mint: MINT,
    owner,
    uiTokenAmount: { amount: `${amount}` },
  })
  const meta = {
    err: null,
    fee: 5_000,
    preBalances: KEYS.map(() => 10_000),
    postBalances: KEYS.map((_, index) => 10_000 + ([-5_001, 1][index] ?? 0)),
    preTokenBalances: [held(2, PAYER, 100n), held(3, OWNER, 1n)],
    postTokenBalances: [held(2, PAYER, 70n), held(3, OWNER, 28n)],
    loadedAddresses: { writable: [], readonly: [] },
    innerInstructions: [
      { index: 1, instructions: [pay(PAYER, OWNER, 1n), called].map(listed) },
      {
        index: 2,
        instructions: [move(PAYERS, PAYER, OWNERS, 10n), move(PAYERS, PAYER, OWNERS, 20n)].map(
          listed,
        ),
      },
    ],
  }
  const whole = {
    slot: 20,
    transaction: {
      signatures: [HASH],
      message: {
        header: HEADER,
        accountKeys: KEYS,
        instructions: [called, called, called].map(listed),
      },
    },
    meta,
  }
  const shown = {
    transaction: { signatures: [HASH], accountKeys: KEYS.map((pubkey) => ({ pubkey })) },
    meta,
  }
  const block = (...transactions: readonly unknown[]) => ({ blockhash: BLOCK.hash, transactions })

  const stops: (() => Promise<void>)[] = []
  afterEach(async () => {
    await Promise.all(stops.splice(0).map((stop) => stop()))
  })
  async function arrivals(change: Lines = {}) {
    const lines = { getSlot: 30, getBlock: block(shown), getTransaction: whole, ...change }
    const { chain, stop } = await startScripted([script(lines)])
    stops.push(stop)
    return chain.arrivals([BLOCK], of(OWNER))
  }

  test('counts what programs moved when they were called, and of a token what really arrived', async () => {
    expect(await arrivals()).toMatchObject([
      { asset: 'native', from: PAYER, amount: 1n, effectIndex: 1_001 },
      // Three of thirty were kept.
      { asset: USDC.asset, from: PAYER, amount: 9n, effectIndex: 1_002 },
      { asset: USDC.asset, from: PAYER, amount: 18n, effectIndex: 2_002 },
    ])
  })

  test('counts no token program that the account is not of', async () => {
    const accountKeys = KEYS.map((each) => (each === TOKEN_PROGRAM ? TOKEN_2022_PROGRAM : each))
    const instructions = [listed(move(PAYERS, PAYER, OWNERS, 10n))]
    const transaction = {
      ...whole.transaction,
      message: { header: HEADER, accountKeys, instructions },
    }
    const postBalances = KEYS.map((_, index) => (index === 0 ? 5_000 : 10_000))
    const told = { ...meta, innerInstructions: [], postBalances }
    const getTransaction = { ...whole, transaction, meta: told }
    expect(await arrivals({ getTransaction })).toEqual([])
  })

  test.each<[string, Lines]>([
    ['without the transaction that it showed', { getTransaction: null }],
    ['with its transaction in another slot', { getTransaction: { ...whole, slot: 21 } }],
    ['that is another one now', { getBlock: { ...block(shown), blockhash: key(7) } }],
  ])('%s tells that the chain has moved', async (_, lines) => {
    expect(await arrivals(lines)).toBeUndefined()
  })

  test.each<[string, Lines]>([
    ['with fewer transactions than another machine told', { getBlock: block() }],
    ['with nothing but signatures', { getBlock: { blockhash: BLOCK.hash, signatures: [HASH] } }],
    ['without an answer', { getBlock: () => error(-32_004, 'Block not available for slot 20') }],
    ['without balances', { getBlock: block({ ...shown, meta: { err: null } }) }],
    ['without a verdict', { getBlock: block({ ...shown, meta: { ...meta, err: undefined } }) }],
    [
      'with instructions that name no account',
      {
        getTransaction: () =>
          result({
            ...whole,
            transaction: {
              ...whole.transaction,
              message: {
                header: HEADER,
                accountKeys: KEYS,
                instructions: [{ programIdIndex: 99, accounts: [], data: '' }],
              },
            },
          }),
      },
    ],
  ])('%s is a failure of the node', async (_, lines) => {
    await expect(arrivals(lines)).rejects.toThrow(NodeFailure)
  })
})

function seeded(base: Address, seed: Buffer): Address {
  const hash = createHash('sha256')
  for (const part of [addressBytes(base), seed, addressBytes(TOKEN_PROGRAM)]) hash.update(part)
  return addressFromBytes(new Uint8Array(hash.digest()))
}

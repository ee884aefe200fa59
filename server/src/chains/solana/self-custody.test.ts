import { createHash } from 'node:crypto'
import { baseUnits } from '@florin/wire/amount.ts'
import {
  createKeyPairFromPrivateKeyBytes,
  decompileTransactionMessage,
  getAddressFromPublicKey,
  getBase64EncodedWireTransaction,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  partiallySignTransaction,
} from '@solana/kit'
import type { Instruction as KitInstruction } from '@solana/kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AssetProfile } from '../../kernel/network-config.ts'
import { until } from '../../kernel/until.ts'
import type { Address, Block } from '../chain.ts'
import type { Built, Inspected, Preparation, SelfCustody, Sighting } from '../self-custody.ts'
import { addressBytes, knownAddress, parseAddress } from './account.ts'
import { compileMessage } from './message.ts'
import type { Instruction } from './message.ts'
import { MEMO_PROGRAM, SYSTEM_PROGRAM, TOKEN_PROGRAM } from './programs.ts'
import { NO_SIGNATURE, hashOf, withSignature } from './sign.ts'
import { COMMITMENT, SOL, startTestChain } from './test-chain.ts'
import type { TestChain } from './test-chain.ts'
import { NATIVE, USDC } from './test-network.ts'
import { associatedAccount } from './token-account.ts'

const SEEN_SECONDS = 60
const COMMITMENT_HEX = Buffer.from(COMMITMENT).toString('hex')
const RENT = 2_039_280n

let world: TestChain
let chain: SelfCustody
let serial = 0
beforeAll(async () => {
  world = await startTestChain()
  if (world.chain.selfCustody === undefined) throw new Error('Solana builds for others')
  chain = world.chain.selfCustody
})
afterAll(async () => {
  await world.sandbox.stop()
})

/** A wallet that only kit knows the key of. */
async function owner(...funds: readonly ['native' | 'USDC', string][]) {
  serial += 1
  const key = createHash('sha256').update(`owner ${serial}`).digest()
  const pair = await createKeyPairFromPrivateKeyBytes(new Uint8Array(key))
  const address = parseAddress(await getAddressFromPublicKey(pair.publicKey))
  if (address === undefined) throw new Error('no address')
  for (const [asset, amount] of funds) await world.sandbox.fund(address, asset, amount)
  return { pair, address }
}

type Owner = Awaited<ReturnType<typeof owner>>

async function prepared(
  { address: sender }: Owner,
  { address: recipient }: Owner,
  amount: bigint,
  asset: AssetProfile = NATIVE,
  priorityFee?: bigint,
): Promise<Preparation> {
  const outcome = await chain.prepare({
    sender,
    recipient,
    asset,
    amount: baseUnits(amount),
    commitment: COMMITMENT,
    ...(priorityFee === undefined ? {} : { priorityFee: baseUnits(priorityFee) }),
  })
  if (!outcome.ok) throw new Error(`refused: ${outcome.refusal}`)
  return outcome.preparation
}

/** What stock kit reads in the bytes. */
function decoded({ transaction }: Pick<Built, 'transaction'>) {
  const wire = getTransactionDecoder().decode(transaction)
  const compiled = getCompiledTransactionMessageDecoder().decode(wire.messageBytes)
  const message = decompileTransactionMessage(compiled)
  const listed: readonly KitInstruction[] = message.instructions
  const instructions = listed.map(({ programAddress, accounts = [], data }) => ({
    program: programAddress,
    accounts: accounts.map(({ address }) => address),
    data: Buffer.from(data ?? []).toString('hex'),
  }))
  return { wire, compiled, message, instructions }
}

async function signedBy({ pair }: Owner, transaction: Uint8Array): Promise<Uint8Array> {
  const signed = await partiallySignTransaction([pair], getTransactionDecoder().decode(transaction))
  return new Uint8Array(Buffer.from(getBase64EncodedWireTransaction(signed), 'base64'))
}

function read(bytes: Uint8Array, ...wallets: readonly Address[]): Inspected {
  const inspected = chain.inspect(bytes, wallets)
  if (!inspected.ok) throw new Error(inspected.reason)
  return inspected
}

async function sent(bytes: Uint8Array, { address }: Owner): Promise<Sighting> {
  const { height } = await world.chain.head()
  expect(await world.chain.broadcast([bytes])).toEqual([{ kind: 'accepted' }])
  const watched = { senders: new Set([address]), commitments: new Set<string>() }
  return await until(
    'a sighting',
    async () => {
      const blocks = await world.chain.blocks(height, 20)
      const found = await chain.sightings(blocks, async () => watched)
      return found?.find(({ transactionHash }) => transactionHash === hashOf(bytes))
    },
    { seconds: SEEN_SECONDS },
  )
}

/** A transaction of any instructions, unsigned, that lives as long as a build would. */
async function madeOf(sender: Owner, instructions: readonly Instruction[]): Promise<Uint8Array> {
  const message = compileMessage(sender.address, instructions, await world.latestBlockhash())
  return withSignature(NO_SIGNATURE, message)
}

function lamports(from: Address, to: Address, amount: bigint): Instruction {
  const data = Buffer.alloc(12)
  data.writeUInt32LE(2)
  data.writeBigUInt64LE(amount, 4)
  const accounts = [from, to].map((address) => ({ address, isWritable: true }))
  return { program: SYSTEM_PROGRAM, accounts, data }
}

const MEMO = Buffer.from(`florin1:${COMMITMENT_HEX}`).toString('hex')

describe('a build', () => {
  test('of lamports is what stock kit reads: limit, price, transfer, commitment, nothing more', async () => {
    const [wallet, seller] = [await owner(['native', '2']), await owner()]
    const built = (await prepared(wallet, seller, SOL)).build([])
    const { wire, message, instructions } = decoded(built)
    const { lastValidBlockHeight } = built
    expect(message.version).toBe(0)
    expect(message.feePayer.address).toBe(wallet.address)
    expect(Object.entries(wire.signatures)).toEqual([[wallet.address, null]])
    expect(instructions.map(({ program }) => program)).toEqual([
      'ComputeBudget111111111111111111111111111111',
      'ComputeBudget111111111111111111111111111111',
      '11111111111111111111111111111111',
      'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
    ])
    const [, , transfer, memo] = instructions
    expect(transfer?.accounts).toEqual([wallet.address, seller.address])
    expect(transfer?.data).toBe(`0200000000ca9a3b00000000`)
    expect(memo).toMatchObject({ accounts: [], data: MEMO })
    expect(built).toMatchObject({
      format: 'solana-v0',
      nonce: null,
      expiryEnforcedByChain: true,
      carriesCommitment: true,
      unsigned: null,
      summary: {
        feePayer: wallet.address,
        transfers: [{ asset: 'native', from: wallet.address, to: seller.address, amount: SOL }],
        commitments: [COMMITMENT_HEX],
        createsAccounts: [],
        others: [],
      },
    })
    const height = BigInt(String(await world.rpc('getBlockHeight', { commitment: 'confirmed' })))
    expect(lastValidBlockHeight).toBeGreaterThan(height + 140n)
    expect(lastValidBlockHeight).toBeLessThanOrEqual(height + 151n)
    const sighting = await sent(await signedBy(wallet, built.transaction), wallet)
    expect(sighting).toMatchObject({
      succeeded: true,
      sender: wallet.address,
      isPlain: true,
      commitments: [COMMITMENT_HEX],
      transfers: [{ asset: 'native', from: wallet.address, to: seller.address, amount: SOL }],
    })
    expect(sighting.feePaid).toBe(built.fee.max)
  })

  test("of tokens makes the missing account at the sender's cost, and says so", async () => {
    const [wallet, seller] = [await owner(['native', '1'], ['USDC', '5']), await owner()]
    const built = (await prepared(wallet, seller, 1_250_000n, USDC)).build([])
    const { instructions } = decoded(built)
    const mint = parseAddress(USDC.asset) ?? SYSTEM_PROGRAM
    const [from, account] = [wallet, seller].map(
      ({ address }) => associatedAccount(address, TOKEN_PROGRAM, mint).address,
    )
    expect(instructions.slice(2)).toMatchObject([
      {
        program: 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
        accounts: [wallet.address, account, seller.address, mint, SYSTEM_PROGRAM, TOKEN_PROGRAM],
        data: '01',
      },
      {
        program: TOKEN_PROGRAM,
        accounts: [from, mint, account, wallet.address],
        data: '0cd01213000000000006',
      },
      { program: MEMO_PROGRAM, data: MEMO },
    ])
    expect(instructions).toHaveLength(5)
    expect(built.fee.accountRent).toBe(RENT)
    expect(built.summary).toMatchObject({
      transfers: [{ asset: mint, from: wallet.address, to: seller.address, amount: 1_250_000n }],
      createsAccounts: [{ account, owner: seller.address, asset: mint }],
      others: [],
    })
    const raw = await signedBy(wallet, built.transaction)
    expect(read(raw, seller.address)).toMatchObject({ isSigned: true, summary: built.summary })
    expect(await sent(raw, wallet)).toMatchObject({
      isPlain: true,
      feePaid: built.fee.max,
      transfers: [{ asset: mint, from: wallet.address, to: seller.address, amount: 1_250_000n }],
    })
    const again = (await prepared(wallet, seller, 1n, USDC)).build([])
    expect(again).toMatchObject({ fee: { accountRent: 0n }, summary: { createsAccounts: [] } })
    expect(again.summary.transfers).toMatchObject([{ to: seller.address }])
  })

  test('offers a given priority fee, rounded down, and simulates a shape once', async () => {
    const [wallet, seller] = [await owner(['native', '1']), await owner()]
    const { fee } = await prepared(wallet, seller, SOL / 100n, NATIVE, 50_000n)
    expect(fee.priority).toBeLessThanOrEqual(50_000n)
    expect(fee.priority).toBeGreaterThan(49_000n)
    world.requests()
    await prepared(wallet, seller, SOL / 100n)
    expect(world.requests()).toBe(1)
  })
})

describe('inspection', () => {
  test('of every cut and appended byte says no, and of a changed signed one, too', async () => {
    const [wallet, seller] = [await owner(['native', '1'], ['USDC', '5']), await owner()]
    const built = (await prepared(wallet, seller, 1_250_000n, USDC)).build([])
    const raw = await signedBy(wallet, built.transaction)
    for (const bytes of [built.transaction, raw]) {
      for (let length = 0; length < bytes.length; length += 1) {
        expect(chain.inspect(bytes.subarray(0, length)).ok).toBe(false)
      }
      expect(chain.inspect(Buffer.concat([bytes, Uint8Array.of(0)])).ok).toBe(false)
    }
    for (let at = 0; at < raw.length; at += 1) {
      const changed = raw.slice()
      changed[at] = (changed[at] ?? 0) ^ 0x01
      expect(chain.inspect(changed).ok).toBe(false)
    }
  })

  test('says everything that a transaction does besides', async () => {
    const [wallet, other] = [await owner(['native', '1'], ['USDC', '5']), await owner()]
    const mint = parseAddress(USDC.asset) ?? SYSTEM_PROGRAM
    const source = associatedAccount(wallet.address, TOKEN_PROGRAM, mint).address
    const move = lamports(wallet.address, other.address, 5n)
    const others = async (...instructions: readonly Instruction[]) =>
      read(await madeOf(wallet, instructions)).summary.others
    expect(await others(move)).toEqual([])
    expect(await others({ program: MEMO_PROGRAM, accounts: [], data: Buffer.from('hi') })).toEqual([
      'carries another memo',
    ])
    // Approve a delegate; close the account; hand it to somebody else.
    const writable = (address: Address) => ({ address, isWritable: true })
    const accounts = [source, other.address, wallet.address].map(writable)
    for (const data of [Buffer.from('040100000000000000', 'hex'), Buffer.from('09', 'hex')]) {
      expect(await others(move, { program: TOKEN_PROGRAM, accounts, data })).toEqual([
        `calls ${TOKEN_PROGRAM} in a way not known here`,
      ])
    }
    const limit = Buffer.from('0240420f00', 'hex')
    const budget = parseAddress('ComputeBudget111111111111111111111111111111') ?? SYSTEM_PROGRAM
    const sets = { program: budget, accounts: [], data: limit }
    expect(await others(sets, sets)).toEqual(['sets its compute budget twice'])
    const assign = {
      ...move,
      data: Buffer.concat([Buffer.from('01000000', 'hex'), Buffer.alloc(8)]),
    }
    expect(await others(assign)).toHaveLength(1)
    const moves = Buffer.from('0c010000000000000006', 'hex')
    const foreign = [other.address, mint, source, wallet.address].map(writable)
    expect(await others({ program: TOKEN_PROGRAM, accounts: foreign, data: moves })).toEqual([
      `moves tokens out of ${other.address}, which is not its signer's own`,
    ])
  })
})

describe('a sighting', () => {
  test('shows an edited transaction as the chain has it', async () => {
    const [wallet, other] = [await owner(['native', '1']), await owner(['native', '1'])]
    const memo = { program: MEMO_PROGRAM, accounts: [], data: Buffer.from(MEMO, 'hex') }
    const move = lamports(wallet.address, other.address, 499n)
    const edited = await madeOf(wallet, [move, memo])
    expect(await sent(await signedBy(wallet, edited), wallet)).toMatchObject({
      isPlain: true,
      transfers: [{ amount: 499n, effectIndex: 0 }],
    })
    const twice = await madeOf(wallet, [move, memo, memo])
    expect(await sent(await signedBy(wallet, twice), wallet)).toMatchObject({
      isPlain: false,
      commitments: [COMMITMENT_HEX, COMMITMENT_HEX],
    })
    const hello = { ...memo, data: Buffer.from('hi') }
    const besides = await madeOf(wallet, [move, memo, hello])
    expect(await sent(await signedBy(wallet, besides), wallet)).toMatchObject({ isPlain: false })
    const more = await madeOf(wallet, [move, lamports(wallet.address, other.address, 1n), memo])
    expect(await sent(await signedBy(wallet, more), wallet)).toMatchObject({ isPlain: false })
  })

  test('tells whose account was paid where its owner gave it away before the build landed', async () => {
    const wallet = await owner(['native', '1'], ['USDC', '5'])
    const seller = await owner(['native', '1'], ['USDC', '1'])
    const newOwner = (await owner()).address
    const mint = knownAddress(USDC.asset)
    const account = associatedAccount(seller.address, TOKEN_PROGRAM, mint).address
    const built = (await prepared(wallet, seller, 1_250_000n, USDC)).build([])
    // SetAuthority of the account's owner, to somebody. Source: spl-token.
    const giveAway = {
      program: TOKEN_PROGRAM,
      accounts: [
        { address: account, isWritable: true },
        { address: seller.address, isWritable: false },
      ],
      data: Buffer.concat([Uint8Array.of(6, 2, 1), addressBytes(newOwner)]),
    }
    const given = await signedBy(seller, await madeOf(seller, [giveAway]))
    await world.chain.broadcast([given])
    await world.mined(hashOf(given))
    const sighting = await sent(await signedBy(wallet, built.transaction), wallet)
    expect(sighting).toMatchObject({ succeeded: true, isPlain: true })
    const [transfer, ...others] = sighting.transfers
    expect(others).toEqual([])
    expect(transfer).toMatchObject({ from: wallet.address, to: newOwner, amount: 1_250_000n })
    expect(transfer?.isInto?.(seller.address)).toBe(true)
    expect(transfer?.isInto?.(newOwner)).toBe(false)
  })

  test("of a block that is not the chain's is undefined", async () => {
    const { height } = await world.chain.head()
    const [block] = await world.chain.blocks(height, 1)
    if (block === undefined) throw new Error('no block')
    const gone: Block = { ...block, hash: '1'.repeat(32), transactionHashes: ['x' as never] }
    const nobody = { senders: new Set<Address>(), commitments: new Set<string>() }
    expect(await chain.sightings([gone], async () => nobody)).toBeUndefined()
  })
})

describe('a simulation', () => {
  test('says which balances change, rent included, and what it takes', async () => {
    const [wallet, seller] = [await owner(['native', '1'], ['USDC', '5']), await owner()]
    const built = (await prepared(wallet, seller, 1_250_000n, USDC)).build([])
    const outcome = await chain.simulate(built.transaction, wallet.address)
    expect(outcome).toMatchObject({ succeeds: true, fee: built.fee.max - RENT })
    const changes = 'changes' in outcome ? outcome.changes : []
    expect(changes).toContainEqual({
      address: wallet.address,
      asset: USDC.asset,
      delta: -1_250_000n,
    })
    expect(changes).toContainEqual({
      address: seller.address,
      asset: USDC.asset,
      delta: 1_250_000n,
    })
    expect(changes).toContainEqual({ address: wallet.address, asset: 'native', delta: -RENT })
  })

  test('says why not: no money, a blockhash that is too old, another wallet', async () => {
    const [poor, wallet, seller] = [await owner(), await owner(['native', '1']), await owner()]
    const broke = (await prepared(poor, seller, SOL)).build([])
    expect(await chain.simulate(broke.transaction)).toMatchObject({
      succeeds: false,
      error: 'its fee payer holds nothing',
    })
    const built = (await prepared(wallet, seller, SOL / 10n)).build([])
    expect(await chain.simulate(built.transaction, poor.address)).toMatchObject({ ok: false })
    const tooMuch = await madeOf(wallet, [lamports(wallet.address, seller.address, 2n * SOL)])
    expect(await chain.simulate(tooMuch)).toMatchObject({ error: 'instruction 1 fails: error 1' })
    await world.pass(160)
    expect(await chain.simulate(built.transaction)).toMatchObject({
      succeeds: false,
      error: 'its blockhash is too old, or not of this chain',
    })
  })
})

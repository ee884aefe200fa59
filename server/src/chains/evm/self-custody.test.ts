import { baseUnits } from '@florin/wire/amount.ts'
import { decodeFunctionData, erc20Abi, keccak256, parseTransaction } from 'viem'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../kernel/clock.ts'
import { openLog } from '../../kernel/log.ts'
import type { AssetProfile } from '../../kernel/network-config.ts'
import { until } from '../../kernel/until.ts'
import type { Address, Block } from '../chain.ts'
import type { Built, Inspected, Preparation, SelfCustody, Sighting } from '../self-custody.ts'
import { addressBytes, addressFromBytes, parseAddress } from './account.ts'
import { connectEvm } from './connect.ts'
import { COMMITMENT, ETHER, startTestChain } from './test-chain.ts'
import type { TestChain } from './test-chain.ts'
import { NATIVE, USDC, testNetwork } from './test-network.ts'
import { postText } from '../json-rpc/post-text.ts'

const COMMITMENT_HEX = Buffer.from(COMMITMENT).toString('hex')
const TAIL = `9fde4014${COMMITMENT_HEX}`
const TO = addressFromBytes(new Uint8Array(20).fill(0x77))
const REFUSES_ALL = '0x5f5ffd'
const RUNS_FOR_EVER = '0x5b5f56'

let world: TestChain
let chain: SelfCustody
let serial = 0
beforeAll(async () => {
  world = await startTestChain()
  if (world.chain.selfCustody === undefined) throw new Error('EVM builds for others')
  chain = world.chain.selfCustody
})
afterAll(async () => {
  await world.sandbox.stop()
})

/** A wallet that only viem knows the key of. */
async function owner(...funds: readonly ['native' | 'USDC', string][]) {
  serial += 1
  const account = privateKeyToAccount(keccak256(Buffer.from(`owner ${serial}`)))
  const address = parseAddress(account.address)
  if (address === undefined) throw new Error('no address')
  for (const [asset, amount] of funds) await world.sandbox.fund(address, asset, amount)
  return { account, address }
}

type Owner = Awaited<ReturnType<typeof owner>>

async function prepared(
  { address }: Owner,
  amount: bigint,
  asset: AssetProfile = NATIVE,
  more: { recipient?: Address; priorityFee?: bigint } = {},
): Promise<Preparation> {
  const { recipient = TO, priorityFee } = more
  const outcome = await chain.prepare({
    sender: address,
    recipient,
    asset,
    amount: baseUnits(amount),
    commitment: COMMITMENT,
    ...(priorityFee === undefined ? {} : { priorityFee: baseUnits(priorityFee) }),
  })
  if (!outcome.ok) throw new Error(`refused: ${outcome.refusal}`)
  return outcome.preparation
}

const hexOf = (bytes: Uint8Array): Hex => `0x${Buffer.from(bytes).toString('hex')}`
const bytesOf = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex.slice(2), 'hex'))

function unsignedOf(built: Built) {
  const parsed = parseTransaction(hexOf(built.transaction))
  if (parsed.type !== 'eip1559') throw new Error(`a transaction of type ${parsed.type}`)
  return parsed
}

async function signedBy({ account }: Owner, built: Built): Promise<Uint8Array> {
  return bytesOf(await account.signTransaction(unsignedOf(built)))
}

function read(bytes: Uint8Array): Inspected {
  const inspected = chain.inspect(bytes)
  if (!inspected.ok) throw new Error(inspected.reason)
  return inspected
}

/** What blocks from a height on show of one transaction, as soon as they do. */
async function sighted(fromHeight: bigint, sender: Address, hash: string): Promise<Sighting> {
  const watched = { senders: new Set([sender]), commitments: new Set<string>() }
  return await until(
    'a sighting',
    async () => {
      const blocks = await world.chain.blocks(fromHeight, 20)
      const found = await chain.sightings(blocks, async () => watched)
      return found?.find(({ transactionHash }) => transactionHash === hash)
    },
    { seconds: 30 },
  )
}

async function sent(bytes: Uint8Array, { address }: Owner): Promise<Sighting> {
  const { height } = await world.chain.head()
  expect(await world.chain.broadcast([bytes])).toEqual([{ kind: 'accepted' }])
  return await sighted(height, address, keccak256(bytes))
}

describe('a build', () => {
  test('of a native transfer is what stock viem reads: value, recipient, commitment, nothing more', async () => {
    const wallet = await owner(['native', '2'])
    const preparation = await prepared(wallet, ETHER)
    const built = preparation.build([])
    const parsed = unsignedOf(built)
    const { unsigned } = built
    expect(parsed).toEqual({
      type: 'eip1559',
      chainId: 84_532,
      to: TO.toLowerCase(),
      value: ETHER,
      data: `0x${TAIL}`,
      gas: unsigned?.gas,
      maxFeePerGas: unsigned?.maxFeePerGas,
      maxPriorityFeePerGas: unsigned?.maxPriorityFeePerGas,
      nonce: 0,
    })
    expect(built).toMatchObject({
      format: 'eip1559-rlp',
      nonce: 0n,
      expiryEnforcedByChain: false,
      carriesCommitment: true,
      summary: {
        feePayer: wallet.address,
        transfers: [{ asset: 'native', from: wallet.address, to: TO, amount: ETHER }],
        commitments: [COMMITMENT_HEX],
        createsAccounts: [],
        others: [],
      },
    })
    expect(preparation.balances.native).toBe(2n * ETHER)
    expect(built.fee.max).toBe((parsed.gas ?? 0n) * (parsed.maxFeePerGas ?? 0n))
    const sighting = await sent(await signedBy(wallet, built), wallet)
    expect(sighting).toMatchObject({
      succeeded: true,
      sender: wallet.address,
      nonce: 0n,
      isPlain: true,
      commitments: [COMMITMENT_HEX],
      transfers: [
        { asset: 'native', from: wallet.address, to: TO, amount: ETHER, effectIndex: -1 },
      ],
    })
    expect(sighting.feePaid).toBeLessThanOrEqual(built.fee.max)
  })

  test('of a token transfer calls transfer with the commitment behind it, and pays what it says', async () => {
    const wallet = await owner(['native', '1'], ['USDC', '5'])
    const built = (await prepared(wallet, 1_250_000n, USDC)).build([])
    const parsed = unsignedOf(built)
    const data = parsed.data ?? '0x'
    expect(parsed).toMatchObject({ to: USDC.asset.toLowerCase(), nonce: 0 })
    expect(parsed.value ?? 0n).toBe(0n)
    expect(data.endsWith(TAIL)).toBe(true)
    expect(data.length).toBe(2 + 2 * (4 + 64 + 36))
    expect(decodeFunctionData({ abi: erc20Abi, data })).toEqual({
      functionName: 'transfer',
      args: [TO, 1_250_000n],
    })
    expect(built.summary).toMatchObject({
      transfers: [{ asset: USDC.asset, from: wallet.address, to: TO, amount: 1_250_000n }],
      others: [],
    })
    const raw = await signedBy(wallet, built)
    expect(read(raw)).toMatchObject({
      isSigned: true,
      sender: wallet.address,
      hash: keccak256(raw),
      summary: built.summary,
    })
    expect(await sent(raw, wallet)).toMatchObject({
      isPlain: true,
      transfers: [{ asset: USDC.asset, from: wallet.address, to: TO, amount: 1_250_000n }],
    })
  })

  test('takes the next nonce that neither the pool nor a live build has', async () => {
    const wallet = await owner(['native', '1'])
    const first = await prepared(wallet, 1_000n)
    expect(first.build([]).nonce).toBe(0n)
    expect(first.build([0n, 1n, 3n]).nonce).toBe(2n)
    const raw = await signedBy(wallet, first.build([0n]))
    await world.chain.broadcast([await signedBy(wallet, first.build([])), raw])
    expect((await prepared(wallet, 1_000n)).build([]).nonce).toBe(2n)
  })

  test('offers exactly the priority fee that was asked for, rounded down to a whole price', async () => {
    const wallet = await owner(['native', '1'])
    const { fee, build } = await prepared(wallet, 1_000n, NATIVE, { priorityFee: 10n ** 13n })
    const gas = build([]).unsigned?.gas ?? 1n
    expect(fee.priority).toBe((10n ** 13n / gas) * gas)
  })

  test('takes one round trip', async () => {
    const wallet = await owner(['native', '1'])
    await prepared(wallet, 1_000n)
    world.requests()
    await prepared(wallet, 1_001n)
    expect(world.requests()).toBe(1)
  })

  test('names what is missing, and leaves the verdict on it to the caller', async () => {
    const { balances } = await prepared(await owner(), ETHER)
    expect(balances).toEqual({ native: 0n, asset: 0n })
  })
})

describe('inspection', () => {
  test('of every cut and of every appended byte says no, and of a changed one never the same', async () => {
    const wallet = await owner(['native', '1'], ['USDC', '5'])
    const built = (await prepared(wallet, 1_250_000n, USDC)).build([])
    const raw = await signedBy(wallet, built)
    const honest = read(raw)
    for (const bytes of [built.transaction, raw]) {
      for (let length = 0; length < bytes.length; length += 1) {
        expect(chain.inspect(bytes.subarray(0, length)).ok).toBe(false)
      }
      expect(chain.inspect(Buffer.concat([bytes, Uint8Array.of(0)])).ok).toBe(false)
    }
    for (let at = 0; at < raw.length; at += 1) {
      for (const flip of [0x01, 0x80]) {
        const changed = raw.slice()
        changed[at] = (changed[at] ?? 0) ^ flip
        const inspected = chain.inspect(changed)
        if (inspected.ok) expect(inspected.sender).not.toBe(honest.sender)
      }
    }
  })

  test('says everything that a transaction does besides', async () => {
    const wallet = await owner()
    const parsed = unsignedOf((await prepared(wallet, 5n)).build([]))
    const others = async (change: object) => {
      const raw = await wallet.account.signTransaction({ ...parsed, ...change })
      return read(bytesOf(raw)).summary.others
    }
    const accessList = [{ address: TO, storageKeys: [] }]
    expect(await others({ accessList })).toEqual(['has an access list'])
    expect(await others({ to: null })).toContain('creates a contract')
    const unknown = `calls ${TO} with 4 bytes whose meaning is not known here`
    expect(await others({ data: '0x12345678' })).toEqual([unknown])
    expect(await others({ to: USDC.asset, data: '0x', value: 7n })).toHaveLength(2)
    const approve = `0x095ea7b3${TO.slice(2).padStart(64, '0')}${'1'.padStart(64, '0')}`
    expect(await others({ to: USDC.asset, value: 0n, data: approve })).toHaveLength(1)
    const twice = read(
      bytesOf(await wallet.account.signTransaction({ ...parsed, data: `0x${TAIL}${TAIL}` })),
    )
    expect(twice.summary.commitments).toHaveLength(2)
  })
})

describe('a sighting', () => {
  test('shows an edited transaction as the chain has it, by its sender and nonce', async () => {
    const wallet = await owner(['native', '1'])
    const parsed = unsignedOf((await prepared(wallet, 500n)).build([]))
    const edited = await wallet.account.signTransaction({ ...parsed, value: 499n })
    expect(await sent(bytesOf(edited), wallet)).toMatchObject({
      nonce: 0n,
      transfers: [{ amount: 499n }],
    })
    const bare = await wallet.account.signTransaction({ ...parsed, nonce: 1, data: '0x' })
    expect(await sent(bytesOf(bare), wallet)).toMatchObject({ commitments: [], isPlain: false })
  })

  test('reads no receipt of a transaction that could fill it', async () => {
    const wallet = await owner(['native', '2'])
    const parsed = unsignedOf((await prepared(wallet, 500n)).build([]))
    const greedy = await wallet.account.signTransaction({ ...parsed, gas: 20_000_000n })
    expect(await sent(bytesOf(greedy), wallet)).toMatchObject({
      nonce: 0n,
      commitments: [COMMITMENT_HEX],
      isPlain: false,
      transfers: [],
    })
  })

  test('shows no transfer of a transaction that failed', async () => {
    const wallet = await owner(['native', '1'])
    const broken = await world.contract(REFUSES_ALL)
    const parsed = unsignedOf((await prepared(wallet, 500n)).build([]))
    const raw = await wallet.account.signTransaction({ ...parsed, to: hexOf(addressBytes(broken)) })
    expect(await sent(bytesOf(raw), wallet)).toMatchObject({ succeeded: false, transfers: [] })
  })

  test('asks who is watched with the senders and commitments of the blocks', async () => {
    const wallet = await owner(['native', '1'])
    const built = (await prepared(wallet, 500n)).build([])
    const { height } = await world.chain.head()
    await sent(await signedBy(wallet, built), wallet)
    const blocks = await world.chain.blocks(height, 20)
    const found = await chain.sightings(blocks, async ({ senders, commitments }) => {
      expect(senders).toContain(wallet.address)
      expect(commitments).toContain(COMMITMENT_HEX)
      return { senders: new Set(), commitments: new Set([COMMITMENT_HEX]) }
    })
    expect(found?.map(({ sender }) => sender)).toContain(wallet.address)
  })

  test("of a block that is not the chain's is undefined", async () => {
    const [block] = await world.chain.blocks(1n, 1)
    if (block === undefined) throw new Error('no block')
    const gone: Block = { ...block, hash: `0x${'ab'.repeat(32)}` }
    const filled = { ...gone, transactionHashes: ['x' as never] }
    const nobody = { senders: new Set<Address>(), commitments: new Set<string>() }
    expect(await chain.sightings([filled], async () => nobody)).toBeUndefined()
  })
})

describe('a simulation', () => {
  test('says which balances change and what it takes', async () => {
    const wallet = await owner(['native', '1'], ['USDC', '5'])
    const built = (await prepared(wallet, 1_000_000n, USDC)).build([])
    const outcome = await chain.simulate(built.transaction, wallet.address)
    expect(outcome).toMatchObject({
      succeeds: true,
      error: null,
      changes: [
        { address: wallet.address, asset: USDC.asset, delta: -1_000_000n },
        { address: TO, asset: USDC.asset, delta: 1_000_000n },
      ],
    })
    const native = (await prepared(wallet, 77n)).build([])
    expect(await chain.simulate(native.transaction)).toEqual({
      ok: false,
      reason: 'it is not signed: say in walletAddress who would sign it',
    })
    expect(await chain.simulate(await signedBy(wallet, native))).toMatchObject({
      succeeds: true,
      changes: [{ delta: -77n }, { delta: 77n }],
    })
  })

  test('says why not: no money, a nonce that is gone, a call that fails, another wallet', async () => {
    const poor = await owner()
    const built = (await prepared(poor, ETHER)).build([])
    expect(await chain.simulate(built.transaction, poor.address)).toMatchObject({
      succeeds: false,
      error: expect.stringContaining('the sender has 0 wei'),
    })
    const wallet = await owner(['native', '1'])
    const first = (await prepared(wallet, 1n)).build([])
    const raw = await signedBy(wallet, first)
    await sent(raw, wallet)
    expect(await chain.simulate(raw)).toMatchObject({ error: expect.stringContaining('nonce 0') })
    const broken = await world.contract(REFUSES_ALL)
    const parsed = unsignedOf((await prepared(wallet, 1n)).build([]))
    const failing = await wallet.account.signTransaction({
      ...parsed,
      to: hexOf(addressBytes(broken)),
    })
    expect(await chain.simulate(bytesOf(failing))).toMatchObject({
      succeeds: false,
      error: 'the call fails',
      changes: [],
    })
    const cheap = await wallet.account.signTransaction({ ...parsed, gas: 20_999n })
    expect(await chain.simulate(bytesOf(cheap))).toMatchObject({ error: 'the call fails' })
    expect(await chain.simulate(raw, poor.address)).toMatchObject({ ok: false })
    expect(await chain.simulate(built.transaction)).toMatchObject({ ok: false })
  })

  test('runs a million gas at most, and says so where that is too little', async () => {
    const wallet = await owner(['native', '1'])
    const parsed = { ...unsignedOf((await prepared(wallet, 1n)).build([])), gas: 2_000_000n }
    const plenty = await wallet.account.signTransaction(parsed)
    expect(await chain.simulate(bytesOf(plenty))).toMatchObject({ succeeds: true })
    const to = hexOf(addressBytes(await world.contract(RUNS_FOR_EVER)))
    const endless = await wallet.account.signTransaction({ ...parsed, to })
    expect(await chain.simulate(bytesOf(endless))).toMatchObject({
      succeeds: false,
      error: 'the call fails with 1000000 gas, the most that is simulated: it asks for 2000000',
    })
  })

  test('does with a node that cannot simulate', async () => {
    const wallet = await owner(['native', '1'])
    const built = (await prepared(wallet, 77n)).build([])
    const plain = connectEvm({
      config: testNetwork([world.sandbox.rpcUrl]),
      log: openLog('silent'),
      clock: systemClock,
      post: (posting) => {
        const body = posting.body.replaceAll('eth_simulateV1', 'eth_unheardOf')
        return postText({ ...posting, body })
      },
    })
    expect(await plain.selfCustody?.simulate(built.transaction, wallet.address)).toMatchObject({
      succeeds: true,
      changes: [{ delta: -77n }, { delta: 77n }],
    })
  })
})

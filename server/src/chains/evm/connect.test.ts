import { baseUnits } from '@florin/wire/amount.ts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../kernel/clock.ts'
import { openLog } from '../../kernel/log.ts'
import { NodeFailure } from '../chain.ts'
import type { Address } from '../chain.ts'
import { connectEvm } from './connect.ts'
import { signTerms } from './sign.ts'
import { readTerms, writeTerms } from './terms.ts'
import { ETHER, order, startTestChain } from './test-chain.ts'
import type { TestChain, TestWallet } from './test-chain.ts'

const CHAIN_ID = 84_532n

let world: TestChain
beforeAll(async () => {
  world = await startTestChain()
})
afterAll(async () => {
  await world.sandbox.stop()
})

describe('the estimate of fees', () => {
  test('is what a payment costs at the base fee of the newest block, its tip included', async () => {
    const sender = await world.wallet(['native', '2'])
    const recipient = (await world.wallet()).address
    await world.sandbox.fault({ kind: 'stop-blocks' })
    try {
      const estimate = await world.chain.estimateFees()
      const { terms } = await world.draft(order(sender, recipient, 1n))
      const { gas, fees } = readTerms(terms, CHAIN_ID)
      expect(estimate.priorityFee).toBe(gas * fees.maxPriorityFeePerGas)
      const newest = (await world.rpc('eth_getBlockByNumber', 'latest', false)) as {
        baseFeePerGas: string
      }
      expect(estimate.transfer).toBe(gas * BigInt(newest.baseFeePerGas) + estimate.priorityFee)
    } finally {
      await world.sandbox.clearFaults()
    }
  })
})

describe('the verdict of a real node, while no block comes', () => {
  let sender: TestWallet
  let recipient: Address
  beforeEach(async () => {
    sender = await world.wallet(['native', '2'])
    recipient = (await world.wallet()).address
    await world.sandbox.fault({ kind: 'stop-blocks' })
  })
  afterEach(async () => {
    await world.sandbox.clearFaults()
  })

  test('is known for bytes that are in the pool, and nonce too low once they are mined', async () => {
    const transaction = await world.signed(order(sender, recipient, 1n), sender, 0n)
    expect(await world.chain.broadcast([transaction.raw, transaction.raw])).toEqual([
      { kind: 'accepted' },
      { kind: 'known' },
    ])
    expect(await world.chain.outcomes([transaction.hash])).toEqual([{ state: 'absent' }])
    await world.sandbox.mine()
    expect(await world.chain.broadcast([transaction.raw])).toEqual([{ kind: 'nonce_too_low' }])
  })

  test('is underpriced for another attempt at the same fees, and accepted for a bump', async () => {
    const drafted = await world.draft(order(sender, recipient, 1n))
    const first = await world.chain.sign(drafted.terms, 0n, sender.signer)
    const rival = await world.signed(order(sender, recipient, 2n), sender, 0n)
    expect(await world.chain.broadcast([first.raw, rival.raw])).toEqual([
      { kind: 'accepted' },
      { kind: 'replacement_underpriced' },
    ])
    const { kept = drafted.terms, raw } = first
    expect(kept).not.toHaveProperty('data')
    const raised = await world.chain.renew(kept, drafted.feeCeiling, raw)
    if (raised === undefined) throw new Error('the ceiling leaves room')
    const second = await world.chain.sign(raised, 0n, sender.signer)
    expect(await world.chain.broadcast([second.raw])).toEqual([{ kind: 'accepted' }])
    await world.sandbox.mine()
    expect(await world.chain.outcomes([first.hash, second.hash])).toMatchObject([
      { state: 'absent' },
      { state: 'mined', succeeded: true },
    ])
    expect(await world.balanceOf(recipient)).toBe(1n)
  })

  test('is a bump to the present market after the base fee rose, until the ceiling is reached', async () => {
    const drafted = await world.draft(order(sender, recipient, 1n))
    const first = await world.chain.sign(drafted.terms, 0n, sender.signer)
    await world.chain.broadcast([first.raw])
    const { fees, gas } = readTerms(drafted.terms, CHAIN_ID)
    await world.sandbox.fault({ kind: 'base-fee', weiPerGas: `${fees.maxFeePerGas + 1n}` })
    await world.sandbox.mine()
    expect(await world.chain.outcomes([first.hash])).toEqual([{ state: 'absent' }])
    const raised = await world.chain.renew(drafted.terms, drafted.feeCeiling)
    if (raised === undefined) throw new Error('the ceiling leaves room')
    const after = readTerms(raised, CHAIN_ID).fees
    expect(after.maxFeePerGas).toBeGreaterThan(2n * fees.maxFeePerGas)
    expect(after.maxFeePerGas * gas).toBeLessThanOrEqual(drafted.feeCeiling)
    const second = await world.chain.sign(raised, 0n, sender.signer)
    expect(await world.chain.broadcast([second.raw])).toEqual([{ kind: 'accepted' }])
    await world.sandbox.mine()
    expect(await world.chain.outcomes([second.hash])).toMatchObject([{ state: 'mined' }])
    expect(
      await world.chain.renew(drafted.terms, baseUnits(gas * fees.maxFeePerGas)),
    ).toBeUndefined()
  })

  test('does not meet a draft: it is made on the last block, whatever waits in the pool', async () => {
    const first = await world.signed(order(sender, recipient, (ETHER * 3n) / 2n), sender, 0n)
    expect(await world.chain.broadcast([first.raw])).toEqual([{ kind: 'accepted' }])
    const drafted = await world.draft(order(sender, recipient, ETHER))
    expect(drafted).toMatchObject({ laneLatest: 0n, balances: { native: 2n * ETHER } })
  })

  test('is accepted above a gap, and both are mined when the gap is filled', async () => {
    const wanted = order(sender, recipient, 1n)
    const [below, above] = [
      await world.signed(wanted, sender, 0n),
      await world.signed(wanted, sender, 1n),
    ]
    expect(await world.chain.broadcast([above.raw])).toEqual([{ kind: 'accepted' }])
    await world.sandbox.mine()
    expect(await world.chain.outcomes([above.hash])).toEqual([{ state: 'absent' }])
    expect(await world.chain.broadcast([below.raw])).toEqual([{ kind: 'accepted' }])
    await world.sandbox.mine()
    expect(await world.chain.outcomes([below.hash, above.hash])).toMatchObject([
      { state: 'mined' },
      { state: 'mined' },
    ])
    expect(await world.chain.lanePosition(sender.address)).toMatchObject({ latest: 2n })
  })

  test('is a rejection for what no node may take: no funds, too little gas or fee, another chain', async () => {
    const { terms } = await world.draft(order(sender, recipient, 1n))
    const read = readTerms(terms, CHAIN_ID)
    const poor = await world.wallet()
    const broke = await world.signed(order(poor, recipient, ETHER), poor, 0n)
    const starved = writeTerms({ ...read, gas: 20_999n })
    const fees = { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n }
    const cheap = writeTerms({ ...read, fees })
    const foreign = await signTerms({ ...read, chainId: 1n }, 0n, sender.signer)
    const raws = [
      broke.raw,
      (await world.chain.sign(starved, 0n, sender.signer)).raw,
      (await world.chain.sign(cheap, 0n, sender.signer)).raw,
      foreign.raw,
      Uint8Array.of(2, 0xc0),
    ]
    expect(await world.chain.broadcast(raws)).toMatchObject([
      { kind: 'rejected', reason: 'insufficient_funds' },
      { kind: 'rejected', reason: 'invalid' },
      { kind: 'rejected', reason: 'fee_too_low' },
      { kind: 'rejected', reason: 'invalid' },
      { kind: expect.stringMatching(/rejected|unknown/) },
    ])
  })

  test.each([
    ['an HTTP 500', 'http-500'],
    ['a closed connection', 'connection-reset'],
    ['an error of its own', { code: -32_603, message: 'Internal error' }],
  ] as const)('is unknown after %s, whether or not it took the bytes', async (_, answer) => {
    const transaction = await world.signed(order(sender, recipient, 1n), sender, 0n)
    const fail = { kind: 'fail', answer, methods: ['eth_sendRawTransaction'], count: 1 } as const
    await world.sandbox.fault({ ...fail, forward: false })
    expect(await world.chain.broadcast([transaction.raw])).toMatchObject([{ kind: 'unknown' }])
    await world.sandbox.fault({ ...fail, forward: true })
    expect(await world.chain.broadcast([transaction.raw])).toMatchObject([{ kind: 'unknown' }])
    expect(await world.chain.broadcast([transaction.raw])).toEqual([{ kind: 'known' }])
  })

  test('is unknown when the node never answers', async () => {
    const transaction = await world.signed(order(sender, recipient, 1n), sender, 0n)
    const { config } = world.chain
    const surroundings = { log: openLog('silent'), clock: systemClock }
    const impatient = connectEvm({ config, ...surroundings, callSeconds: 1 })
    await world.sandbox.fault({ kind: 'hang', methods: ['eth_sendRawTransaction'], count: 1 })
    expect(await impatient.broadcast([transaction.raw])).toMatchObject([{ kind: 'unknown' }])
  })

  test('says nothing about the chain: accepted bytes may be dropped, and sent again', async () => {
    const transaction = await world.signed(order(sender, recipient, 1n), sender, 0n)
    await world.sandbox.fault({ kind: 'drop', count: 1 })
    expect(await world.chain.broadcast([transaction.raw])).toEqual([{ kind: 'accepted' }])
    await world.sandbox.mine()
    expect(await world.chain.outcomes([transaction.hash])).toEqual([{ state: 'absent' }])
    expect(await world.chain.broadcast([transaction.raw])).toEqual([{ kind: 'accepted' }])
  })

  test('is absent again after a reorg, and the same bytes are mined again', async () => {
    const transaction = await world.signed(order(sender, recipient, 1n), sender, 0n)
    await world.chain.broadcast([transaction.raw])
    await world.sandbox.mine()
    const [before] = await world.chain.outcomes([transaction.hash])
    expect(before).toMatchObject({ state: 'mined' })
    await world.sandbox.fault({ kind: 'reorg', depth: 1 })
    expect(await world.chain.outcomes([transaction.hash])).toEqual([{ state: 'absent' }])
    expect(await world.chain.broadcast([transaction.raw])).toEqual([{ kind: 'accepted' }])
    await world.sandbox.mine()
    expect(await world.chain.outcomes([transaction.hash])).toMatchObject([{ state: 'mined' }])
  })
})

describe('the chain itself', () => {
  test('knows its sandbox, its head and what is final', async () => {
    expect(await world.chain.sandboxInstance()).toBe(world.sandbox.instance)
    const head = await world.chain.head()
    expect(head.finalizedHeight).toBeLessThan(head.height)
    const blocks = await world.chain.blocks(head.finalizedHeight, 50)
    expect(blocks.at(0)?.height).toBe(head.finalizedHeight)
    expect(blocks.length).toBeGreaterThanOrEqual(Number(head.height - head.finalizedHeight) + 1)
    for (const [index, block] of blocks.entries()) {
      if (index > 0) expect(block.parentHash).toBe(blocks[index - 1]?.hash)
    }
  })

  test.each(['http-500', 'connection-reset'] as const)(
    'fails every read while the node is down with %s, and works when it is back',
    async (how) => {
      await world.sandbox.fault({ kind: 'down', how })
      const sender = await world.wallet()
      await expect(world.chain.head()).rejects.toThrow(NodeFailure)
      await expect(world.chain.outcomes([])).resolves.toEqual([])
      await expect(world.chain.draft(order(sender, sender.address, 1n))).rejects.toThrow(
        NodeFailure,
      )
      await expect(world.chain.sandboxInstance()).rejects.toThrow(NodeFailure)
      await world.sandbox.clearFaults()
      await expect(world.chain.head()).resolves.toMatchObject({})
    },
  )
})

import { baseUnits } from '@florin/wire/amount.ts'
import { parseTransferMemo } from '@florin/wire/transfer-memo.ts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../kernel/clock.ts'
import { openLog } from '../../kernel/log.ts'
import { until } from '../../kernel/until.ts'
import { NodeFailure } from '../chain.ts'
import type { Address } from '../chain.ts'
import { connectSolana } from './connect.ts'
import { MEMO_PROGRAM, TOKEN_PROGRAM } from './programs.ts'
import { readTerms } from './terms.ts'
import { NATIVE, NETWORK, USDC } from './test-network.ts'
import { COMMITMENT, SOL, order, startTestChain } from './test-chain.ts'
import type { TestChain, TestWallet } from './test-chain.ts'
import { associatedAccount } from './token-account.ts'

let world: TestChain
let sender: TestWallet
beforeAll(async () => {
  world = await startTestChain()
  sender = await world.wallet(['native', '1000'], ['USDC', '1000'])
})
afterAll(async () => {
  await world.sandbox.stop()
})
afterEach(async () => {
  await world.sandbox.clearFaults()
})
const newAddress = async (): Promise<Address> => (await world.wallet()).address

describe('a transfer', () => {
  test('of SOL arrives, costs what was said, and shows its commitment', async () => {
    const recipient = await newAddress()
    const before = await world.chain.balances(sender.address, world.chain.config.assets)
    const drafted = await world.draft(order(sender, recipient, SOL))
    const signed = await world.chain.sign(drafted.terms, 0n, sender.signer)
    expect(await world.chain.broadcast([signed.raw])).toEqual([{ kind: 'accepted' }])
    const outcome = await world.mined(signed.hash)
    expect(outcome).toMatchObject({ succeeded: true, transfers: [] })
    expect(outcome.feePaid).toBeLessThanOrEqual(drafted.feeCeiling)
    const { amounts } = await world.chain.balances(sender.address, world.chain.config.assets)
    expect(amounts[0]).toBe((before.amounts[0] ?? 0n) - SOL - outcome.feePaid)
    expect((await world.chain.balances(recipient, world.chain.config.assets)).amounts).toEqual([
      SOL,
      0n,
    ])
    const shown = JSON.stringify(
      await world.rpc('getTransaction', signed.hash, {
        commitment: 'confirmed',
        encoding: 'jsonParsed',
        maxSupportedTransactionVersion: 1,
      }),
    )
    const memo = /florin1:[0-9a-f]{64}/.exec(shown)?.[0] ?? ''
    expect(parseTransferMemo(memo)).toEqual(COMMITMENT)
  })

  test('of SOL costs what the estimate says', async () => {
    const estimate = await world.chain.estimateFees()
    const signed = await world.signed(order(sender, await newAddress(), SOL), sender)
    await world.chain.broadcast([signed.raw])
    expect((await world.mined(signed.hash)).feePaid).toBe(estimate.transfer)
    expect(estimate.transfer - estimate.priorityFee).toBe(5_000n)
    expect(estimate.priorityFee).toBeGreaterThan(0n)
  })

  test('of SOL is estimated the same by an instance that never paid', async () => {
    const { config } = world.chain
    const idle = connectSolana({ config, log: openLog('silent'), clock: systemClock })
    await world.draft(order(sender, await newAddress(), SOL))
    expect(await idle.estimateFees()).toEqual(await world.chain.estimateFees())
  })

  test('of USDC makes the missing token account once, and says what it cost', async () => {
    const recipient = await newAddress()
    const first = await world.draft(order(sender, recipient, 5_000_000n, USDC))
    const making = await world.chain.sign(first.terms, 0n, sender.signer)
    await world.chain.broadcast([making.raw])
    const made = await world.mined(making.hash)
    expect(made.transfers).toEqual([
      { asset: USDC.asset, from: sender.address, to: recipient, amount: 5_000_000n, logIndex: 3 },
    ])
    expect(made.feePaid).toBeGreaterThan(2_039_280n)
    expect(made.feePaid).toBeLessThanOrEqual(first.feeCeiling)

    const second = await world.draft(order(sender, recipient, 1n, USDC))
    expect(second.feeCeiling).toBeLessThan(10_000n)
    const plain = await world.chain.sign(second.terms, 0n, sender.signer)
    await world.chain.broadcast([plain.raw])
    const paid = await world.mined(plain.hash)
    expect(paid).toMatchObject({ succeeded: true, transfers: [{ amount: 1n }] })
    expect(paid.feePaid).toBeLessThan(10_000n)
    expect((await world.chain.balances(recipient, [USDC])).amounts).toEqual([5_000_001n])
  })

  test('takes one round trip to draft when its shape is known', async () => {
    const [recipient, other] = [await newAddress(), await newAddress()]
    await world.draft(order(sender, recipient, SOL))
    world.requests()
    await world.draft(order(sender, other, SOL))
    expect(world.requests()).toBe(1)
  })

  test('fits its compute limit whatever the number of tries that the new account took', async () => {
    const hashes = []
    for (let count = 0; count < 12; count += 1) {
      const signed = await world.signed(order(sender, await newAddress(), 1n, USDC), sender)
      await world.chain.broadcast([signed.raw])
      hashes.push(signed.hash)
    }
    for (const hash of hashes) expect(await world.mined(hash)).toMatchObject({ succeeded: true })
  })

  test('pays exactly the priority fee that a caller named, or a little less', async () => {
    const plain = order(sender, await newAddress(), SOL)
    const wanted = { ...plain, priorityFee: baseUnits(100_000n) }
    const signed = await world.signed(wanted, sender)
    await world.chain.broadcast([signed.raw])
    const { feePaid } = await world.mined(signed.hash)
    expect(feePaid).toBeLessThanOrEqual(105_000n)
    expect(feePaid).toBeGreaterThan(104_990n)
  })

  test('that failed on chain has cost its fee and moved nothing', async () => {
    const poor = await world.wallet(['native', '1'])
    const recipient = await newAddress()
    await world.sandbox.fault({ chain: 'solana', kind: 'stop-blocks' })
    const drafts = [
      await world.draft(order(poor, recipient, (SOL * 6n) / 10n)),
      await world.draft(order(poor, recipient, (SOL * 5n) / 10n)),
    ]
    const raws = await Promise.all(
      drafts.map(({ terms }) => world.chain.sign(terms, 0n, poor.signer)),
    )
    expect(await world.chain.broadcast(raws.map(({ raw }) => raw))).toEqual([
      { kind: 'accepted' },
      { kind: 'accepted' },
    ])
    await world.pass(3)
    const outcomes = await world.chain.outcomes(raws.map(({ hash }) => hash))
    expect(outcomes).toMatchObject([
      { state: 'mined', succeeded: true },
      { state: 'mined', succeeded: false, transfers: [] },
    ])
    const fees = outcomes.map((outcome) => (outcome.state === 'mined' ? outcome.feePaid : 0n))
    expect(fees[1]).toBe(fees[0])
    expect(
      (await world.chain.balances(recipient, [world.chain.config.assets[0] ?? USDC])).amounts,
    ).toEqual([(SOL * 6n) / 10n])
  })
})

describe('a recipient is refused by what a real node shows', () => {
  test.each([
    ['a program', MEMO_PROGRAM, 'recipient_is_no_wallet'],
    ['the token program', TOKEN_PROGRAM, 'recipient_is_no_wallet'],
    ['the mint', USDC.asset as Address, 'recipient_is_asset'],
  ] as const)('%s', async (_, recipient, refusal) => {
    expect(await world.chain.draft(order(sender, recipient, SOL))).toEqual({ ok: false, refusal })
  })

  test('a token account, and an address off the curve that does not exist', async () => {
    const own = associatedAccount(sender.address, TOKEN_PROGRAM, USDC.asset as Address).address
    const nobody = associatedAccount(
      await newAddress(),
      TOKEN_PROGRAM,
      USDC.asset as Address,
    ).address
    for (const recipient of [own, nobody]) {
      expect(await world.chain.draft(order(sender, recipient, SOL))).toEqual({
        ok: false,
        refusal: 'recipient_is_no_wallet',
      })
    }
  })

  test('a new account below the rent-exempt minimum', async () => {
    const recipient = await newAddress()
    expect(await world.chain.draft(order(sender, recipient, 890_879n))).toEqual({
      ok: false,
      refusal: 'amount_below_rent',
    })
    expect(await world.chain.draft(order(sender, recipient, 890_880n))).toMatchObject({ ok: true })
  })
})

describe('the verdict of a real node', () => {
  let recipient: Address
  beforeEach(async () => {
    recipient = await newAddress()
    await world.sandbox.fault({ chain: 'solana', kind: 'stop-blocks' })
  })

  test.each([
    ['an HTTP 500', 'http-500'],
    ['a closed connection', 'connection-reset'],
    ['an error of its own', { code: -32_603, message: 'Internal error' }],
  ] as const)('is unknown after %s, whether or not it took the bytes', async (_, answer) => {
    const { raw, hash } = await world.signed(order(sender, recipient, SOL), sender)
    const fail = {
      chain: 'solana',
      kind: 'fail',
      answer,
      methods: ['sendTransaction'],
      count: 1,
    } as const
    await world.sandbox.fault({ ...fail, forward: false })
    expect(await world.chain.broadcast([raw])).toMatchObject([{ kind: 'unknown' }])
    await world.sandbox.fault({ ...fail, forward: true })
    expect(await world.chain.broadcast([raw])).toMatchObject([{ kind: 'unknown' }])
    await world.pass(3)
    expect(await world.chain.outcomes([hash])).toMatchObject([{ state: 'mined' }])
  })

  test('is unknown when the node never answers', async () => {
    const { raw } = await world.signed(order(sender, recipient, SOL), sender)
    const { config } = world.chain
    const surroundings = { log: openLog('silent'), clock: systemClock }
    const impatient = connectSolana({ config, ...surroundings, callSeconds: 1 })
    await world.sandbox.fault({
      chain: 'solana',
      kind: 'hang',
      methods: ['sendTransaction'],
      count: 1,
    })
    expect(await impatient.broadcast([raw])).toMatchObject([{ kind: 'unknown' }])
  })

  test('says nothing about the chain: accepted bytes may be dropped, and sent again', async () => {
    const { raw, hash } = await world.signed(order(sender, recipient, SOL), sender)
    await world.sandbox.fault({ chain: 'solana', kind: 'drop', count: 1 })
    expect(await world.chain.broadcast([raw])).toEqual([{ kind: 'accepted' }])
    await world.pass(3)
    expect(await world.chain.outcomes([hash])).toEqual([{ state: 'absent' }])
    expect(await world.chain.broadcast([raw])).toEqual([{ kind: 'accepted' }])
    await world.pass(3)
    expect(await world.chain.outcomes([hash])).toMatchObject([{ state: 'mined' }])
  })

  test('on bytes sent twice never makes two transfers', async () => {
    const { raw, hash } = await world.signed(order(sender, recipient, SOL), sender)
    expect(await world.chain.broadcast([raw, raw])).toMatchObject([{ kind: 'accepted' }, {}])
    await world.pass(3)
    expect(await world.chain.outcomes([hash])).toMatchObject([{ state: 'mined' }])
    const [again] = await world.chain.broadcast([raw])
    expect(['accepted', 'known']).toContain(again?.kind)
    await world.pass(3)
    expect((await world.chain.balances(recipient, [NATIVE])).amounts).toEqual([SOL])
  })

  test('is known where a node checks first and the bytes have landed', async () => {
    const { raw, hash } = await world.signed(order(sender, recipient, SOL), sender)
    await world.chain.broadcast([raw])
    await world.pass(3)
    expect(await world.chain.outcomes([hash])).toMatchObject([{ state: 'mined' }])
    const options = { encoding: 'base64', preflightCommitment: 'processed' }
    await expect(
      world.rpc('sendTransaction', Buffer.from(raw).toString('base64'), options),
    ).rejects.toThrow('already been processed')
  })

  test('on no transaction at all is a rejection', async () => {
    expect(await world.chain.broadcast([new Uint8Array(80)])).toMatchObject([
      { kind: 'rejected', reason: 'invalid' },
    ])
  })
})

describe('a transaction whose lifetime passed', () => {
  test('is absent for good, which a look back proves, and its renewal lands', async () => {
    const recipient = await newAddress()
    const drafted = await world.draft(order(sender, recipient, SOL))
    const first = await world.chain.sign(drafted.terms, 0n, sender.signer)
    const { lastValidBlockHeight } = readTerms(drafted.terms, NETWORK ?? '')
    const early = await world.lookBack(first.hash)
    expect(early).toMatchObject([{ found: false }])
    expect(early[0]?.finalizedHeight).toBeLessThanOrEqual(lastValidBlockHeight)

    // A young blockhash is no more usable on the final chain than an old one: not known there yet.
    expect(await world.deadFrom(first.raw)).toBeUndefined()

    await world.sandbox.fault({ chain: 'solana', kind: 'expire' })
    await world.chain.broadcast([first.raw])
    await world.pass(40)
    expect(await world.chain.outcomes([first.hash])).toEqual([{ state: 'absent' }])
    expect(await world.deadFrom(first.raw)).toBeGreaterThan(early[0]?.height ?? 0n)
    const looks = await world.lookBack(first.hash)
    expect(looks).toMatchObject([{ found: false }])
    expect(looks[0]?.finalizedHeight).toBeGreaterThan(lastValidBlockHeight)

    const renewed = await world.chain.renew(drafted.terms, drafted.feeCeiling)
    if (renewed === undefined) throw new Error('the ceiling leaves room')
    const second = await world.chain.sign(renewed, 0n, sender.signer)
    expect(second.hash).not.toBe(first.hash)
    await world.chain.broadcast([second.raw, first.raw])
    expect(await world.mined(second.hash)).toMatchObject({ succeeded: true })
    expect(await world.lookBack(second.hash)).toMatchObject([{ found: true }])
    expect(await world.chain.outcomes([first.hash])).toEqual([{ state: 'absent' }])
    expect((await world.chain.balances(recipient, [NATIVE])).amounts).toEqual([SOL])
  })

  test('is not looked for by a node in trouble', async () => {
    const { hash } = await world.signed(order(sender, await newAddress(), SOL), sender)
    for (const method of ['getSignatureStatuses', 'getEpochInfo']) {
      await world.sandbox.fault({
        chain: 'solana',
        kind: 'fail',
        forward: false,
        answer: { code: -32_005, message: 'Node is behind by 42 slots' },
        methods: [method],
        count: 1,
      })
      await expect(world.lookBack(hash)).rejects.toThrow(NodeFailure)
    }
  })
})

describe('the chain itself', () => {
  test('on a minority fork shows a transaction, forgets it, and takes the same bytes again', async () => {
    const { raw, hash } = await world.signed(order(sender, await newAddress(), SOL), sender)
    await world.sandbox.fault({ chain: 'solana', kind: 'fork', transactions: 1, slots: 3 })
    await world.chain.broadcast([raw])
    await world.mined(hash)
    await until('the fork is gone', async () => (await world.seen(hash))?.state === 'absent', {
      seconds: 30,
    })
    await world.chain.broadcast([raw])
    await world.mined(hash)
  })

  test('knows its sandbox, its head and what is final', async () => {
    expect(await world.chain.sandboxInstance()).toBe(world.sandbox.instance)
    const head = await world.chain.head()
    expect(head.finalizedHeight).toBeLessThan(head.height)
    const [own] = await world.chain.blocks(head.height, 1)
    expect(own).toMatchObject({ height: head.height, hash: head.hash })
    const blocks = await world.chain.blocks(head.finalizedHeight, 50)
    expect(blocks.at(0)?.height).toBe(head.finalizedHeight)
    for (const [index, block] of blocks.entries()) {
      if (index > 0) expect(block.parentHash).toBe(blocks[index - 1]?.hash)
    }
  })

  test('lists a transaction in the block that its outcome names', async () => {
    const { raw, hash } = await world.signed(order(sender, await newAddress(), SOL), sender)
    await world.chain.broadcast([raw])
    const { height, blockHash } = await world.mined(hash)
    const [block] = await world.chain.blocks(height, 1)
    expect(block).toMatchObject({ height, hash: blockHash })
    expect(block?.transactionHashes).toContain(hash)
  })

  test('that lags behind what was seen calls nothing absent and names no blocks', async () => {
    const { hash } = await world.signed(order(sender, await newAddress(), SOL), sender)
    const head = await world.chain.head()
    await world.sandbox.fault({ chain: 'solana', kind: 'lag', slots: 10 })
    await expect(world.chain.outcomes([hash])).rejects.toThrow('was seen')
    await expect(world.chain.blocks(head.height, 5)).rejects.toThrow(NodeFailure)
  })

  test.each(['http-500', 'connection-reset'] as const)(
    'fails every read while the node is down with %s, and works when it is back',
    async (how) => {
      const wanted = order(sender, await newAddress(), SOL)
      await world.sandbox.fault({ chain: 'solana', kind: 'down', how })
      await expect(world.chain.head()).rejects.toThrow(NodeFailure)
      await expect(world.chain.outcomes([])).resolves.toEqual([])
      await expect(world.chain.draft(wanted)).rejects.toThrow(NodeFailure)
      await expect(world.chain.sandboxInstance()).rejects.toThrow(NodeFailure)
      await world.sandbox.clearFaults()
      await expect(world.chain.head()).resolves.toMatchObject({})
    },
  )
})

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  generateKeyPairSigner,
  getTransactionDecoder,
  getTransactionEncoder,
  partiallySignTransaction,
} from '@solana/kit'
import type { KeyPairSigner } from '@solana/kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../host/json.ts'
import { startChain } from '../solana/chain/chain.ts'
import type { SolanaChain } from '../solana/chain/chain.ts'
import { tokenOf } from '../solana/chain/token-account.ts'
import { readWire } from '../solana/chain/wire-transaction.ts'
import type { WireTransaction } from '../solana/chain/wire-transaction.ts'
import { openSolanaPayer } from '../solana/payer.ts'
import { openMaker } from './maker.ts'
import type { Maker, MakerAnswer } from './maker.ts'

const SOL = 1_000_000_000n
/** More than a blockhash lives. */
const TOO_LATE = 152

let directory: string
let chain: SolanaChain
let maker: Maker
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'florin-maker-'))
  chain = await startChain(directory, 'one', () => undefined)
  maker = await openMaker(chain)
  // Time is the tests' own: what is submitted lands with the next slot that they let pass.
  chain.pause()
})
afterAll(async () => {
  await chain.stop()
  rmSync(directory, { recursive: true, force: true })
})

const token = (symbol: string) => {
  const found = maker.tokens.find((each) => each.symbol === symbol)
  if (found === undefined) throw new Error(`there is ${symbol}`)
  return found
}
const inventory = (symbol: string): bigint =>
  tokenOf(chain.bank.svm.read(token(symbol).account))?.amount ?? 0n
const ask = async (body: JsonObject, what = 'quote'): Promise<MakerAnswer> =>
  await maker.answer({ ask: what, body })
const buying = (symbol: string, more: JsonObject = {}, amountIn = SOL): JsonObject => ({
  side: 'buy',
  mint: token(symbol).mint,
  amountIn: `${amountIn}`,
  ...more,
})
const outOf = ({ body }: MakerAnswer): bigint => BigInt(textOf(body['amountOut']))
const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')
const price = async (symbol: string): Promise<bigint> => outOf(await ask(buying(symbol)))
const choice = { memo: 'a memo', computeUnits: 150_000, pricePerUnit: '0' }

async function land(wire: WireTransaction): Promise<void> {
  chain.submit(wire)
  await chain.advance(1)
}

/** A wallet with so many SOL. */
async function wallet(amount: bigint): Promise<KeyPairSigner> {
  const signer = await generateKeyPairSigner()
  if (amount === 0n) return signer
  const payer = await openSolanaPayer(chain)
  await payer.airdrop(signer.address, amount * SOL)
  await chain.advance(1)
  return signer
}

/** Takes a held quote as far as the taker's own signature. */
async function signed(taker: KeyPairSigner, quote: MakerAnswer) {
  const { quoteId = null } = quote.body
  const { status, body } = await ask({ quoteId, taker: taker.address, ...choice }, 'sign')
  expect(status).toBe(200)
  const raw = Buffer.from(textOf(body['transaction']), 'base64')
  const whole = await partiallySignTransaction([taker.keyPair], getTransactionDecoder().decode(raw))
  const wire = readWire(Uint8Array.from(getTransactionEncoder().encode(whole)))
  if (wire === undefined) throw new Error('the maker gave a transaction')
  return wire
}

describe('the maker', () => {
  test('says whose prices these are, and never its key', async () => {
    const { body } = await ask({}, 'about')
    expect(body).toMatchObject({ prices: 'sandbox', maker: maker.address })
    expect(JSON.stringify(body)).not.toContain(chain.identity.faucetKey)
  })

  test('holds nothing for a price that nobody in particular asked', async () => {
    const before = await price('ACORN')
    for (let asked = 0; asked < 3_000; asked += 1) await ask(buying('ACORN'))
    expect(await price('ACORN')).toBe(before)
  })

  test('holds what it quoted to a taker, worsens the next price by it, and lets go when time is over', async () => {
    const before = await price('BRIAR')
    const taker = await wallet(0n)
    const held = await ask(buying('BRIAR', { taker: taker.address }))
    expect(outOf(held)).toBe(before)
    expect(await price('BRIAR')).toBeLessThan(before)
    await chain.advance(TOO_LATE)
    expect(await price('BRIAR')).toBe(before)
    const late = { quoteId: held.body['quoteId'] ?? null, taker: taker.address, ...choice }
    expect([404, 410]).toContain((await ask(late, 'sign')).status)
  })

  test('signs each quote once, for its taker alone, however often it is asked at the same time', async () => {
    const [taker, other] = [await wallet(5n), await wallet(5n)]
    const held = await ask(buying('ACORN', { taker: taker.address }))
    const sign = { quoteId: held.body['quoteId'] ?? null, ...choice }
    expect((await ask({ ...sign, taker: other.address }, 'sign')).status).toBe(404)
    const asked = Array.from({ length: 5 }, () => ask({ ...sign, taker: taker.address }, 'sign'))
    const statuses = (await Promise.all(asked)).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([200, 409, 409, 409, 409])
  })

  test('follows the chain: what landed is gone, once, and nothing of it is held any more', async () => {
    const taker = await wallet(5n)
    // What the tests before left open is over.
    await chain.advance(TOO_LATE)
    const before = inventory('ACORN')
    const quote = await ask(buying('ACORN', { taker: taker.address }))
    const wire = await signed(taker, quote)
    const held = await price('ACORN')
    await land(wire)
    expect(inventory('ACORN')).toBe(before - outOf(quote))
    expect(await price('ACORN')).toBe(held)
    await chain.advance(TOO_LATE)
    expect(await price('ACORN')).toBe(held)
  })

  test('keeps what a taker without money tried to take', async () => {
    const taker = await wallet(0n)
    const payer = await openSolanaPayer(chain)
    await payer.airdrop(taker.address, 3_000_000n)
    await chain.advance(1)
    const [before, free] = [inventory('ACORN'), await price('ACORN')]
    const wire = await signed(taker, await ask(buying('ACORN', { taker: taker.address })))
    await land(wire)
    expect(chain.bank.records.get(wire.signature)?.error).not.toBeNull()
    expect(inventory('ACORN')).toBe(before)
    expect(await price('ACORN')).toBe(free)
  })

  test('holds again what a fork took back, since it may land once more', async () => {
    const taker = await wallet(5n)
    await chain.advance(1)
    const [before, free] = [inventory('ACORN'), await price('ACORN')]
    const quote = await ask(buying('ACORN', { taker: taker.address }))
    const wire = await signed(taker, quote)
    chain.fork(1, 1)
    await land(wire)
    const landed = inventory('ACORN')
    for (let slot = 0; slot < 4; slot += 1) await chain.advance(1)
    expect({ landed, after: inventory('ACORN') }).toEqual({
      landed: before - outOf(quote),
      after: before,
    })
    expect(await price('ACORN')).toBeLessThan(free)
    await land(wire)
    expect(inventory('ACORN')).toBe(before - outOf(quote))
  })

  test('holds so many quotes and no more, until they are over', async () => {
    const { address } = await wallet(0n)
    let busy = 0
    for (let asked = 0; asked <= 2_000; asked += 1) {
      const { status } = await ask(buying('CEDAR', { taker: address }, 1_000_000n))
      if (status === 503) busy += 1
    }
    expect(busy).toBeGreaterThanOrEqual(1)
    expect((await ask(buying('CEDAR'))).status).toBe(200)
    await chain.advance(TOO_LATE + 10)
    expect((await ask(buying('CEDAR', { taker: address }))).status).toBe(200)
  })

  test.each([
    [{ side: 'swap' }, 400],
    [{ amountIn: '0' }, 400],
    [{ amountIn: '1.5' }, 400],
    [{ amountIn: 5 }, 400],
    [{ amountIn: `${2n ** 64n}` }, 400],
    [{ taker: 'somebody' }, 400],
    [{ mint: 'none' }, 404],
    [{ amountIn: `${10n ** 18n}` }, 422],
  ])('refuses %j', async (change, status) => {
    expect((await ask({ ...buying('ACORN'), ...change })).status).toBe(status)
  })

  test.each([
    [{ memo: '' }, 400],
    [{ memo: 'x'.repeat(300) }, 400],
    [{ computeUnits: 0 }, 400],
    [{ computeUnits: 2_000_000 }, 400],
    [{ pricePerUnit: -1 }, 400],
    [{ quoteId: 'none' }, 404],
  ])('signs nothing for %j', async (change, status) => {
    const { address: taker } = await wallet(0n)
    const { body } = await ask(buying('ACORN', { taker }))
    const whole = { quoteId: body['quoteId'] ?? null, taker, ...choice }
    expect((await ask({ ...whole, ...change }, 'sign')).status).toBe(status)
  })
})

test('a chain from before the maker gets it at its next start, the same at each, and another chain another', async () => {
  const [old, other] = ['old', 'other'].map((name) =>
    mkdtempSync(join(tmpdir(), `florin-${name}-`)),
  )
  if (old === undefined || other === undefined) throw new Error('two directories')
  try {
    const before = await startChain(old, 'two', () => undefined)
    await before.stop()
    const found: (readonly [string, readonly string[], bigint])[] = []
    for (const [where, instance] of [
      [old, 'two'],
      [old, 'two'],
      [other, 'three'],
    ] as const) {
      const again = await startChain(where, instance, () => undefined)
      const { address, tokens } = await openMaker(again)
      const lamports = again.bank.svm.read(address)?.lamports ?? 0n
      found.push([address, tokens.map(({ mint }) => mint), lamports])
      await again.stop()
    }
    const [first, second, third] = found
    expect(second).toEqual(first)
    expect(first?.[2]).toBeGreaterThan(SOL)
    expect(third?.[0]).not.toBe(first?.[0])
    // Only USDC is the same everywhere.
    expect(third?.[1].filter((mint) => first?.[1].includes(mint))).toHaveLength(1)
  } finally {
    for (const each of [old, other]) rmSync(each, { recursive: true, force: true })
  }
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TokenReader } from '../../token-reader.ts'
import { requireAddress } from '../account.ts'
import { ETHER, startTestChain } from '../test-chain.ts'
import type { TestChain } from '../test-chain.ts'
import { openTestMaker } from './test-token.ts'
import type { TestMaker } from './test-token.ts'
import { tokenText } from './token-text.ts'

let scene: TestChain
let maker: TestMaker
let tokens: TokenReader
beforeAll(async () => {
  scene = await startTestChain()
  maker = await openTestMaker(scene)
  if (scene.chain.tokens === undefined) throw new Error('nothing is read here')
  tokens = scene.chain.tokens
})
afterAll(async () => {
  await scene.sandbox.stop()
})

describe('facts about tokens', () => {
  test('are what they say of themselves, for many in one round trip', async () => {
    const listed = scene.sandbox.tokens
    const mints = [...listed.map(({ mint }) => mint), scene.sandbox.usdc].map(requireAddress)
    scene.requests()
    const found = await tokens.facts(mints)
    expect(scene.requests()).toBe(1)
    expect(found.map((each) => each?.symbol)).toEqual([
      ...listed.map(({ symbol }) => symbol),
      'USDC',
    ])
    expect(found.map((each) => each?.decimals)).toEqual([
      ...listed.map(({ decimals }) => decimals),
      6,
    ])
    expect(found[0]).toMatchObject({
      mint: mints[0],
      name: 'Sandbox Fern',
      creator: null,
      createdAtMilliseconds: null,
      imageUrl: null,
      mintAuthority: null,
      freezeAuthority: null,
      extensions: [],
    })
    expect(found[0]?.supply).toBeGreaterThan(0n)
  })

  test('are none where no token is: nobody there, a wallet, or another contract', async () => {
    const wallet = await scene.wallet(['native', '1'])
    const nobody = requireAddress(`0x${'6b'.repeat(20)}`)
    const router = requireAddress(scene.sandbox.market.router)
    expect(await tokens.facts([nobody, wallet.address, router])).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    expect(await tokens.facts([])).toEqual([])
  })

  test('of one cannot be spoiled by another that burns all gas; words of 32 bytes are read, too', async () => {
    const hostile = await maker.token('burns gas on name')
    const worded = await maker.token('names in words')
    const [listed] = scene.sandbox.tokens
    // Each of them leaves a 64th of the gas to those behind it.
    const burners = Array.from({ length: 4 }, () => hostile.mint)
    const mints = [...burners, worded.mint, requireAddress(listed?.mint ?? '')]
    const found = await tokens.facts(mints)
    const [second, third] = found.slice(burners.length)
    for (const each of found.slice(0, burners.length)) {
      expect(each).toMatchObject({ decimals: 18, name: null, symbol: null })
    }
    expect(second).toMatchObject({ name: 'Hostile', symbol: 'HOST' })
    expect(third).toMatchObject({ symbol: listed?.symbol })
  })

  test('leave out holders, of which the chain keeps no list', async () => {
    expect(await tokens.holders(requireAddress(scene.sandbox.usdc))).toBeNull()
  })
})

describe('holdings', () => {
  test('are native and known tokens of one block, in one round trip, without what is not held', async () => {
    const { address } = await scene.wallet(['native', '2'], ['USDC', '3.5'])
    const [fern] = scene.sandbox.tokens
    const known = [scene.sandbox.usdc, fern?.mint ?? ''].map(requireAddress)
    scene.requests()
    const held = await tokens.holdings(address, known)
    expect(scene.requests()).toBe(1)
    expect(held.native).toBe(2n * ETHER)
    expect(held.tokens).toEqual([{ mint: known[0], decimals: 6, amount: 3_500_000n }])
    expect(held.unread).toEqual([])
    expect(held.height).toBeLessThanOrEqual((await scene.chain.head()).height)
  })

  test('are told although a token among the known burns all gas, in two round trips', async () => {
    const hostile = await maker.token('burns gas')
    const { address } = await scene.wallet(['native', '2'], ['USDC', '1'])
    const usdc = requireAddress(scene.sandbox.usdc)
    const known = [...Array.from({ length: 4 }, () => hostile.mint), usdc]
    scene.requests()
    const held = await tokens.holdings(address, known)
    expect(scene.requests()).toBeLessThanOrEqual(2)
    expect(held.native).toBe(2n * ETHER)
    expect(held.tokens).toEqual([{ mint: usdc, decimals: 6, amount: 1_000_000n }])
    expect(held.unread).toEqual(known.slice(0, -1))
  })
})

describe('the words of a token', () => {
  const string = (bytes: Uint8Array): Uint8Array => {
    const head = Buffer.alloc(64)
    head[31] = 32
    head.writeUInt32BE(bytes.length, 60)
    return Buffer.concat([head, bytes, Buffer.alloc((32 - (bytes.length % 32)) % 32)])
  }
  test.each<[string, Uint8Array, string | null]>([
    ['a string', string(Buffer.from('Fern €')), 'Fern €'],
    ['32 bytes', Buffer.concat([Buffer.from('MKR'), Buffer.alloc(29)]), 'MKR'],
    ['nothing', string(Buffer.alloc(0)), null],
    ['only spaces', string(Buffer.from('   ')), null],
    ['no UTF-8', string(Buffer.from([0xff, 0xfe])), null],
    ['a zero byte', string(Buffer.from('a\0b')), null],
    ['a turn of the direction', string(Buffer.from('USDC\u202e')), null],
    ['a novel', string(Buffer.alloc(500, 0x61)), null],
    ['a length beyond its end', string(Buffer.from('abc')).subarray(0, 65), null],
    ['half a word', Buffer.alloc(16, 0x61), null],
    ['a word and a half', Buffer.alloc(48, 0x61), null],
  ])('%s', (_, answer, expected) => {
    expect(tokenText(answer)).toBe(expected)
  })
})

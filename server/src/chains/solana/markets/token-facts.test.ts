import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NodeFailure } from '../../chain.ts'
import type { TokenReader } from '../../token-reader.ts'
import { addressFromBytes, knownAddress } from '../account.ts'
import { associatedAccount } from '../token-account.ts'
import { TOKEN_PROGRAM } from '../programs.ts'
import { USDC } from '../test-network.ts'
import { SOL, order, startTestChain } from '../test-chain.ts'
import type { TestChain } from '../test-chain.ts'

let world: TestChain
let tokens: TokenReader
beforeAll(async () => {
  world = await startTestChain()
  if (world.chain.tokens === undefined) throw new Error('Solana tells of tokens')
  tokens = world.chain.tokens
})
afterAll(async () => {
  await world.sandbox.stop()
})

const mintOf = (symbol: string) => {
  const found = world.sandbox.solana.tokens.find((each) => each.symbol === symbol)
  return knownAddress(found?.mint ?? '')
}

describe('what the chain says of tokens', () => {
  test('is told for all of them in one round trip, whoever keeps their names', async () => {
    const mints = ['ACORN', 'BRIAR', 'CEDAR'].map(mintOf)
    world.requests()
    const [acorn, briar, cedar, usdc, none] = await tokens.facts([
      ...mints,
      knownAddress(USDC.asset),
      addressFromBytes(new Uint8Array(32).fill(9)),
    ])
    expect(world.requests()).toBe(1)
    expect(acorn).toMatchObject({
      mint: mints[0],
      symbol: 'ACORN',
      name: 'Sandbox Acorn',
      decimals: 6,
      supply: 10n ** 15n,
      extensions: [],
      freezeAuthority: null,
      creator: null,
      createdAtMilliseconds: null,
      imageUrl: null,
    })
    expect(briar).toMatchObject({ symbol: 'BRIAR', decimals: 9 })
    expect(cedar).toMatchObject({
      symbol: 'CEDAR',
      name: 'Sandbox Cedar',
      decimals: 2,
      supply: 2_100_000_000n,
      extensions: ['metadataPointer', 'tokenMetadata'],
      mintAuthority: acorn?.mintAuthority,
    })
    expect(usdc).toMatchObject({ symbol: null, name: null, decimals: 6 })
    expect(none).toBeUndefined()
  })

  test('is not told as of a slot by a machine that stands before it and misses something', async () => {
    const nobody = addressFromBytes(new Uint8Array(32).fill(9))
    const { height } = await world.chain.head()
    expect(await tokens.facts([nobody], height)).toEqual([undefined])
    await expect(tokens.facts([nobody], height + 1_000_000n)).rejects.toThrow(NodeFailure)
    // Nobody else keeps a name of it, as a machine that stands still may say of any.
    const usdc = knownAddress(USDC.asset)
    await expect(tokens.facts([usdc], height + 1_000_000n)).rejects.toThrow(NodeFailure)
  })

  test('is nothing of wallets, token accounts, programs and the empty address', async () => {
    const { maker } = world.sandbox.solana
    const account = associatedAccount(knownAddress(maker.address), TOKEN_PROGRAM, mintOf('ACORN'))
    const addresses = [
      knownAddress(maker.address),
      account.address,
      TOKEN_PROGRAM,
      knownAddress('11111111111111111111111111111111'),
    ]
    expect(await tokens.facts(addresses)).toEqual([undefined, undefined, undefined, undefined])
  })

  test('counts who holds some of it, each once', async () => {
    const [first, second, third] = [
      await world.wallet(['native', '1'], ['USDC', '5']),
      await world.wallet(['USDC', '5']),
      await world.wallet(['USDC', '1']),
    ]
    const before = await tokens.holders(knownAddress(USDC.asset))
    const sent = await world.signed(order(first, third.address, 5_000_000n, USDC), first)
    await world.chain.broadcast([sent.raw])
    await world.mined(sent.hash)
    // The first one's account is there still, and empty.
    expect(await tokens.holders(knownAddress(USDC.asset))).toBe((before ?? 0n) - 1n)
    expect(before).toBeGreaterThanOrEqual(4n)
    expect(await tokens.holders(second.address)).toBeNull()
  })
})

describe('what an address holds', () => {
  test('is all of it, of both token programs, in at most two round trips', async () => {
    const wallet = await world.wallet(['native', '2'], ['USDC', '7'])
    world.requests()
    const held = await tokens.holdings(wallet.address, [])
    expect(world.requests()).toBeLessThanOrEqual(2)
    expect(held.native).toBe(2n * SOL)
    expect(held.height).toBeGreaterThan(0n)
    expect(held.tokens).toEqual([{ mint: USDC.asset, decimals: 6, amount: 7_000_000n }])
    const maker = await tokens.holdings(knownAddress(world.sandbox.solana.maker.address), [])
    expect(new Set(maker.tokens.map(({ mint }) => mint))).toEqual(
      new Set([mintOf('ACORN'), mintOf('BRIAR'), mintOf('CEDAR'), USDC.asset]),
    )
  })

  test('is nothing where nobody was paid', async () => {
    const { native, tokens: none } = await tokens.holdings(
      addressFromBytes(new Uint8Array(32).fill(8)),
      [],
    )
    expect({ native, none }).toEqual({ native: 0n, none: [] })
  })
})

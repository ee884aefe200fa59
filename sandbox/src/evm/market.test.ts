import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPublicClient, http, parseAbi, parseEther } from 'viem'
import { describe, expect, test } from 'vitest'
import { startSandbox } from '../../../e2e/actors/sandbox.ts'
import type { SandboxHandle } from '../../../e2e/actors/sandbox.ts'
import { startAnvil } from './anvil-process.ts'
import { findAnvil } from './anvil-binary.ts'
import { placeMoney } from './bootstrap.ts'
import {
  BATCH_SETTLEMENT_ADDRESS,
  ERC3009_COLLECTOR_ADDRESS,
  EXACT_PROXY_ADDRESS,
  HUB_TRADED_TOKEN,
  MARKET,
  PERMIT2_ADDRESS,
  PERMIT2_COLLECTOR_ADDRESS,
  SANDBOX_TOKENS,
  UPTO_PROXY_ADDRESS,
  USDC_ADDRESS,
} from './chain-facts.ts'
import { newIdentity, writeIdentity } from './identity.ts'
import { hasMarket, openMarket } from './market.ts'
import { saveState } from './state-file.ts'

const ABI = parseAbi([
  'function PERMIT2() view returns (address)',
  'function x402BatchSettlement() view returns (address)',
  'function factory() view returns (address)',
  'function WETH() view returns (address)',
  'function getAmountsOut(uint256 amountIn, address[] path) view returns (uint256[])',
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function totalSupply() view returns (uint256)',
])

async function withSandbox(
  directory: string | undefined,
  look: (sandbox: SandboxHandle) => Promise<void>,
): Promise<void> {
  const sandbox = await startSandbox(directory === undefined ? {} : { directory })
  try {
    await look(sandbox)
  } finally {
    await sandbox.stop()
  }
}

async function expectMarket({ rpcUrl, tokens, market }: SandboxHandle): Promise<void> {
  const chain = createPublicClient({ transport: http(rpcUrl, { batch: true }) })
  const read = { abi: ABI, address: MARKET.router } as const
  expect(market).toEqual(MARKET)
  expect(await chain.readContract({ ...read, functionName: 'factory' })).toBe(MARKET.factory)
  expect(await chain.readContract({ ...read, functionName: 'WETH' })).toBe(MARKET.wrappedNative)
  const weth = { abi: ABI, address: MARKET.wrappedNative } as const
  expect(await chain.readContract({ ...weth, functionName: 'name' })).toBe('Wrapped Ether')
  expect(await chain.readContract({ ...weth, functionName: 'symbol' })).toBe('WETH')
  expect(await chain.readContract({ ...weth, functionName: 'decimals' })).toBe(18)
  expect(tokens).toEqual(
    SANDBOX_TOKENS.map(({ mint, symbol, decimals }) => ({ mint, symbol, decimals })),
  )
  for (const { mint, name, symbol, decimals } of SANDBOX_TOKENS) {
    const token = { abi: ABI, address: mint } as const
    expect(await chain.readContract({ ...token, functionName: 'name' })).toBe(name)
    expect(await chain.readContract({ ...token, functionName: 'symbol' })).toBe(symbol)
    expect(await chain.readContract({ ...token, functionName: 'decimals' })).toBe(decimals)
    expect(await chain.readContract({ ...token, functionName: 'totalSupply' })).toBeGreaterThan(0n)
  }
  for (const mint of [USDC_ADDRESS, ...SANDBOX_TOKENS.map((token) => token.mint)] as const) {
    const through: readonly (typeof USDC_ADDRESS)[] =
      mint === HUB_TRADED_TOKEN.mint ? [USDC_ADDRESS] : []
    const path = [MARKET.wrappedNative, ...through, mint] as const
    const args = [parseEther('1'), path] as const
    const [paid = 0n, ...others] = await chain.readContract({
      ...read,
      functionName: 'getAmountsOut',
      args,
    })
    expect(paid).toBe(parseEther('1'))
    expect(others.at(-1)).toBeGreaterThan(0n)
  }
}

async function expectPermit2({ rpcUrl }: SandboxHandle): Promise<void> {
  const chain = createPublicClient({ transport: http(rpcUrl) })
  const functionName = 'PERMIT2'
  for (const address of [EXACT_PROXY_ADDRESS, UPTO_PROXY_ADDRESS] as const) {
    const read = { address, abi: ABI, functionName } as const
    expect(await chain.readContract(read)).toBe(PERMIT2_ADDRESS)
  }
  expect(await chain.getCode({ address: PERMIT2_ADDRESS })).toMatch(/^0x[0-9a-f]{100}/)
}

async function expectBatchSettlement({ rpcUrl }: SandboxHandle): Promise<void> {
  const chain = createPublicClient({ transport: http(rpcUrl) })
  for (const address of [ERC3009_COLLECTOR_ADDRESS, PERMIT2_COLLECTOR_ADDRESS] as const) {
    const read = { address, abi: ABI, functionName: 'x402BatchSettlement' } as const
    expect(await chain.readContract(read)).toBe(BATCH_SETTLEMENT_ADDRESS)
  }
  expect(await chain.getCode({ address: BATCH_SETTLEMENT_ADDRESS })).toMatch(/^0x[0-9a-f]{100}/)
}

describe("the sandbox's market", () => {
  test('is there from the first block on: wrapped currency, router, tokens and a pool for each', async () => {
    await withSandbox(undefined, expectMarket)
  })

  test('comes to a chain that was begun without it, once, and nothing else of that chain changes', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'florin-market-'))
    const identity = await beginWithoutMarket(join(directory, 'evm'))
    try {
      let tail = ''
      await withSandbox(directory, async (sandbox) => {
        expect(sandbox.instance).toBe(identity.instance)
        await expectMarket(sandbox)
        await expectPermit2(sandbox)
        await expectBatchSettlement(sandbox)
        tail = await reservesOf(sandbox)
      })
      await withSandbox(directory, async (sandbox) => {
        expect(sandbox.instance).toBe(identity.instance)
        expect(await reservesOf(sandbox)).toBe(tail)
      })
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  })
})

test('a chain whose market lacks a token gets that one, and its other pools stay as they are', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'florin-market-part-'))
  const anvil = await startAnvil(findAnvil(), directory)
  try {
    const { client } = anvil
    const identity = newIdentity()
    await placeMoney(client, identity)
    await openMarket(client, identity)
    const height = async () => Number(await client.call('eth_blockNumber'))
    const supply = async (mint: string) =>
      await client.call('eth_call', [{ to: mint, data: '0x18160ddd' }, 'latest'])
    const [{ mint: other }] = SANDBOX_TOKENS
    const [supplyBefore, heightBefore] = [await supply(other), await height()]
    // As a chain of before that token stands: neither it nor its supply.
    await client.call('anvil_setCode', [HUB_TRADED_TOKEN.mint, '0x'])
    expect(await hasMarket(client)).toBe(false)
    await openMarket(client, identity)
    expect(await hasMarket(client)).toBe(true)
    expect(await supply(other)).toBe(supplyBefore)
    expect(await height()).toBe(heightBefore + 1)
    expect(await supply(HUB_TRADED_TOKEN.mint)).toMatch(/^0x0*[1-9a-f]/)
  } finally {
    await anvil.stop()
    rmSync(directory, { recursive: true, force: true })
  }
})

async function reservesOf({ rpcUrl }: SandboxHandle): Promise<string> {
  const chain = createPublicClient({ transport: http(rpcUrl) })
  const path = [MARKET.wrappedNative, SANDBOX_TOKENS[0].mint] as const
  const args = [parseEther('1'), path] as const
  const read = { abi: ABI, address: MARKET.router, functionName: 'getAmountsOut', args } as const
  return String(await chain.readContract(read))
}

/** A chain as an earlier version left it: faucet and token, and no market. */
async function beginWithoutMarket(directory: string) {
  const anvil = await startAnvil(findAnvil(), directory)
  const identity = newIdentity()
  try {
    const { client } = anvil
    await placeMoney(client, identity)
    expect(await hasMarket(client)).toBe(false)
    const height = Number(await client.call('eth_blockNumber'))
    const state = await client.call('anvil_dumpState')
    if (typeof state !== 'string') throw new Error('anvil dumped no state')
    const dump = Buffer.from(state.slice(2), 'hex')
    writeIdentity(directory, identity)
    await saveState(directory, { instance: identity.instance, height, dump })
  } finally {
    await anvil.stop()
  }
  return identity
}

import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock as clock } from '../kernel/clock.ts'
import { openLog } from '../kernel/log.ts'
import type { AssetProfile } from '../kernel/network-config.ts'
import { NodeFailure } from './chain.ts'
import { connectEvm } from './evm/connect.ts'
import { startTestChain } from './evm/test-chain.ts'
import type { TestChain } from './evm/test-chain.ts'
import { NATIVE, testNetwork, USDC } from './evm/test-network.ts'
import { readableBalances } from './readable-balances.ts'

let world: TestChain
beforeAll(async () => {
  world = await startTestChain()
}, 60_000)
afterAll(() => world.sandbox.stop())

/** PUSH0 PUSH0 REVERT */
const REVERTS = '0x5f5ffd'
/** Reads them of the real node at once, and gives what was read. */
async function read(assets: readonly AssetProfile[], urls = [world.sandbox.rpcUrl]) {
  const chain = connectEvm({ config: testNetwork(urls, { assets }), log: openLog('silent'), clock })
  const { address } = await world.wallet(['native', '2'], ['USDC', '3'])
  return await readableBalances(chain, address, assets)
}

test('a token whose contract fails, or that is gone, hides no other', async () => {
  const token = (asset: string): AssetProfile => ({ ...USDC, symbol: asset, asset })
  const gone = token((await world.wallet()).address)
  const failing = token(await world.contract(REVERTS))
  const [native, usdc] = [2_000_000_000_000_000_000n, 3_000_000n]
  for (const broken of [gone, failing]) {
    const { amounts, height } = await read([broken, NATIVE, USDC])
    expect(amounts).toEqual([undefined, native, usdc])
    expect(height).toBeGreaterThan(0n)
  }
  await expect(read([gone, failing])).rejects.toBeInstanceOf(NodeFailure)
  await expect(read([gone])).rejects.toBeInstanceOf(NodeFailure)
})

test('a node that is away is no token that cannot be read', async () => {
  await expect(read([NATIVE, USDC], ['http://127.0.0.1:9'])).rejects.toBeInstanceOf(NodeFailure)
})

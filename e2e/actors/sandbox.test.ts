import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSandbox } from './sandbox.ts'
import type { SandboxHandle } from './sandbox.ts'

describe('the sandbox actor', () => {
  let sandbox: SandboxHandle
  beforeAll(async () => {
    sandbox = await startSandbox({ faults: true })
  })
  afterAll(async () => {
    await sandbox.stop()
  })

  test('gives a chain that knows its instance', async () => {
    expect(await rpc('florin_sandbox')).toEqual({ instance: sandbox.instance, family: 'evm' })
    expect(await rpc('eth_chainId')).toBe('0x14a34')
  })

  test('funds, stops blocks, mines and clears', async () => {
    const address = '0x1111111111111111111111111111111111111111'
    await sandbox.fund(address, 'native', '2')
    expect(BigInt(String(await rpc('eth_getBalance', [address, 'latest'])))).toBe(2n * 10n ** 18n)
    await sandbox.fault({ kind: 'stop-blocks' })
    const height = Number(await rpc('eth_blockNumber'))
    await sandbox.mine(3)
    expect(Number(await rpc('eth_blockNumber'))).toBe(height + 3)
    await sandbox.clearFaults()
    expect(await sandbox.anvilPid()).toBeGreaterThan(1)
  })

  test('gives a Solana chain of the same instance, with its own funds and faults', async () => {
    const { rpcUrl, wsUrl } = sandbox.solana
    expect(Number(new URL(wsUrl).port)).toBe(Number(new URL(rpcUrl).port) + 1)
    expect(await rpc('florin_sandbox', [], rpcUrl)).toEqual({
      instance: sandbox.instance,
      family: 'solana',
    })
    const address = 'GgBaCs3NCBuZN12kCJgAW63ydqohFkHEdfdEXBPzLHq'
    const commitment = 'confirmed'
    const before = await rpc('getBalance', [address, { commitment }], rpcUrl)
    await sandbox.fund(address, 'native', '2')
    const after = await rpc('getBalance', [address, { commitment }], rpcUrl)
    expect(valueOf(after) - valueOf(before)).toBe(2_000_000_000)
    await sandbox.fault({ chain: 'solana', kind: 'stop-blocks' })
    const { slot, blocksStopped } = await sandbox.solanaState()
    expect(blocksStopped).toBe(true)
    await sandbox.fault({ chain: 'solana', kind: 'mine', blocks: 3 })
    expect((await sandbox.solanaState()).slot).toBe(slot + 3)
    await sandbox.clearFaults()
    expect((await sandbox.solanaState()).blocksStopped).toBe(false)
  })

  const valueOf = (answer: unknown): number => (answer as { value: number }).value
  const rpc = async (
    method: string,
    params: readonly unknown[] = [],
    url = sandbox.rpcUrl,
  ): Promise<unknown> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const answer = await fetch(url, { method: 'POST', body })
    return ((await answer.json()) as { result?: unknown }).result
  }
})

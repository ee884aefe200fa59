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

  const rpc = async (method: string, params: readonly unknown[] = []): Promise<unknown> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const answer = await fetch(sandbox.rpcUrl, { method: 'POST', body })
    return ((await answer.json()) as { result?: unknown }).result
  }
})

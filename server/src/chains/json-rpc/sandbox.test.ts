import { afterEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../kernel/clock.ts'
import { openLog } from '../../kernel/log.ts'
import { connectEvm } from '../evm/connect.ts'
import { startTestNode } from './test-node.ts'
import type { Script, TestNode } from './test-node.ts'
import { testNetwork } from '../evm/test-network.ts'

describe('the sandbox behind the nodes', () => {
  const nodes: TestNode[] = []
  afterEach(async () => {
    await Promise.all(nodes.splice(0).map((node) => node.stop()))
  })
  const sandbox = (instance: unknown): Script => ({ reply: () => ({ result: { instance } }) })
  const real: Script = { reply: () => ({ error: { code: -32601, message: 'Method not found' } }) }
  const broken: Script = { reply: () => ({ error: { code: -32603, message: 'Internal error' } }) }

  async function instanceOf(...scripts: readonly Script[]): Promise<string | null> {
    const started = await Promise.all(scripts.map(startTestNode))
    nodes.push(...started)
    const config = testNetwork(started.map(({ url }) => url))
    return connectEvm({ config, log: openLog('silent'), clock: systemClock }).sandboxInstance()
  }

  test('is named by its id, and null on a real network', async () => {
    expect(await instanceOf(sandbox('abc'))).toBe('abc')
    expect(await instanceOf(real)).toBeNull()
    expect(await instanceOf(real, real)).toBeNull()
  })

  test('is a failure when a node does not say, or two nodes disagree', async () => {
    await expect(instanceOf(broken)).rejects.toThrow()
    await expect(instanceOf(real, broken)).rejects.toThrow()
    await expect(instanceOf(real, sandbox('abc'))).rejects.toThrow('same network')
    await expect(instanceOf(sandbox(7))).rejects.toThrow('malformed')
  })
})

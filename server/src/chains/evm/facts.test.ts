import { expect, test } from 'vitest'
import { limits } from '../../kernel/limits.ts'
import { NodeFailure } from '../chain.ts'
import type { Transport } from '../json-rpc/transport.ts'
import { openFacts } from './facts.ts'

const HASH = `0x${'ab'.repeat(32)}`

test('what builds share is asked for once, and again when it is as old as the limit; a failure is not kept', async () => {
  let [now, asked, fails] = [0, 0, false]
  const transport: Pick<Transport, 'read' | 'readLast'> = {
    readLast: async () => {
      throw new Error('nothing is put off')
    },
    read: async ({ parse }) => {
      asked += 1
      if (fails) throw new NodeFailure('the node is away')
      const number = `0x${asked.toString(16)}`
      return parse({ number, hash: HASH, timestamp: '0x65', baseFeePerGas: '0x7' })
    },
  }
  const facts = openFacts({
    transport: { ...transport, tellAll: async () => [], tellEach: () => [] },
    clock: { nowMilliseconds: () => now, sleep: async () => undefined },
  })
  expect(await facts.latest()).toMatchObject({
    height: 1n,
    timeSeconds: 0x65n,
    baseFeePerGas: 7n,
  })
  now = limits.buildFactsMilliseconds - 1
  expect(await facts.latest()).toMatchObject({ height: 1n })
  now += 1
  fails = true
  await expect(facts.latest()).rejects.toThrow('the node is away')
  fails = false
  expect(await facts.latest()).toMatchObject({ height: 3n })
  expect(asked).toBe(3)
})

import { encodeFunctionResult, parseAbi } from 'viem'
import { expect, test } from 'vitest'
import { NodeFailure } from '../chain.ts'
import type { Transport } from '../json-rpc/transport.ts'
import { addressFromBytes } from './account.ts'
import { openSettlerFacts } from './settler-facts.ts'

const ABI = parseAbi([
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3() returns (Result[] results)',
])
const word = (value: bigint): `0x${string}` => `0x${value.toString(16).padStart(64, '0')}`
const views = (...values: readonly bigint[]): string =>
  encodeFunctionResult({
    abi: ABI,
    functionName: 'aggregate3',
    result: values.map((value) => ({ success: true, returnData: word(value) })),
  })
const ANSWERS: Readonly<Record<string, unknown>> = {
  eth_call: views(900n, 5n),
  eth_getTransactionCount: '0x7',
  eth_getBlockByNumber: {
    number: '0x10',
    hash: `0x${'ab'.repeat(32)}`,
    timestamp: '0x65',
    baseFeePerGas: '0xb',
  },
  eth_maxPriorityFeePerGas: '0x2',
}
const FACTS = {
  ...{ balance: 900n, dataFee: 5n, laneLatest: 7n },
  ...{ baseFeePerGas: 11n, suggestedTipPerGas: 2n, nowSeconds: 0x65n },
}
const SETTLER = addressFromBytes(new Uint8Array(20).fill(0x53))
const OTHER = addressFromBytes(new Uint8Array(20).fill(0x54))

/** A node that is asked when the test says so. */
function scene() {
  const asked: string[] = []
  let waiting: (() => void)[] = []
  let isAway = false
  const transport: Pick<Transport, 'readLast'> = {
    readLast: (make) =>
      new Promise((resolve, reject) => {
        waiting.push(() => {
          const { method, parse } = make()
          asked.push(method)
          if (isAway) reject(new NodeFailure('the node is away'))
          else resolve(parse(ANSWERS[method]))
        })
      }),
  }
  return {
    facts: openSettlerFacts(transport),
    asked,
    goAway: (away: boolean) => {
      isAway = away
    },
    send: () => {
      const making = waiting
      waiting = []
      for (const make of making) make()
    },
  }
}

test('whoever asks before the batch is put together shares its questions, and whoever asks later has them asked anew', async () => {
  const { facts, asked, send } = scene()
  const wave = Array.from({ length: 64 }, () => facts(SETTLER, 300))
  send()
  const late = facts(SETTLER, 300)
  expect(await Promise.all(wave)).toEqual(wave.map(() => FACTS))
  expect(asked).toHaveLength(4)
  send()
  expect(await late).toEqual(FACTS)
  expect(asked).toHaveLength(8)
})

test('keys, and transactions of other lengths, share nothing', async () => {
  const { facts, asked, send } = scene()
  const all = [facts(SETTLER, 300), facts(OTHER, 300), facts(SETTLER, 301)]
  send()
  expect(await Promise.all(all)).toEqual([FACTS, FACTS, FACTS])
  expect(asked).toHaveLength(12)
})

test('what a node failed at is told to all who asked and to nobody later', async () => {
  const { facts, send, goAway } = scene()
  goAway(true)
  const failed = [facts(SETTLER, 300), facts(SETTLER, 300)]
  send()
  for (const each of failed) await expect(each).rejects.toThrow('the node is away')
  goAway(false)
  const again = facts(SETTLER, 300)
  send()
  expect(await again).toEqual(FACTS)
})

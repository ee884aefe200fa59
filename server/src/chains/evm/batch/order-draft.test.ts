import { expect, test } from 'vitest'
import { testNetwork } from '../../../payments/test-lane.ts'
import type { Read, Transport } from '../../json-rpc/transport.ts'
import { account } from '../test-permit2-chain.ts'
import { openOrderDraft } from './order-draft.ts'

const GAS_MAX = 500_000n
const CALL = { to: account(1), value: 0n, data: new Uint8Array(100).fill(1) }
const FACTS = {
  ...{ balance: 10n ** 18n, dataFee: 0n, laneLatest: 7n },
  ...{ baseFeePerGas: 10n, suggestedTipPerGas: 2n, nowSeconds: 0x65n },
}

/** A node that runs every call, and estimates as it is told. */
function scene() {
  const asked: string[] = []
  const node = { estimate: 90_000n, now: 0 }
  const transport: Partial<Transport> = {
    read: async <Value>({ method, parse }: Read<Value>): Promise<Value> => {
      asked.push(method)
      return parse(method === 'eth_estimateGas' ? `0x${node.estimate.toString(16)}` : '0x')
    },
  }
  const draft = openOrderDraft({
    ...{ transport: transport as Transport, config: testNetwork(84_532), chainId: 84_532n },
    ...{ clock: { nowMilliseconds: () => node.now }, learned: new Map() },
    settlerFacts: async () => FACTS,
    settlementRuns: { runs: () => Promise.reject(new Error('nothing is run beside others')) },
  })
  const ask = async (likely?: bigint | string) => {
    asked.length = 0
    const drafted = await draft(CALL, account(2), GAS_MAX, likely)
    return [...asked, BigInt(drafted?.terms['gas'] ?? 0)]
  }
  return { ask, node }
}

test('what was measured elsewhere is believed once an estimate was within it, for a while', async () => {
  const { ask, node } = scene()
  expect(await ask(100_000n)).toEqual(['eth_estimateGas', 108_000n])
  expect(await ask(100_000n)).toEqual(['eth_call', 120_000n])
  expect(await ask(200_000n)).toEqual(['eth_call', 240_000n])
  node.now += 600_000
  expect(await ask(100_000n)).toEqual(['eth_estimateGas', 108_000n])
})

test('where a network counts more than that, every call is estimated', async () => {
  const { ask, node } = scene()
  node.estimate = 300_000n
  for (const _ of [1, 2]) expect(await ask(100_000n)).toEqual(['eth_estimateGas', 360_000n])
})

test('what is learned under a name is run from the second on', async () => {
  const { ask } = scene()
  expect(await ask('deposits')).toEqual(['eth_estimateGas', 108_000n])
  expect(await ask('deposits')).toEqual(['eth_call', 108_000n])
  expect(await ask()).toEqual(['eth_estimateGas', 108_000n])
})

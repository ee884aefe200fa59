import { expect, test } from 'vitest'
import { testNetwork } from '../../payments/test-lane.ts'
import type { Read, Transport } from '../json-rpc/transport.ts'
import { addressFromBytes } from './account.ts'
import { draftSettlement, learn, learnedGas } from './exact-draft.ts'
import type { LearnedGas } from './exact-draft.ts'

const SETTLER = addressFromBytes(new Uint8Array(20).fill(0x53))
const CALL = {
  ...{ to: addressFromBytes(new Uint8Array(20).fill(0x54)), value: 0n },
  data: new Uint8Array(100).fill(1),
}
const FACTS = {
  ...{ balance: 10n ** 18n, dataFee: 0n, laneLatest: 7n },
  ...{ baseFeePerGas: 10n, suggestedTipPerGas: 2n, nowSeconds: 0x65n },
}
const GAS_MAX = 500_000n
const ESTIMATED = 123_456n

/** A node on which a run of the call needs so much gas. */
function scene(needs: bigint) {
  const asked: { readonly method: string; readonly gas: bigint }[] = []
  const transport: Partial<Transport> = {
    read: async <Value>({ method, params, parse, meaning }: Read<Value>): Promise<Value> => {
      const [{ gas }] = params as [{ readonly gas: string }]
      asked.push({ method, gas: BigInt(gas) })
      if (method === 'eth_estimateGas') return parse(`0x${ESTIMATED.toString(16)}`)
      if (BigInt(gas) >= needs) return parse('0x')
      const failed = meaning?.({ code: 3, message: 'execution reverted' })
      if (failed === undefined) throw new Error('an answer that means nothing')
      return failed
    },
  }
  const never = () => Promise.reject(new Error('nothing is run beside others'))
  const draft = (likelyGas?: bigint) =>
    draftSettlement(
      {
        ...{ transport: transport as Transport, config: testNetwork(84_532), chainId: 84_532n },
        ...{ clock: { nowMilliseconds: () => 0 }, learned: new Map() },
        ...{ settlerFacts: async () => FACTS, settlementRuns: { runs: never } },
      },
      CALL,
      SETTLER,
      GAS_MAX,
      likelyGas,
    )
  return { draft, asked }
}

test('a call that runs within what such calls take is not estimated, and has as much room as an estimate leaves', async () => {
  const { draft, asked } = scene(100_000n)
  expect(await draft(100_000n)).toMatchObject({
    ...{ ok: true, gas: 100_000n },
    draft: { feeExpected: 100_001_000_000n, terms: { gas: '120000' }, isAlone: true },
  })
  expect(asked).toEqual([{ method: 'eth_call', gas: 100_000n }])
})

test('one that takes more, or of which nothing is known, is estimated', async () => {
  const { draft, asked } = scene(100_001n)
  expect(await draft(100_000n)).toMatchObject({ ok: true, gas: ESTIMATED })
  expect(await draft()).toMatchObject({ ok: true, gas: ESTIMATED })
  expect(await draft(GAS_MAX + 1n)).toMatchObject({ ok: true, gas: ESTIMATED })
  const estimate = { method: 'eth_estimateGas', gas: GAS_MAX }
  expect(asked).toEqual([{ method: 'eth_call', gas: 100_000n }, estimate, estimate, estimate])
})

test('what is learned under a name is the most of it, for as long as it is believed, and nothing dear', () => {
  let now = 0
  const learning = {
    clock: { nowMilliseconds: () => now },
    learned: new Map() satisfies LearnedGas,
  }
  learn(learning, 'deposits', 110_000n)
  learn(learning, 'deposits', 100_000n)
  learn(learning, 'deposits', 400_000n)
  expect(learnedGas(learning, 'deposits')).toBe(110_000n)
  expect(learnedGas(learning, 'others')).toBeUndefined()
  now += 600_000
  expect(learnedGas(learning, 'deposits')).toBeUndefined()
})

import { baseUnits } from '@florin/wire/amount.ts'
import { afterAll, expect, test } from 'vitest'
import { systemClock } from '../../kernel/clock.ts'
import { openLog } from '../../kernel/log.ts'
import { startTestNode } from '../json-rpc/test-node.ts'
import type { TestNode } from '../json-rpc/test-node.ts'
import { connectSolana } from './connect.ts'
import { NATIVE, testNetwork } from './test-network.ts'
import { ALICE, BOB, HASH } from './test-scene.ts'
import { script } from './test-script.ts'

let node: TestNode | undefined
afterAll(() => node?.stop())

test('a build is good for as long as the chain takes its blockhash, however quick its slots have become', async () => {
  let slot = 1_000
  let later = 0
  const lines: string[] = []
  const at = (value: unknown) => ({ context: { slot }, value })
  node = await startTestNode(
    script({
      getLatestBlockhash: () => ({
        result: at({ blockhash: HASH, lastValidBlockHeight: slot + 150 }),
      }),
      getSlot: () => ({ result: slot }),
      getMultipleAccounts: () => ({ result: at([null, null]) }),
      getMinimumBalanceForRentExemption: 890_880,
      getRecentPrioritizationFees: [],
    }),
  )
  const chain = connectSolana({
    config: testNetwork([node.url]),
    log: openLog('warn', { write: (line: string) => void lines.push(line) }),
    clock: { ...systemClock, nowMilliseconds: () => systemClock.nowMilliseconds() + later },
  })
  const validSeconds = async () => {
    const order = { sender: ALICE, recipient: BOB, asset: NATIVE }
    const amount = baseUnits(1_000_000n)
    const commitment = new Uint8Array(32)
    const outcome = await chain.selfCustody?.prepare({ ...order, amount, commitment })
    return outcome?.ok === true ? outcome.preparation.build([]).validSeconds : outcome
  }
  expect(chain.config.blockTimeMilliseconds).toBe(400)
  expect(await validSeconds()).toBe(60)
  for (let look = 0; look < 30; look += 1) {
    await chain.head()
    later += 1_000
    slot += 5
  }
  // The looks themselves take their time.
  expect(await validSeconds()).toBeGreaterThanOrEqual(30)
  expect(await validSeconds()).toBeLessThanOrEqual(31)
  // The file is wrong about it, and that is said once.
  expect(lines.filter((line) => line.includes('blockTimeMilliseconds'))).toHaveLength(1)
})

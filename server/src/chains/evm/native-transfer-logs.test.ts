import { baseUnits } from '@florin/wire/amount.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../kernel/clock.ts'
import { openLog } from '../../kernel/log.ts'
import { postText } from '../json-rpc/post-text.ts'
import { addressFromBytes } from './account.ts'
import { connectEvm } from './connect.ts'
import { COMMITMENT, startTestChain } from './test-chain.ts'
import type { TestChain } from './test-chain.ts'
import { NATIVE, testNetwork } from './test-network.ts'

const TRACED = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
const LOGGED = '0xfffffffffffffffffffffffffffffffffffffffe'
const TO = addressFromBytes(new Uint8Array(20).fill(0x77))

let world: TestChain
beforeAll(async () => {
  world = await startTestChain()
})
afterAll(() => world.sandbox.stop())

const asLogged = (text: string): string => text.replaceAll(new RegExp(TRACED, 'gi'), LOGGED)

/** Since EIP-7708 each transfer of native currency has a log of its own. */
test.each([
  ['that log alone, as reth and Besu tell it', asLogged],
  [
    'that log beside the traced one, as geth and Nethermind tell it',
    (text: string) =>
      text.replaceAll(
        /\{[^{}]*"address":"0x(?:ee){20}"[^{}]*\}/gi,
        (log) => `${log},${asLogged(log)}`,
      ),
  ],
])('a simulated transfer of native currency is told once, with %s', async (_, told) => {
  const wallet = await world.wallet(['native', '1'])
  let simulated = ''
  const chain = connectEvm({
    config: testNetwork([world.sandbox.rpcUrl]),
    log: openLog('silent'),
    clock: systemClock,
    post: (posting) => {
      const { answer, abandon } = postText(posting)
      if (!posting.body.includes('eth_simulateV1')) return { answer, abandon }
      const retold = answer.then((posted) => {
        simulated = told(posted.text)
        return { ...posted, text: simulated }
      })
      return { answer: retold, abandon }
    },
  })
  const { selfCustody } = chain
  if (selfCustody === undefined) throw new Error('EVM builds for others')
  const order = {
    ...{ sender: wallet.address, recipient: TO, asset: NATIVE },
    ...{ amount: baseUnits(77n), commitment: COMMITMENT },
  }
  const prepared = await selfCustody.prepare(order)
  if (!prepared.ok) throw new Error(prepared.refusal)
  const { transaction } = prepared.preparation.build([])
  expect(await selfCustody.simulate(transaction, wallet.address)).toMatchObject({
    succeeds: true,
    changes: [
      { address: wallet.address, asset: 'native', delta: -77n },
      { address: TO, asset: 'native', delta: 77n },
    ],
  })
  expect(simulated).toContain(LOGGED)
})

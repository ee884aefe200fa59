import { afterAll, beforeAll, expect, test } from 'vitest'
import { NodeFailure } from '../chains/chain.ts'
import type { Address, Chain } from '../chains/chain.ts'
import { connectEvm } from '../chains/evm/connect.ts'
import { testNetwork, USDC } from '../chains/evm/test-network.ts'
import { systemClock as clock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import { funding } from '../ledger/entry.ts'
import { readBalances, record } from '../ledger/store.ts'
import { openTestPeople } from '../people/test-people.ts'
import type { TestPeople } from '../people/test-people.ts'
import { write } from '../store/test-write.ts'
import { testOperatorRoutes } from './test-routes.ts'

const config = testNetwork([])
const { network } = config
const TOKEN = USDC.asset
const ADDRESS = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' as Address

let scene: TestPeople
beforeAll(async () => {
  scene = await openTestPeople()
})
afterAll(() => scene.close())

test('a released lane has in its books what the chain shows, where that is less and final, and the log says how much', async () => {
  const { store } = scene.database
  let onChain = 12n
  let finalized = 7n
  let frozen = 0n
  let isGone = false
  const chain: Chain = {
    ...connectEvm({ config, log: openLog('silent'), clock }),
    balances: async (_, assets) => {
      if (isGone && assets.some(({ asset }) => asset === TOKEN)) throw new NodeFailure('0 bytes')
      const amounts = assets.map(() => onChain - frozen)
      return { height: 7n, amounts, ...(frozen > 0n ? { owned: assets.map(() => onChain) } : {}) }
    },
    lanePosition: async () => {
      // Somebody uses the key in this very moment, and the count has it.
      if (onChain === 12n) onChain = 5n
      return { latest: 7n, finalized, finalizedHeight: 7n }
    },
  }
  const accountId = await scene.anAccount('Sellers')
  const walletId = newId(systemRandom, 'wal')
  await write(
    store,
    'test_wallet',
    `insert into wallets (id, account_id, family, address, label, sealed_data_key, sealed_private_key)
     values ($1, $2, 'evm', $3, 'the till', '', '')`,
    [walletId, accountId, ADDRESS],
  )
  const settler = { id: walletId, accountId, address: ADDRESS }
  const here = await scene.start(testOperatorRoutes({ store, clock, config, chain, settler }))
  const memberId = await scene.aMember({ isOperator: true, email: 'op@pay.example' })
  const operator = await here.signIn(await scene.aLink({ kind: 'operator', memberId }))
  const lane = { network, address: ADDRESS }
  const ask = async (path: string, body: object) => {
    const answer = await here.ask('POST', path, { as: operator, body })
    expect(answer.status, answer.text).toBe(200)
    return answer.body
  }
  const booked = async (of = 'native') => {
    const place = { accountId, walletId }
    const found = await store.inTransaction('service', (tx) => readBalances(tx, place))
    return found.find(({ asset }) => asset === of)?.available
  }

  const funded = ['native', TOKEN].map((asset) =>
    funding({ accountId, walletId, network, asset }, 12n),
  )
  await store.inTransaction('service', (tx) => record(tx, funded, 0))
  finalized = 6n
  await ask('/operator/lanes/freeze', { ...lane, reason: 'used elsewhere' })
  onChain = 12n
  const refused = await here.ask('POST', '/operator/lanes/release', { as: operator, body: lane })
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('is not final')])
  expect(await booked()).toBe(12n)
  finalized = 7n
  onChain = 12n
  isGone = true
  expect(await ask('/operator/lanes/release', lane)).toMatchObject({ notRead: [TOKEN] })
  expect([await booked(), await booked(TOKEN)]).toEqual([5n, 12n])
  isGone = false
  const { body } = await here.ask('GET', '/operator/audit?action=lane.released', { as: operator })
  expect(body['entries']).toMatchObject([
    {
      accountId,
      object: ADDRESS,
      details: {
        network,
        nextNonce: { before: '6', after: '7' },
        writtenOff: { native: '7' },
        notRead: [TOKEN],
      },
    },
  ])
  expect(await ask('/operator/lanes/release', lane)).toMatchObject({ notRead: [] })
  expect([await booked(), await booked(TOKEN)]).toEqual([5n, 5n])
  // What is frozen is no loss.
  frozen = 4n
  await ask('/operator/lanes/release', lane)
  expect(await booked()).toBe(5n)
  // What is there, and more of it than in the books, is no loss.
  onChain = 50n
  await ask('/operator/lanes/release', lane)
  expect(await booked()).toBe(5n)
})

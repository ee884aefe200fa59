import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Chain } from '../chains/chain.ts'
import { connectEvm } from '../chains/evm/connect.ts'
import { order } from '../chains/evm/test-chain.ts'
import type { TestChain, TestWallet } from '../chains/evm/test-chain.ts'
import { testNetwork } from '../chains/evm/test-network.ts'
import { systemClock } from '../kernel/clock.ts'
import { openLog } from '../kernel/log.ts'
import { newId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { write } from '../store/test-write.ts'
import { FINALITY_POLICIES, laneOf, openReleases, RECIPIENT } from './test-release.ts'

let world: TestChain
let database: TestDatabase
let key: TestWallet
beforeAll(async () => {
  ;({ world, database } = await openReleases())
}, 60_000)
afterAll(async () => {
  await Promise.all([world.sandbox.stop(), database.close()])
})

const { begin, lane, move, place, places, use, release } = laneOf(() => ({ world, database, key }))

describe.each(FINALITY_POLICIES)('where %s says what is final', (_, policy) => {
  let chain: Chain
  beforeEach(async () => {
    const config = testNetwork([world.sandbox.rpcUrl], { finality: policy })
    chain = connectEvm({ config, log: openLog('silent'), clock: systemClock })
    await world.sandbox.fault({ kind: 'resume-blocks' })
    key = await world.wallet(['native', '1'])
    await world.sandbox.fault({ kind: 'stop-blocks' })
  })

  test('nonces that nobody has used are filled where a payment of ours waits behind them, and it gets in', async () => {
    await use(0n)
    await begin(6n)
    await place(0n, 'mined')
    const to = world.chain.parseAddress(RECIPIENT)
    if (to === undefined) throw new Error('no recipient')
    const waiting = await world.signed(order(key, to, 1n), key, 3n)
    const paymentId = newId(systemRandom, 'pay')
    await place(3n, 'open', paymentId)
    await chain.broadcast([waiting.raw])
    const { filled, after } = await release(chain)
    expect([filled, after]).toEqual([[1n, 2n], 4n])
    expect((await release(chain)).filled).toEqual([])
    await world.sandbox.mine(2)
    expect(await chain.outcomes([waiting.hash])).toMatchObject([{ state: 'mined' }])
    const { latest } = await chain.lanePosition(key.address)
    expect(latest).toBe(4n)
    expect(await places()).toEqual([
      { nonce: '0', before_payment: null, attempts: '0', findings: '1' },
      { nonce: '1', before_payment: null, attempts: '1', findings: '0' },
      { nonce: '2', before_payment: null, attempts: '1', findings: '0' },
      { nonce: '3', before_payment: null, attempts: '0', findings: '0' },
    ])
    expect(await lane()).toMatchObject({ nextNonce: 4n, frozenReason: null })
  })

  test('a gap that the address cannot pay for keeps its lane frozen, and nothing is signed', async () => {
    key = await world.wallet()
    await begin(4n)
    await place(3n, 'open', newId(systemRandom, 'pay'))
    await expect(release(chain)).rejects.toMatchObject({
      code: 'INVALID_PARAMETERS',
      message: expect.stringMatching(
        /^Nobody has used nonces 0, 1, 2 .* may take 0\.\d+ ETH, and of the 0 that .* Give it 0\.\d+ ETH more/,
      ),
    })
    expect(await places()).toHaveLength(1)
    expect(await lane()).toMatchObject({ nextNonce: 4n, frozenReason: 'used elsewhere' })
  })

  test('a gap that only the money of what waits could pay for is not filled', async () => {
    await begin(4n)
    await place(3n, 'open', newId(systemRandom, 'pay'))
    const has = await world.balanceOf(key.address)
    const cost = async (feeCeiling: bigint) =>
      write(
        database.store,
        'test_cost',
        'update chain_transactions set fee_ceiling = $2 where lane_address = $1',
        [key.address, feeCeiling.toString()],
      )
    await cost(has - 1n)
    await expect(release(chain)).rejects.toThrow('is for what is under way')
    expect(await places()).toHaveLength(1)
    expect(await lane()).toMatchObject({ nextNonce: 4n, frozenReason: 'used elsewhere' })
    await cost(has / 2n)
    expect((await release(chain)).filled).toEqual([0n, 1n, 2n])
  })

  test('a gap that cannot be filled says why, and nothing is signed', async () => {
    await begin(18n)
    await place(17n, 'open')
    await expect(release(chain)).rejects.toThrow(
      'behind more than 16 nonces of this key that nobody has used, up to 16,',
    )
    await place(1n, 'open')
    const refuses: Chain['draft'] = async () => ({ ok: false, refusal: 'recipient_refuses' })
    await expect(release({ ...chain, draft: refuses })).rejects.toThrow(
      'code that the address runs',
    )
    const changes: Chain['draft'] = async (...given) => {
      await move(20n)
      await place(19n, 'open')
      return await chain.draft(...given)
    }
    await expect(release({ ...chain, draft: changes })).rejects.toThrow('has changed')
    expect(await places()).toHaveLength(3)
    expect((await lane()).frozenReason).toBe('used elsewhere')
  })
})

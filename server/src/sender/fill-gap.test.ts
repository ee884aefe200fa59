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

  test('a nonce that was given back where what we sent is over is used up by nothing, and so is one below it that was passed over', async () => {
    await begin(4n)
    const to = world.chain.parseAddress(RECIPIENT)
    if (to === undefined) throw new Error('no recipient')
    const [failed, waiting] = [
      await world.signed(order(key, to, 1n), key, 1n),
      await world.signed(order(key, to, 1n), key, 3n),
    ]
    for (const nonce of [1n, 2n, 3n]) await place(nonce, 'open', newId(systemRandom, 'pay'))
    await closePlaces([1n, failed.hash], [2n, null])
    await chain.broadcast([waiting.raw])
    const { filled, after } = await release(chain)
    expect([filled, after]).toEqual([[0n, 1n, 2n], 4n])
    await chain.broadcast([failed.raw])
    await world.sandbox.mine(2)
    expect(await chain.outcomes([waiting.hash, failed.hash])).toMatchObject([
      { state: 'mined' },
      { state: 'absent' },
    ])
    expect((await places()).map(({ nonce, attempts }) => `${nonce} ${attempts}`)).toEqual([
      '0 1',
      '1 2',
      '2 1',
      '3 0',
    ])
  })

  test('a nonce that holds what we sent after all is given back by nobody, whatever a node counts', async () => {
    const to = world.chain.parseAddress(RECIPIENT)
    if (to === undefined) throw new Error('no recipient')
    const failed = await world.signed(order(key, to, 1n), key, 0n)
    await chain.broadcast([failed.raw])
    await world.sandbox.mine(2)
    await begin(1n)
    await place(0n, 'open')
    await closePlaces([0n, failed.hash])
    const position = { latest: 0n, finalized: 0n, finalizedHeight: 100_000n }
    const counting = { ...chain, lanePosition: async () => position }
    await expect(release(counting)).rejects.toThrow('the node that was asked is behind')
    expect(await places()).toMatchObject([{ attempts: '1' }])
    expect((await lane()).frozenReason).toBe('used elsewhere')
  })

  test('a nonce is given back by nobody where more blocks were read than the node had that was asked', async () => {
    const follow = (height: number) =>
      write(database.store, 'test_followed', 'update followers set height = $1', [height])
    await begin(1n)
    await place(0n, 'open')
    await closePlaces([0n, null])
    const draft: Chain['draft'] = async (...given) => {
      await follow(1_000_000)
      return await chain.draft(...given)
    }
    const said = await release({ ...chain, draft }).catch(String)
    await follow(1)
    expect(said).toContain('the node that was asked is behind')
    expect(await places()).toMatchObject([{ attempts: '0' }])
    expect((await release(chain)).filled).toEqual([0n])
  })

  /** Places of the key that are over, each with the hash of its first attempt if it has one. */
  const closePlaces = async (...closed: readonly (readonly [bigint, string | null])[]) => {
    for (const [nonce, hash] of closed) {
      await write(
        database.store,
        'test_close',
        `with closed as (
           update chain_transactions set state = 'dead' where lane_address = $1 and nonce = $2 returning id, network
         ) insert into attempts (chain_transaction_id, number, network, hash, raw, terms, created_at)
         select id, 1, network, $3::text, '', '{}', now() from closed where $3::text is not null`,
        [key.address, nonce.toString(), hash],
      )
    }
  }

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

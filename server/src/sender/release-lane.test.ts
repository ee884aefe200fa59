import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Chain, LanePosition } from '../chains/chain.ts'
import { addressFromBytes } from '../chains/evm/account.ts'
import { connectEvm } from '../chains/evm/connect.ts'
import type { TestChain, TestWallet } from '../chains/evm/test-chain.ts'
import { testNetwork } from '../chains/evm/test-network.ts'
import { systemClock } from '../kernel/clock.ts'
import { openLog } from '../kernel/log.ts'
import { newId } from '../kernel/id.ts'
import type { FinalityPolicy } from '../kernel/network-config.ts'
import { systemRandom } from '../kernel/random.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { write } from '../store/test-write.ts'
import { stopLane } from './release-lane.ts'
import type { Released } from './release-lane.ts'
import { scriptedChain } from './test-chain.ts'
import { FINALITY_POLICIES, laneOf, openReleases } from './test-release.ts'

let world: TestChain
let database: TestDatabase
let key: TestWallet
beforeAll(async () => {
  ;({ world, database } = await openReleases())
}, 60_000)
afterAll(async () => {
  await Promise.all([world.sandbox.stop(), database.close()])
})

let serial = 0
const freshAddress = () => {
  serial += 1
  return addressFromBytes(new Uint8Array(20).fill(serial))
}
const at = (finality: FinalityPolicy): Chain =>
  connectEvm({
    config: testNetwork([world.sandbox.rpcUrl], { finality }),
    log: openLog('silent'),
    clock: systemClock,
  })

const { begin, lane, move, place, places, use, release } = laneOf(() => ({ world, database, key }))
const NOT_FINAL = 'used elsewhere in a block that is not final yet'

describe.each(FINALITY_POLICIES)('where %s says what is final', (_, policy) => {
  let chain: Chain
  beforeEach(async () => {
    chain = at(policy)
    await world.sandbox.fault({ kind: 'resume-blocks' })
    key = await world.wallet(['native', '1'])
    await world.sandbox.fault({ kind: 'stop-blocks' })
  })

  test('a key that a reorganisation may give a nonce back to stays frozen, and goes on from there if it does', async () => {
    await use(0n)
    await begin(1n)
    await place(0n, 'mined')
    await use(1n)
    await expect(release(chain)).rejects.toThrow(NOT_FINAL)
    expect(await lane()).toMatchObject({ nextNonce: 1n, frozenReason: 'used elsewhere' })
    await world.sandbox.fault({ kind: 'reorg', depth: 1 })
    await release(chain)
    const { nextNonce, frozenReason } = await lane()
    expect(frozenReason).toBeNull()
    const hash = await use(nextNonce)
    expect(await chain.outcomes([hash])).toMatchObject([{ state: 'mined' }])
  })

  test('what was used elsewhere is passed over once it is final, and its money is gone by then', async () => {
    await begin(0n)
    await use(0n)
    await expect(release(chain)).rejects.toThrow(NOT_FINAL)
    await world.sandbox.mine(2)
    let shown: Released['amounts'] = []
    await release(chain, (amounts) => (shown = amounts))
    expect(await lane()).toMatchObject({ nextNonce: 1n, frozenReason: null })
    expect(shown[0]).toBe(await world.balanceOf(key.address))
  })

  test('transactions of our own are no obstacle, final or not', async () => {
    await begin(0n)
    for (const nonce of [0n, 1n, 2n]) {
      await use(nonce)
      await place(nonce, 'mined')
    }
    await place(3n, 'open')
    await move(4n)
    await release(chain)
    expect(await lane()).toMatchObject({ nextNonce: 4n, frozenReason: null })
  })

  test('a lane that stands above the chain goes back to it, and what it signs then is mined', async () => {
    await use(0n)
    await begin(4n)
    await place(0n, 'mined')
    await release(chain)
    const { nextNonce } = await lane()
    expect(nextNonce).toBe(1n)
    const hash = await use(nextNonce)
    expect(await chain.outcomes([hash])).toMatchObject([{ state: 'mined' }])
  })

  test('a lane that begins frozen begins where the chain is final', async () => {
    await use(0n)
    const noted = async () => {}
    await stopLane({ store: database.store, chain, address: key.address, noted }, 'by hand')
    await expect(release(chain)).rejects.toThrow(NOT_FINAL)
    await world.sandbox.fault({ kind: 'reorg', depth: 1 })
    await release(chain)
    expect(await lane()).toMatchObject({ nextNonce: 0n, frozenReason: null })
  })
})

describe('a release', () => {
  const config = testNetwork([], { blockTimeMilliseconds: 12_000 })
  beforeEach(() => {
    key = { ...key, address: freshAddress() }
  })
  /** A chain of which each look at the lane shows the next of these; the last one for good. */
  const shows = (...positions: readonly Pick<LanePosition, 'latest' | 'finalized'>[]) => {
    let looks = 0
    return scriptedChain(config, {
      lanePosition: async () => {
        const shown = positions[Math.min(looks, positions.length - 1)]
        looks += 1
        if (shown === undefined) throw new Error('no position')
        return { ...shown, finalizedHeight: 36n }
      },
      balances: async () => ({ height: 100n, amounts: [5n, 0n] }),
    })
  }

  test('says about how long it takes', async () => {
    await begin(7n)
    await expect(release(shows({ latest: 8n, finalized: 7n }))).rejects.toMatchObject({
      code: 'INVALID_PARAMETERS',
      message: expect.stringContaining('release it in about 13 minutes'),
      details: { address: `was ${NOT_FINAL}` },
    })
  })

  test('books no balance that somebody else changed in the very moment', async () => {
    await begin(7n)
    const was = { latest: 7n, finalized: 7n }
    const used = { latest: 8n, finalized: 7n }
    const noted: unknown[] = []
    for (const chain of [
      shows(was, used),
      shows(used, was),
      shows(was, { ...used, finalized: 8n }),
    ])
      await expect(release(chain, (amounts) => noted.push(amounts))).rejects.toThrow(NOT_FINAL)
    expect(noted).toEqual([])
  })

  test('waits for the guard where a place of ours is open, and for finality where it found it taken', async () => {
    await begin(8n)
    await place(7n, 'open')
    const chain = shows({ latest: 8n, finalized: 7n })
    await expect(release(chain)).rejects.toThrow('is not decided yet')
    await write(
      database.store,
      'test_dead',
      `update chain_transactions set state = 'dead' where state = 'open'`,
    )
    await expect(release(chain)).rejects.toThrow(NOT_FINAL)
    await release(shows({ latest: 8n, finalized: 8n }))
    expect(await lane()).toMatchObject({ nextNonce: 8n, frozenReason: null })
  })

  test('makes no lane that it does not let sign', async () => {
    await expect(release(shows({ latest: 8n, finalized: 7n }))).rejects.toThrow(NOT_FINAL)
    const rows = await database.store.query(
      'test_lane',
      'select address from lanes where address = $1',
      [key.address],
    )
    expect(rows).toEqual([])
  })

  test('goes on where a node says what is final that another has not seen yet', async () => {
    await begin(7n)
    await release(shows({ latest: 7n, finalized: 8n }))
    expect(await lane()).toMatchObject({ nextNonce: 8n })
  })

  const closePlace = (state: string) =>
    write(
      database.store,
      'test_state',
      `update chain_transactions set state = $2, mined_hash = 'x', succeeded = true
       where lane_address = $1 and nonce = 8`,
      [key.address, state],
    )

  test('brings no lane back below a place of ours that is mined', async () => {
    await begin(9n)
    await place(8n, 'open')
    await closePlace('mined')
    await release(shows({ latest: 7n, finalized: 7n }))
    expect(await lane()).toMatchObject({ nextNonce: 9n, frozenReason: null })
  })

  test('lets nothing sign behind a place of ours that settled a part and that the chain has given back, until its nonce is used up', async () => {
    await begin(10n)
    await place(8n, 'open')
    await place(9n, 'open')
    await closePlace('final')
    const free = shows({ latest: 7n, finalized: 7n })
    await expect(release(free)).rejects.toThrow('nonce 8 of this key is free again')
    await stand(1, 'by hand')
    await expect(release(free)).rejects.toThrow('The network is halted')
    await stand(1, null)
    expect(await lane()).toMatchObject({ nextNonce: 10n, frozenReason: 'used elsewhere' })
    await release(shows({ latest: 9n, finalized: 9n }))
    expect(await lane()).toMatchObject({ nextNonce: 10n, frozenReason: null })
    // Who calls less final than we do does not know what it has not seen.
    await stand(37, null)
    await begin(10n)
    await release(free)
    await stand(1, null)
    expect(await lane()).toMatchObject({ nextNonce: 10n, frozenReason: null })
  })

  const stand = (finalizedHeight: number, haltedReason: string | null, height = 1) =>
    write(
      database.store,
      'test_stand',
      'update followers set finalized_height = $1, halted_reason = $2, height = $3',
      [finalizedHeight, haltedReason, height],
    )
  test.each([
    ['of a network whose node calls less final than we do', 37, null],
    ['of a halted network', 1, 'by hand'],
  ])(
    'lets no lane sign above the chain %s, and brings it back once that is over',
    async (_, finalizedHeight, haltedReason) => {
      const chain = shows({ latest: 7n, finalized: 7n })
      const noted: unknown[] = []
      await stand(finalizedHeight, haltedReason)
      await begin(9n)
      await expect(release(chain, (amounts) => noted.push(amounts))).rejects.toThrow(
        'stands above the chain',
      )
      expect(noted).toEqual([])
      expect(await lane()).toMatchObject({ nextNonce: 9n, frozenReason: 'used elsewhere' })
      await stand(1, null)
      await release(chain)
      expect(await lane()).toMatchObject({ nextNonce: 7n, frozenReason: null })
    },
  )

  test.each([
    ['is behind what was read here', 101, null, false],
    ['has all that was read here', 100, null, true],
    ['is behind, and the network is halted', 101, 'by hand', true],
  ])(
    'that would correct the books by the word of a node which %s',
    async (_, height, haltedReason, isReleased) => {
      await begin(7n)
      await stand(1, haltedReason, height)
      const noted: unknown[] = []
      const releasing = release(shows({ latest: 7n, finalized: 7n }), (each) => noted.push(each))
      if (isReleased) await releasing
      else await expect(releasing).rejects.toMatchObject({ code: 'NETWORK_ERROR' })
      await stand(1, null)
      expect(noted).toEqual(isReleased ? [[5n, 0n]] : [])
      expect((await lane()).frozenReason).toBe(isReleased ? null : 'used elsewhere')
    },
  )

  test('lets a lane sign where it stands above nothing, of a halted network, too', async () => {
    await begin(9n)
    await place(7n, 'open')
    await place(8n, 'open')
    await stand(37, 'by hand')
    await release(shows({ latest: 7n, finalized: 7n }))
    await stand(1, null)
    expect(await lane()).toMatchObject({ nextNonce: 9n, frozenReason: null })
  })

  test.each([
    ['by the word of a node that calls less final than we do', 37, null],
    ['of a halted network', 1, 'by hand'],
  ])('fills nothing %s, and lets nothing sign behind the gap', async (_, height, halted) => {
    await begin(9n)
    await place(8n, 'open', newId(systemRandom, 'pay'))
    await stand(height, halted)
    await expect(release(shows({ latest: 7n, finalized: 7n }))).rejects.toThrow(
      'stands above the chain',
    )
    await stand(1, null)
    expect(await places()).toHaveLength(1)
    expect(await lane()).toMatchObject({ nextNonce: 9n, frozenReason: 'used elsewhere' })
  })

  test('brings no lane back that is not frozen', async () => {
    await begin(9n, null)
    await release(shows({ latest: 7n, finalized: 7n }))
    expect(await lane()).toMatchObject({ nextNonce: 9n })
  })

  test('by two operators at once is one', async () => {
    await begin(7n)
    await Promise.all([
      release(shows({ latest: 9n, finalized: 9n })),
      release(shows({ latest: 7n, finalized: 7n })),
    ])
    expect(await lane()).toMatchObject({ nextNonce: 9n, frozenReason: null })
  })

  test('has nothing to wait for where lanes have no nonces', async () => {
    await begin(3n)
    await place(2n, 'mined')
    await release(shows({ latest: 0n, finalized: 0n }))
    expect(await lane()).toMatchObject({ nextNonce: 3n, frozenReason: null })
  })
})

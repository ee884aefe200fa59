import { expect, test } from 'vitest'
import { connectEvm } from '../chains/evm/connect.ts'
import { testNetwork } from '../chains/evm/test-network.ts'
import type { Block, TransactionHash } from '../chains/chain.ts'
import { systemClock as clock } from '../kernel/clock.ts'
import { openLog } from '../kernel/log.ts'
import type { Store } from '../store/postgres.ts'
import { readSightings } from './read-sightings.ts'

test('blocks in which there is nothing cost no look at the database, one with something in it does', async () => {
  const chain = connectEvm({
    config: testNetwork(['http://127.0.0.1:9']),
    log: openLog('silent'),
    clock,
  })
  const nothing = async () => undefined
  let looks = 0
  const builds = {
    hasLive: async () => {
      looks += 1
      return false
    },
    watched: async () => ({ senders: new Set<never>(), commitments: new Set<never>() }),
    ...{ hold: nothing, sighted: nothing, undone: nothing, final: async () => 0 },
  }
  const query = () => Promise.reject(new Error('nobody asks'))
  const store = { query, inTransaction: query } as Partial<Store> as Store
  const block = (height: bigint, transactionHashes: readonly TransactionHash[]): Block => ({
    ...{ height, hash: `0x${height}`, parentHash: `0x${height - 1n}` },
    ...{ timeMilliseconds: 0, transactionHashes },
  })
  const read = (blocks: readonly Block[]) => readSightings({ chain, store, builds }, blocks)
  expect(await read([block(1n, []), block(2n, [])])).toEqual([])
  expect(looks).toBe(0)
  expect(await read([block(1n, []), block(2n, ['0xa' as TransactionHash])])).toEqual([])
  expect(looks).toBe(1)
})

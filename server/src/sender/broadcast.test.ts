import { afterEach, beforeEach, expect, test } from 'vitest'
import type { TransactionHash, Verdict } from '@florin/server/chains/chain.ts'
import { systemClock } from '@florin/server/kernel/clock.ts'
import { openLog } from '@florin/server/kernel/log.ts'
import { testNetwork } from '@florin/server/payments/test-lane.ts'
import { openTestDatabase } from '@florin/server/store/test-database.ts'
import type { TestDatabase } from '@florin/server/store/test-database.ts'
import { openBroadcaster } from './broadcast.ts'
import { scriptedChain } from './test-chain.ts'

let database: TestDatabase
beforeEach(async () => {
  database = await openTestDatabase()
})
afterEach(() => database.close())

test('bytes that are being handed to a node are not sent beside by whoever finds them in the store', async () => {
  const config = testNetwork(84_532)
  const handed: number[] = []
  const answer = Promise.withResolvers<readonly Verdict[]>()
  const chain = scriptedChain(config, {
    broadcast: async (raws) => {
      handed.push(raws.length)
      return handed.length === 1 ? answer.promise : raws.map(() => ({ kind: 'accepted' as const }))
    },
  })
  const { network } = config
  const broadcaster = openBroadcaster({
    chains: new Map([[network, chain]]),
    store: database.store,
    clock: systemClock,
    log: openLog('silent'),
    killPoint: () => {},
  })
  const [first, second] = ['0x01', '0x02'].map((hash, index) => ({
    hash: hash as TransactionHash,
    raw: new Uint8Array([index]),
  }))
  if (first === undefined || second === undefined) throw new Error('two were made')
  const sending = broadcaster.broadcast(network, [first])
  const found = [first, second].map((each) => ({ ...each, isFound: true }))
  expect(await broadcaster.broadcast(network, found)).toHaveLength(1)
  answer.resolve([{ kind: 'accepted' }])
  await sending
  // The node has answered: from now on it is for whoever finds it unsent to send it again.
  expect(await broadcaster.broadcast(network, found)).toHaveLength(2)
  expect(handed).toEqual([1, 1, 2])
})

test('what a node has taken is told, and what it knew, refused or did not answer is not', async () => {
  const config = testNetwork(84_532)
  const { network } = config
  let verdicts: readonly Verdict[] = []
  const broadcaster = openBroadcaster({
    chains: new Map([[network, scriptedChain(config, { broadcast: async () => verdicts })]]),
    store: database.store,
    clock: systemClock,
    log: openLog('silent'),
    killPoint: () => {},
  })
  const told: string[] = []
  broadcaster.onAccepted((of) => told.push(of))
  const hash = '0x01' as TransactionHash
  const send = async (kinds: readonly Verdict[], isRepeat = false) => {
    verdicts = kinds
    await broadcaster.broadcast(
      network,
      kinds.map(() => ({ hash, raw: new Uint8Array(), isRepeat })),
    )
  }
  await send([
    { kind: 'known' },
    { kind: 'nonce_too_low' },
    { kind: 'unknown', reason: 'no answer' },
  ])
  // Solana's nodes take anew what they have.
  await send([{ kind: 'accepted' }], true)
  expect(told).toEqual([])
  await send([{ kind: 'known' }, { kind: 'accepted' }, { kind: 'accepted' }])
  expect(told).toEqual([network])
})

import { afterEach, beforeEach, expect, test } from 'vitest'
import { baseUnits } from '@florin/wire/amount.ts'
import type { Address, Terms, TransactionHash } from '../chains/chain.ts'
import { systemClock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import { signTest, testNetwork } from '../payments/test-lane.ts'
import type { Tx } from '../store/postgres.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { openBroadcaster } from './broadcast.ts'
import type { Broadcaster } from './broadcast.ts'
import { livingAttempts } from './expiry-store.ts'
import { followerFigures, placeFigures } from './figures-store.ts'
import { beginFollowing } from './follower-store.ts'
import { haltNetwork } from './halt-store.ts'
import { freezeLane, lockLane } from './lane-store.ts'
import { makeNextAttempt } from './next-attempt.ts'
import { closeFinal, markMined, matchHashes } from './place-store.ts'
import { rebroadcast } from './rebroadcast.ts'
import { scriptedChain } from './test-chain.ts'
import { laneFronts, storeTransactions } from './transaction-store.ts'
import { noteUnreadDeposits } from './unread-deposit-store.ts'

const config = testNetwork(84_532)
const { network } = config
const SENDER = '0x00000000000000000000000000000000000000AA' as Address
const termsOf = (fee: string) => JSON.parse(JSON.stringify({ fee })) as Terms
const KNOWN_AT = 1_790_000_000_000

let database: TestDatabase
beforeEach(async () => {
  database = await openTestDatabase()
})
afterEach(() => database.close())
const inService = <T>(work: (tx: Tx) => Promise<T>) => database.store.inTransaction('service', work)

/** Fills a place of a lane, as a request's commit does. */
async function fill(nonce: bigint, requestId?: string, address = SENDER) {
  const signed = signTest(termsOf('1'), nonce, address)
  await inService(async (tx) => {
    const lane = await lockLane(tx, network, address, 0n)
    const place = { nonce, terms: termsOf('1'), signed, feeCeiling: baseUnits(9n), paymentIds: [] }
    await storeTransactions(tx, lane, [{ ...place, requestId }], KNOWN_AT + Number(nonce) * 1000)
  })
  return signed
}

test('every attempt of a place leads to the request that it was signed for, in each log line about it', async () => {
  const requestId = newId(systemRandom, 'req')
  const first = await fill(0n, requestId)
  const lines: string[] = []
  const log = openLog('debug', { write: (line) => void lines.push(line) })
  const chain = scriptedChain(config, {
    broadcast: async (raws) => raws.map(() => ({ kind: 'accepted' as const })),
    renew: async () => termsOf('2'),
    sign: async (terms, nonce) => signTest(terms, nonce, SENDER),
  })
  const deps = { store: database.store, clock: systemClock, log, killPoint: () => undefined }
  const broadcaster = openBroadcaster({ ...deps, chains: new Map([[network, chain]]) })
  const send = () => rebroadcast({ ...deps, broadcaster }, network, -1_000)
  await send()
  await send()
  const [front] = await inService((tx) => laneFronts(tx, network, 10))
  expect(front).toMatchObject({ requestId, number: 1, wasSent: true })
  if (front === undefined) throw new Error('no front')
  const signer = { address: SENDER, sign: async () => new Uint8Array(), erase: () => undefined }
  const points = { beforeCommit: 'bump.before-commit', afterCommit: 'bump.after-commit' } as const
  await makeNextAttempt(
    { ...deps, chain, broadcaster, signerOf: async () => signer },
    front,
    points,
  )
  const second = signTest(termsOf('2'), 0n, SENDER)

  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { level: 'info', msg: 'broadcast', hash: first.hash, requestId, verdict: 'accepted' },
    { level: 'debug', msg: 'broadcast again', hash: first.hash, requestId },
    { level: 'info', msg: 'signed anew', hash: first.hash, next: second.hash, requestId },
    { level: 'info', msg: 'broadcast', hash: second.hash, requestId },
  ])
  expect(
    await database.store.query('test_ids', 'select number, request_id from attempts order by 1'),
  ).toEqual([
    { number: 1, request_id: requestId },
    { number: 2, request_id: null },
  ])
  const living = await inService((tx) => livingAttempts(tx, network, 10))
  expect(living.map((each) => each.requestId)).toEqual([requestId, requestId])
  const matched = await inService((tx) => matchHashes(tx, network, [second.hash]))
  expect(matched).toMatchObject([{ requestId, hash: second.hash }])
})

test('what was sent by a clock that has been set back since is sent again in its turn', async () => {
  const { hash } = await fill(0n)
  let now = KNOWN_AT
  const clock = { nowMilliseconds: () => now, sleep: async () => undefined }
  const sent: TransactionHash[][] = []
  const broadcaster: Broadcaster = {
    broadcast: async (_, committed) => {
      sent.push(committed.map((each) => each.hash))
      return committed.map(() => ({ kind: 'accepted' as const }))
    },
  }
  const send = async () => {
    await rebroadcast({ store: database.store, broadcaster, clock }, network, 5_000)
    return sent.splice(0)
  }
  await inService((tx) =>
    tx.query('test_last_sent', 'update attempts set last_sent_at = to_timestamp($1 / 1000.0)', [
      KNOWN_AT,
    ]),
  )
  expect(await send()).toEqual([[]])
  now -= 30_000
  // So far may the clock of another instance be ahead.
  expect(await send()).toEqual([[]])
  now -= 3_600_000
  expect(await send()).toEqual([[hash]])
})

test('a place that nobody asked for at its commit has no request', async () => {
  const { hash } = await fill(0n)
  expect(await inService((tx) => matchHashes(tx, network, [hash]))).toMatchObject([
    { requestId: null },
  ])
})

test('the figures of a network count what is on its way, and nothing that is final', async () => {
  const other = 'solana:none'
  const hashes: TransactionHash[] = []
  for (const nonce of [0n, 1n, 2n, 3n]) hashes.push((await fill(nonce)).hash)
  const seen = await inService((tx) => matchHashes(tx, network, hashes.slice(0, 2)))
  await inService(async (tx) => {
    await markMined(
      tx,
      seen.map((matched, index) => ({
        matched,
        outcome: {
          state: 'mined',
          height: BigInt(index + 1),
          blockHash: 'a',
          succeeded: true,
          feePaid: baseUnits(1n),
          transfers: [],
        },
      })),
    )
    await closeFinal(tx, network, 1n, 10)
    const frozen = '0x00000000000000000000000000000000000000bb' as Address
    await lockLane(tx, network, frozen, 0n)
    await freezeLane(tx, network, frozen, 'somebody else')
    await beginFollowing(tx, network, { height: 7n, hash: 'a7' })
    const where = { height: 7n, blockHash: 'a7', address: frozen }
    const transactionHash = 'odd' as TransactionHash
    await noteUnreadDeposits(tx, network, [
      { ...where, transactionHash, sinceMilliseconds: KNOWN_AT },
    ])
  })
  const read = () =>
    inService(async (tx) => ({
      places: await placeFigures(tx, [network, other]),
      followers: await followerFigures(tx, [network, other]),
    }))
  const none = {
    ...{ open: 0, mined: 0, frozenLanes: 0, unreadDeposits: 0 },
    oldestOpenAtMilliseconds: null,
  }
  const follower = { network, height: 7, finalizedHeight: 7, isHalted: false }
  expect(await read()).toEqual({
    places: [
      {
        ...{ network, open: 2, mined: 1, frozenLanes: 1, unreadDeposits: 1 },
        oldestOpenAtMilliseconds: KNOWN_AT + 2_000,
      },
      { network: other, ...none },
    ],
    followers: [follower],
  })
  await inService((tx) => haltNetwork(tx, network, 'a test'))
  expect((await read()).followers).toEqual([{ ...follower, isHalted: true }])
})

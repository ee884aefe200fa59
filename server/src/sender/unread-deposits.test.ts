import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { baseUnits } from '@florin/wire/amount.ts'
import { NodeFailure } from '@florin/server/chains/chain.ts'
import type { Address, Arrival, Block, TransactionHash } from '@florin/server/chains/chain.ts'
import type { Wallet } from '@florin/server/custody/wallet.ts'
import { findInBooks } from '@florin/server/doctor/books-store.ts'
import { findToLookAt } from '@florin/server/doctor/look-at.ts'
import { systemClock } from '@florin/server/kernel/clock.ts'
import { limits } from '@florin/server/kernel/limits.ts'
import { openLog } from '@florin/server/kernel/log.ts'
import { systemRandom } from '@florin/server/kernel/random.ts'
import { openPaymentBook } from '@florin/server/payments/advance.ts'
import { openDepositBook } from '@florin/server/payments/deposits.ts'
import { makeWallet, testNetwork } from '@florin/server/payments/test-lane.ts'
import { openTestDatabase } from '@florin/server/store/test-database.ts'
import type { TestDatabase } from '@florin/server/store/test-database.ts'
import { closeFinalBlocks } from './finalize.ts'
import { followBlocks } from './follow.ts'
import { beginFollowing, takeLease } from './follower-store.ts'
import { readUnreadDeposits } from './read-unread-deposits.ts'
import { scriptedChain } from './test-chain.ts'

const config = testNetwork(84_532)
const { network } = config
const STRANGER = '0x00000000000000000000000000000000000000AA' as Address
const START = Date.UTC(2026, 0, 1)

let database: TestDatabase
let wallet: Wallet
beforeEach(async () => {
  database = await openTestDatabase()
  wallet = await makeWallet(database.store)
})
afterEach(() => database.close())

/** A chain of blocks, each of which brings the wallet what its transactions say; `unread` of them no node tells. */
async function openScene() {
  const { store } = database
  const blocks: Block[] = []
  const unread = new Set<string>()
  const lines: string[] = []
  const says = { isAway: false, asked: 0, whom: true }
  let now = START
  const mine = (fork: string, from: number, ...paid: readonly (readonly string[])[]): void => {
    while ((blocks.at(-1)?.height ?? 0n) >= BigInt(from)) blocks.pop()
    paid.forEach((hashes, index) =>
      blocks.push({
        height: BigInt(from + index),
        hash: `${fork}${from + index}`,
        parentHash: blocks.at(-1)?.hash ?? '',
        timeMilliseconds: START,
        transactionHashes: hashes as TransactionHash[],
      }),
    )
  }
  mine('a', 100, [])
  const chain = scriptedChain(config, {
    head: async () => {
      const { height = 0n, hash = '' } = blocks.at(-1) ?? {}
      return { height, hash, finalizedHeight: height }
    },
    blocks: async (from, count) => blocks.filter(({ height }) => height >= from).slice(0, count),
    outcomes: async (hashes) => hashes.map(() => ({ state: 'absent' as const })),
    arrivals: async (read, ours, tell) => {
      if (says.isAway) throw new NodeFailure('nobody answers')
      await ours([wallet.address])
      return read.flatMap((each): Arrival[] => {
        const block = blocks.find(({ hash }) => hash === each.hash)
        return (block?.transactionHashes ?? []).flatMap((transactionHash, effectIndex) => {
          const where = { transactionHash, height: each.height, blockHash: each.hash }
          if (unread.has(transactionHash)) {
            says.asked += 1
            if (tell === undefined) throw new NodeFailure('no node tells it')
            tell(says.whom ? { ...where, address: wallet.address } : where)
            return []
          }
          const what = { asset: 'native', from: STRANGER, to: wallet.address }
          return [{ ...where, ...what, amount: baseUnits(5n), effectIndex }]
        })
      })
    },
  })
  const deps = {
    chain,
    store,
    book: openPaymentBook({ clock: systemClock }),
    deposits: openDepositBook({ clock: systemClock, random: systemRandom }),
    log: openLog('info', { write: (line: string) => void lines.push(line) }),
    killPoint: () => undefined,
    clock: { ...systemClock, nowMilliseconds: () => now },
  }
  await store.inTransaction('service', (tx) =>
    beginFollowing(tx, network, { height: 100n, hash: 'a100' }),
  )
  const taken = await store.inTransaction('service', (tx) => takeLease(tx, network, 'one', 60_000))
  if (taken === undefined) throw new Error('no lease')
  let cursor = taken
  return {
    ...{ mine, unread, says, lines },
    follow: async () => {
      cursor = await followBlocks(deps, cursor)
      return cursor.height
    },
    finalize: async () => {
      const { height, blockHash: hash } = cursor
      cursor = await closeFinalBlocks(deps, cursor, [{ height, hash, finalizedHeight: height }])
    },
    ask: async (seconds = 0) => {
      now += seconds * 1000
      await readUnreadDeposits(deps, cursor)
    },
  }
}

const records = async () => {
  const found = await database.store.query<{ hash: string; status: string }>(
    'test_records',
    `select transaction_hash as hash, status from payments where type = 'received' order by 1`,
  )
  return found.map(({ hash, status }) => `${hash} ${status}`)
}
const namedAfter = async (seconds: number) => {
  const clock = { ...systemClock, nowMilliseconds: () => START + seconds * 1000 }
  return (await findToLookAt(database.store, clock)).map(({ hash }) => hash)
}
const findings = () => database.store.inTransaction('service', findInBooks)
const LONG = limits.unreadDepositAskSecondsMax

describe('a deposit that no node tells', () => {
  test('is set aside, and what others brought is recorded; a person hears of it until it is told', async () => {
    const { mine, unread, follow, finalize, ask, lines } = await openScene()
    unread.add('odd')
    mine('a', 101, ['t1', 'odd', 't2'], ['t3'])
    expect(await follow()).toBe(102n)
    expect(await records()).toEqual(['t1 confirmed', 't2 confirmed', 't3 confirmed'])
    expect(lines.filter((line) => line.includes('set aside') && line.includes('odd'))).toHaveLength(
      1,
    )
    expect(await namedAfter(limits.foundUnseenSeconds - 1)).toEqual([])
    expect(await namedAfter(limits.foundUnseenSeconds)).toEqual(['odd'])
    await finalize()
    await ask()
    expect(await records()).toEqual(['t1 settled', 't2 settled', 't3 settled'])

    unread.clear()
    await ask(LONG)
    await ask(LONG)
    expect(await records()).toEqual(['odd confirmed', 't1 settled', 't2 settled', 't3 settled'])
    mine('a', 103, [])
    await follow()
    await finalize()
    expect(await records()).toEqual(['odd settled', 't1 settled', 't2 settled', 't3 settled'])
    expect(await namedAfter(limits.foundUnseenSeconds)).toEqual([])
    expect(await findings()).toEqual([])
  })

  test('is kept the same where nobody tells whom it pays, as long as these are few', async () => {
    const { mine, unread, follow, ask, says, lines } = await openScene()
    says.whom = false
    unread.add('odd')
    mine('a', 101, ['t1', 'odd'])
    await follow()
    expect(await records()).toEqual(['t1 confirmed'])
    expect(lines.filter((line) => line.includes('"address":"unknown"'))).toHaveLength(1)
    const [seen] = await findToLookAt(database.store, {
      ...systemClock,
      nowMilliseconds: () => START + limits.foundUnseenSeconds * 1000,
    })
    expect(seen).toMatchObject({ hash: 'odd', address: 'unknown', nonce: 'deposit' })
    await ask()
    expect(await records()).toEqual(['t1 confirmed'])
    const many = Array.from({ length: limits.unreadRecordsMax }, (_, serial) => `odd${serial}`)
    for (const each of many) unread.add(each)
    mine('a', 102, many)
    await expect(follow()).rejects.toThrow(NodeFailure)
    mine('a', 102, many.slice(1))
    expect(await follow()).toBe(102n)
    mine('a', 103, ['odd0'])
    await expect(follow()).rejects.toThrow(/more than 1000 transactions/)
    // One of a wallet here is no matter of theirs.
    says.whom = true
    expect(await follow()).toBe(103n)
    unread.clear()
    await ask(LONG)
    expect(await records()).toHaveLength(1 + limits.unreadDepositsMax)
  })

  test('is kept with whom it pays as soon as one node tells that, and that stays', async () => {
    const { mine, unread, follow, ask, says } = await openScene()
    says.whom = false
    unread.add('odd')
    mine('a', 101, ['odd'])
    await follow()
    const named = async () => {
      const clock = {
        ...systemClock,
        nowMilliseconds: () => START + limits.foundUnseenSeconds * 1000,
      }
      return (await findToLookAt(database.store, clock)).map(({ address }) => address)
    }
    await ask()
    expect(await named()).toEqual(['unknown'])
    says.whom = true
    await ask(LONG)
    expect(await named()).toEqual([wallet.address])
    says.whom = false
    await ask(LONG)
    expect(await named()).toEqual([wallet.address])
    unread.clear()
    await ask(LONG)
    expect(await records()).toEqual(['odd confirmed'])
    expect(await named()).toEqual([])
  })

  test('waits for no other of its block that no node tells, and is taken in once', async () => {
    const { mine, unread, follow, ask } = await openScene()
    for (const each of ['one', 'two']) unread.add(each)
    mine('a', 101, ['one', 'two'])
    await follow()
    unread.delete('two')
    await ask()
    expect(await records()).toEqual(['two confirmed'])
    await ask(LONG)
    unread.delete('one')
    await ask(LONG)
    expect(await records()).toEqual(['one confirmed', 'two confirmed'])
  })

  test('is asked for again less and less often, also by a clock that is set back', async () => {
    const { mine, unread, follow, ask, says } = await openScene()
    unread.add('odd')
    mine('a', 101, ['odd'])
    await follow()
    const asked = async (...pauses: readonly number[]) => {
      says.asked = 0
      for (const pause of pauses) await ask(pause)
      return says.asked
    }
    expect(await asked(0, 0, 4)).toBe(1)
    expect(await asked(1, 9)).toBe(1)
    expect(await asked(1, 19)).toBe(1)
    expect(await asked(...Array.from({ length: 20 }, () => LONG))).toBe(20)
    expect(await asked(LONG - 1)).toBe(0)
    expect(await asked(-100 * LONG)).toBe(1)
  })

  test('is forgotten with its block, and taken from the one that it comes back in', async () => {
    const { mine, unread, follow, ask } = await openScene()
    unread.add('odd')
    mine('a', 101, ['odd'])
    await follow()
    mine('b', 101, [], ['odd'])
    await follow()
    expect(await namedAfter(LONG * 10)).toEqual([])
    unread.clear()
    expect(await follow()).toBe(102n)
    await ask(LONG)
    expect(await records()).toEqual(['odd confirmed'])
  })

  test('keeps what it is while no node answers at all', async () => {
    const { mine, unread, follow, ask, says } = await openScene()
    unread.add('odd')
    mine('a', 101, ['odd'])
    await follow()
    says.isAway = true
    await ask()
    mine('a', 102, ['t1'])
    await expect(follow()).rejects.toThrow(NodeFailure)
    expect(await namedAfter(LONG * 10)).toEqual(['odd'])
    says.isAway = false
    unread.clear()
    await ask(LONG)
    await follow()
    expect(await records()).toEqual(['odd confirmed', 't1 confirmed'])
  })
})

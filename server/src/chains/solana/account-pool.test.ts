import { expect, test } from 'vitest'
import { systemClock } from '../../kernel/clock.ts'
import type { Address } from '../chain.ts'
import { openAccountPool } from './account-pool.ts'
import { account, ALICE, BOB, CAROL, wallet } from './test-scene.ts'
import type { Read } from '../json-rpc/transport.ts'

/** A node on which everybody has as many lamports as their address has a first byte, and nobody else is there. */
function countingNode(known: readonly Address[]) {
  const calls: (readonly Address[])[] = []
  const read = async <Value>({ params, parse }: Read<Value>): Promise<Value> => {
    const [addresses] = params as [readonly Address[]]
    calls.push(addresses)
    const value = addresses.map((address) => {
      const place = known.indexOf(address)
      return place === -1 ? null : account({ lamports: BigInt(place + 1) })
    })
    return parse({ context: { slot: 50 }, value })
  }
  return { calls, read }
}

test('everybody who asks at the same moment gets their own accounts, in their own order, from one call', async () => {
  const node = countingNode([ALICE, BOB, CAROL])
  const pool = openAccountPool(node, systemClock)
  const answers = await Promise.all([
    pool.read([ALICE, BOB]),
    pool.read([CAROL, ALICE, wallet(9)]),
    pool.read([BOB]),
  ])
  const lamports = answers.map((each) => each.map((one) => one?.lamports))
  expect(lamports).toEqual([[1n, 2n], [3n, 1n, undefined], [2n]])
  expect(node.calls).toHaveLength(1)
  expect(node.calls[0]).toEqual([ALICE, BOB, CAROL, wallet(9)])
})

test('no call asks for more than a hundred accounts', async () => {
  const wallets = Array.from({ length: 104 }, (_, index) => wallet(index + 1))
  const node = countingNode(wallets)
  const pool = openAccountPool(node, systemClock)
  const askers = Array.from({ length: 26 }, (_, index) => wallets.slice(index * 4, index * 4 + 4))
  const answers = await Promise.all(askers.map((asked) => pool.read(asked)))
  expect(answers.flat().map((one) => one?.lamports)).toEqual(
    wallets.map((_, index) => BigInt(index + 1)),
  )
  expect(node.calls.map(({ length }) => length)).toEqual([100, 4])
})

import { describe, expect, test } from 'vitest'
import { hexBytes } from './hex.ts'
import { permit2Call, PROXIES } from './permit2.ts'
import type { Permit2Authorization } from './permit2.ts'
import { account, findNew, nodeOf, PAID, plain, word } from './test-permit2-chain.ts'
import type { Done } from './test-permit2-chain.ts'

const PRUNED = { stateFrom: 4_900n }

describe('of upto that a wallet of ours signed, any amount up to the signed one is the payment', () => {
  const UPTO: Permit2Authorization = { ...PAID, scheme: 'upto', facilitator: account(3) }
  const HEIGHT = 4_950
  const OLD = { stateFrom: BigInt(HEIGHT) - 1n }
  /** The key that it names takes so much, by a call of the proxy. */
  const takes = (value: bigint): Done => ({
    ...{ height: HEIGHT, to: PROXIES.upto, moved: [value], uses: [7] },
    input: hexBytes(permit2Call({ ...UPTO, value }, { withPermit: false }).data),
  })
  /** A contract does, which it names. */
  const takesWithin = (...moved: bigint[]): Done => ({ height: HEIGHT, moved, uses: [7] })
  /** Another purchase's transfer to the same seller. */
  const another = (amount: bigint): Done => ({ height: HEIGHT, moved: [amount] })
  const took = (taken: bigint) => ({
    ...{ kind: 'paid', settlement: { hash: word(1), height: BigInt(HEIGHT), taken } },
  })
  const wasted = { kind: 'wasted', height: BigInt(HEIGHT) }
  const find = async (done: readonly Done[], isOurs = true) => [
    await findNew(nodeOf(done), UPTO, 0n, isOurs),
    await findNew(nodeOf(done, OLD), UPTO, 0n, isOurs),
    await findNew(nodeOf(done, PRUNED), UPTO, 0n, isOurs),
  ]

  test.each([1n, 499n, 500n])('%s of 500 is what was taken', async (value) => {
    for (const use of await find([takes(value)])) expect(use).toMatchObject(took(value))
    const within = { ...takesWithin(value), settles: [0] }
    for (const use of await find([within])) expect(use).toMatchObject(took(value))
  })

  test('as much as the call took has been taken, though the token kept a part of it', async () => {
    const kept = { ...takes(400n), moved: [380n] }
    const less = { settlement: { taken: 400n, isLess: true } }
    for (const use of await find([kept])) expect(use).toMatchObject(less)
  })

  test('all of the least that can be signed is told as taken, too', async () => {
    const least = { ...UPTO, permitted: 1n, value: 1n }
    const input = hexBytes(permit2Call(least, { withPermit: false }).data)
    const node = nodeOf([{ ...takes(1n), input }])
    expect(await findNew(node, least, 0n, true)).toMatchObject(took(1n))
  })

  test('nothing taken is nothing paid, and that is the end of it', async () => {
    for (const use of await find([takes(0n)])) expect(use).toMatchObject(wasted)
    const [inBlock, old] = await find([takesWithin(0n)])
    expect(inBlock).toMatchObject(wasted)
    // Without the state of that time nothing shows that nothing was moved.
    expect(old).toBeUndefined()
  })

  test('one transfer alone is not it without the proxy’s word', async () => {
    for (const use of await find([takesWithin(30n)])) expect(use).toBeUndefined()
  })

  test('another purchase beside what was settled for nothing is not it', async () => {
    for (const done of [
      [{ ...takesWithin(0n, 30n), settles: [0] }],
      [{ ...takesWithin(0n), settles: [0] }, another(30n)],
    ]) {
      for (const use of await find(done)) expect(use).toBeUndefined()
    }
  })

  test('nothing is concluded from receipts of which one is missing', async () => {
    const unseen: Done = { ...takesWithin(30n), settles: [0], hasNoReceipt: true }
    const seen: Done = { ...another(1n), settles: [0] }
    for (const use of await find([unseen, seen])) expect(use).toBeUndefined()
  })

  test('of two transfers that may have been it nobody knows which was', async () => {
    const both = [takesWithin(30n), { height: HEIGHT, moved: [1n] }]
    for (const use of await find(both)) expect(use).toBeUndefined()
    const settledBoth = [
      { ...takesWithin(30n), settles: [0] },
      { height: HEIGHT, moved: [1n], settles: [0] },
    ]
    for (const use of await find(settledBoth)) expect(use).toBeUndefined()
  })

  test('but only what the proxy says it settled can have been it', async () => {
    const beside = [
      { ...takesWithin(1n, 30n, 2n), settles: [1] },
      { height: HEIGHT, moved: [3n] },
    ]
    for (const use of await find(beside)) expect(use).toMatchObject(took(30n))
    // Anybody has a token log a transfer of nothing, and a proxy log behind it that it settled something in a token of its own.
    const spam: readonly Done[] = [
      { ...takesWithin(0n, 30n, 0n), settles: [0, 1] },
      { height: HEIGHT, moved: [0n, 0n], settles: [0, 1] },
    ]
    for (const use of await find(spam)) expect(use).toMatchObject(took(30n))
  })

  test('what is known to be something else is not it', async () => {
    const by = { ...UPTO, nonce: 8n, value: 20n }
    const input = hexBytes(permit2Call(by, { withPermit: false }).data)
    const beside: readonly Done[] = [
      { height: HEIGHT, to: PROXIES.upto, moved: [20n], input },
      plain(HEIGHT, 21n),
      { height: HEIGHT, moved: [501n] },
    ]
    for (const use of await find([{ ...takesWithin(30n), settles: [0] }, ...beside])) {
      expect(use).toMatchObject(took(30n))
    }
  })

  test('and of what others signed only the amount that was asked for', async () => {
    for (const use of await find([takes(499n)], false)) expect(use).toMatchObject(wasted)
    const [paid] = await find([takes(500n)], false)
    expect(paid).toMatchObject({ kind: 'paid', settlement: { hash: word(1) } })
    expect(paid).not.toHaveProperty('settlement.taken')
    const [within] = await find([takesWithin(500n)], false)
    expect(within).toBeUndefined()
  })
})

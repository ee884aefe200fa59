import { describe, expect, test } from 'vitest'
import { limits } from '../../kernel/limits.ts'
import { NodeFailure } from '../chain.ts'
import type { Read, Transport } from '../json-rpc/transport.ts'
import { addressWord, uintWord } from './eip712.ts'
import { hexBytes } from './hex.ts'
import { permit2Call, PROXIES } from './permit2.ts'
import type { Permit2Authorization } from './permit2.ts'
import { openLogLooks } from './log-ranges.ts'
import { findPermit2Use } from './permit2-final.ts'
import { findNonceFlip } from './permit2-flip.ts'
import { account, findNew, nodeOf, PAID, plain, word } from './test-permit2-chain.ts'
import type { Done } from './test-permit2-chain.ts'
import { TRANSFER_TOPIC } from './token-transfers.ts'

const [HASH, BLOCK] = [word(0xaa), word(0xbb)]
const PAYS = hexBytes(permit2Call(PAID, { withPermit: false }).data)
const OTHER = hexBytes(permit2Call({ ...PAID, nonce: 8n }, { withPermit: false }).data)

/** A node that shows one transaction: this call of the proxy, beside a transfer of the payer's to the seller. */
function nodeWith(called: Permit2Authorization): Pick<Transport, 'read'> {
  const place = { blockNumber: '0x10', blockHash: BLOCK, transactionHash: HASH }
  const topics = [TRANSFER_TOPIC, ...[PAID.from, PAID.to].map((it) => hexBytes(addressWord(it)))]
  const data = hexBytes(uintWord(PAID.value))
  const transfer = { address: PAID.token, topics, data, logIndex: '0x3', ...place }
  const answers: Readonly<Record<string, unknown>> = {
    eth_blockNumber: '0x20',
    eth_getLogs: [transfer],
    eth_getTransactionByHash: {
      ...{ from: account(9), to: PROXIES.exact },
      input: hexBytes(permit2Call(called, { withPermit: false }).data),
    },
    eth_getTransactionReceipt: {
      ...{ status: '0x1', gasUsed: '0x1', effectiveGasPrice: '0x1', logs: [transfer] },
      ...place,
    },
    eth_getBlockByNumber: {
      ...{ number: '0x10', hash: BLOCK, parentHash: BLOCK, timestamp: '0x1', transactions: [] },
    },
  }
  return { read: async ({ method, parse }) => parse(answers[method]) }
}

test('a transaction that calls the proxy with this very payment has paid it', async () => {
  expect(await findNew(nodeWith(PAID), PAID, 0n)).toEqual({
    kind: 'paid',
    settlement: { hash: HASH, height: 16n, blockHash: BLOCK, logIndex: 3 },
  })
})

test.each([
  ['another token, while another payment moves in it', { token: account(9) }],
  ['another receiver', { to: account(9) }],
  ['another amount', { permitted: 499n, value: 499n }],
])('one that spends the nonce on %s has not', async (_, change) => {
  const node = nodeWith({ ...PAID, ...change })
  expect(await findNew(node, PAID, 0n)).toMatchObject({ kind: 'wasted', height: 16n })
})

test('a call with another nonce, or of another payer, is no use of this one', async () => {
  for (const change of [{ nonce: 8n }, { from: account(9) }]) {
    // This node has no state of its newest block, so nothing is said of what it does not show.
    const use = await findNew(nodeWith({ ...PAID, ...change }), PAID, 0n)
    expect(use).toEqual({ kind: 'behind' })
  }
})

const settled: Done = {
  ...{ height: 1_000, to: PROXIES.exact, input: PAYS, moved: [PAID.value], uses: [7] },
}
const PAID_THERE = { kind: 'paid', settlement: { height: 1_000n, hash: word(1) } }
const PRUNED = { stateFrom: 4_900n }

test('what a look has no room to read is nobody else’s: two payments are never given one transfer', async () => {
  // A batcher settled more of them than a look reads, the first two in one block.
  const batched = Array.from({ length: 41 }, (_, nonce) => ({
    ...{ height: nonce < 2 ? 100 : 101, moved: [PAID.value], uses: [nonce] },
  }))
  for (const node of [nodeOf(batched), nodeOf(batched, PRUNED)]) {
    const uses = await Promise.all(
      [0n, 1n].map((nonce) => findNew(node, { ...PAID, nonce }, 0n, true)),
    )
    expect(uses).toEqual([undefined, undefined])
  }
})

test('who settled it is found below more transfers than a look reads', async () => {
  const later = (moved: bigint) =>
    Array.from({ length: 60 }, (_, at): Done => ({ height: 4_000 + at, moved: [moved] }))
  const busy = nodeOf([settled, ...later(3n)])
  expect(await findNew(busy, PAID, 0n)).toMatchObject(PAID_THERE)
  // Transfers of nothing are for anybody to make: without the state they are passed over.
  const spammed = [settled, ...later(0n)]
  expect(await findNew(nodeOf(spammed), PAID, 0n)).toMatchObject(PAID_THERE)
  expect(await findNew(nodeOf(spammed, PRUNED), PAID, 0n)).toMatchObject(PAID_THERE)
})

test('without the state of the past, later looks find below what one look leaves out, whatever else the owner does', async () => {
  const head = 200_000
  const there: Done = { ...settled, height: 100_000 }
  const busy = Array.from({ length: 60 }, (_, at): Done => ({ height: 199_000 + at, moved: [3n] }))
  const more = { stateFrom: BigInt(head) - 100n, head }
  for (const done of [[there], [there, ...busy]]) {
    const deps = { transport: nodeOf(done, more), looks: openLogLooks() }
    let use: Awaited<ReturnType<typeof findPermit2Use>>
    for (let looks = 0; use === undefined && looks < 12; looks += 1) {
      use = await findPermit2Use(deps, PAID, 0n)
    }
    expect(use).toMatchObject({ kind: 'paid', settlement: { height: 100_000n } })
  }
})

test('a node that gives only so many logs at once is asked for fewer blocks', async () => {
  const many = Array.from({ length: 60 }, (_, at): Done => ({ height: 1_100 + at, moved: [0n] }))
  const node = nodeOf([settled, ...many], { ...PRUNED, logsMax: 50 })
  expect(await findNew(node, PAID, 0n)).toMatchObject(PAID_THERE)
  await expect(findNew(nodeOf([settled], { ...PRUNED, logsMax: 0 }), PAID, 0n)).rejects.toThrow(
    NodeFailure,
  )
})

test('a nonce that was spent in a block without a transfer to the seller has paid nothing', async () => {
  const burnt: Done = { height: 3_000, uses: [7] }
  // Other transfers of that block are other payments: of another amount, a plain one, one by another nonce.
  const beside: readonly Done[] = [
    { height: 3_000, moved: [1n] },
    plain(3_000, PAID.value),
    { height: 3_000, to: PROXIES.exact, moved: [PAID.value], input: OTHER },
  ]
  for (const node of [nodeOf([burnt]), nodeOf([burnt, ...beside])]) {
    expect(await findNew(node, PAID, 0n)).toMatchObject({ kind: 'wasted', height: 3_000n })
  }
  expect(await findNew(nodeOf([burnt], { stateFrom: 3_500n }), PAID, 0n)).toBeUndefined()
})

test('what a machine on a branch that was left behind tells of a height decides nothing', async () => {
  const within = (height: number): Done => ({ height, moved: [PAID.value], uses: [7] })
  const node = nodeOf([within(4_952), { height: 4_950 }])
  const left = nodeOf([within(4_950)])
  // Both are behind one address: the other one is asked for the state at the height where it has the payment.
  const address = {
    read: <Value>(read: Read<Value>): Promise<Value> =>
      (read.method === 'eth_call' && read.params[1] === '0x1356' ? left : node).read(read),
  }
  for (const isOurs of [true, false]) {
    expect(await findNew(address, PAID, 0n, isOurs)).toEqual({ kind: 'behind' })
  }
})

test('a machine that shows nothing and has not come to the payment is behind, where no state says which block it was', async () => {
  const there: Done = { ...settled, height: 4_950 }
  const pruned = nodeOf([there], { stateFrom: 4_960n })
  const late = nodeOf([])
  const LATE_HEIGHT = '0x134c'
  let heights = 0
  // Both are behind one address: the late one is asked for the logs, and for its height with them.
  const addressOf = (lateHeight: string): Pick<Transport, 'read'> => ({
    read: async ({ method, params, parse, ...rest }) => {
      if (method === 'eth_blockNumber' && (heights += 1) > 1) return parse(lateHeight)
      const isLate = method === 'eth_getLogs' || params[1] === LATE_HEIGHT
      return (isLate ? late : pruned).read({ ...rest, method, params, parse })
    },
  })
  expect(await findNew(addressOf(LATE_HEIGHT), PAID, 0n)).toEqual({ kind: 'behind' })
  heights = 0
  // One that has come there and shows nothing keeps no logs: nobody knows then.
  expect(await findNew(addressOf('0x1388'), PAID, 0n)).toBeUndefined()
  expect(await findNew(pruned, PAID, 0n)).toMatchObject({ kind: 'paid' })
})

test('that a node shows no log of a block is believed only where the block itself excludes any', async () => {
  const within: Done = { height: 4_950, moved: [PAID.value], uses: [7] }
  const burnt: Done = { height: 4_950, uses: [7] }
  // A node that has dropped the logs of a block, or has not read them yet, answers just so.
  const dropped = { hasLogs: false }
  for (const isOurs of [true, false]) {
    expect(await findNew(nodeOf([within], dropped), PAID, 0n, isOurs)).toBeUndefined()
    const wasted = await findNew(nodeOf([burnt], dropped), PAID, 0n, isOurs)
    expect(wasted).toMatchObject({ kind: 'wasted', height: 4_950n })
  }
  const unfilled = nodeOf([burnt], { ...dropped, fillsBlooms: false })
  expect(await findNew(unfilled, PAID, 0n)).toBeUndefined()
})

test('of a wallet of ours all has left where the token kept a part of it: that is not spent for nothing', async () => {
  const direct: Done = { ...settled, height: 4_950, moved: [475n] }
  const within: Done = { height: 4_950, moved: [475n], uses: [7] }
  const less = { kind: 'paid', settlement: { hash: word(1), height: 4_950n, isLess: true } }
  for (const more of [{}, { stateFrom: 4_949n }]) {
    for (const done of [direct, within]) {
      expect(await findNew(nodeOf([done], more), PAID, 0n, true)).toMatchObject(less)
      expect(await findNew(nodeOf([done], more), PAID, 0n)).not.toMatchObject(less)
    }
  }
  // The whole is it, whatever of less stands beside it, and of two parts nobody knows which is.
  const beside: Done = { height: 4_950, moved: [475n] }
  const whole = await findNew(nodeOf([{ ...within, moved: [500n] }, beside]), PAID, 0n, true)
  expect(whole).toMatchObject({ kind: 'paid', settlement: { hash: word(1) } })
  expect(whole).not.toHaveProperty('settlement.isLess')
  expect(await findNew(nodeOf([within, beside]), PAID, 0n, true)).toBeUndefined()
})

test('a call that paid and whose receipt does not show it is not called spent for nothing', async () => {
  const node = nodeOf([{ ...settled, hasNoLogs: true }])
  expect(await findNew(node, PAID, 0n)).toBeUndefined()
})

test('what may have been the payment is not called spent for nothing, though its owner took the nonce back beside it', async () => {
  const within: Done = { height: 4_950, moved: [PAID.value], uses: [7] }
  const back: Done = { height: 4_950, takesBack: 7 }
  for (const isOurs of [true, false]) {
    expect(await findNew(nodeOf([within, back]), PAID, 0n, isOurs)).toBeUndefined()
    const pruned = nodeOf([within, back], { stateFrom: 4_949n })
    expect(await findNew(pruned, PAID, 0n, isOurs)).toBeUndefined()
  }
  const alone = nodeOf([{ ...back, uses: [7] }])
  expect(await findNew(alone, PAID, 0n)).toMatchObject({ kind: 'wasted', height: 4_950n })
  // By way of a contract it has paid a wallet of ours, which signed nothing else with the nonce.
  const paid = { kind: 'paid', settlement: { hash: word(1), height: 4_950n } }
  expect(await findNew(nodeOf([within]), PAID, 0n, true)).toMatchObject(paid)
  expect(await findNew(nodeOf([within]), PAID, 0n)).toBeUndefined()
})

describe('what may have been the payment is not called spent for nothing:', () => {
  const at = (done: Omit<Done, 'height'>): Done => ({ height: 4_950, ...done })
  const other = (change: Partial<Permit2Authorization>, ...moved: bigint[]) => {
    const call = permit2Call({ ...PAID, nonce: 8n, ...change }, { withPermit: false })
    return at({ to: PROXIES.exact, input: hexBytes(call.data), moved })
  }
  test.each<[string, Done]>([
    ['a call of the token that calls others', at({ to: PAID.token, input: '0x40', moved: [500n] })],
    ['a plain transfer whose token calls others', { ...plain(4_950, 500n), moved: [500n, 500n] }],
    ['a plain transfer of somebody else', { ...plain(4_950, 500n), by: account(9) }],
    ['a plain transfer of another amount', { ...plain(4_950, 499n), moved: [500n] }],
    ['a payment by another nonce whose token calls others', other({}, 500n, 500n)],
    ['a payment in a token of somebody’s making', other({ token: account(9) }, 500n)],
    ['a payment of another owner', other({ from: account(9) }, 500n)],
    ['a payment to somebody else', other({ to: account(9) }, 500n)],
    ['a payment of another amount', other({ permitted: 499n, value: 499n }, 500n)],
  ])('%s', async (_, done) => {
    for (const more of [{}, { stateFrom: 4_949n }, PRUNED]) {
      const node = nodeOf([{ ...done, uses: [7] }], more)
      expect(await findNew(node, PAID, 0n)).toBeUndefined()
      // A wallet of ours signed nothing else with the nonce, so the one transfer that may be it is.
      const ours = await findNew(node, PAID, 0n, true)
      if (done.moved?.length === 1) expect(ours).toMatchObject({ kind: 'paid' })
      else expect(ours).toBeUndefined()
    }
  })

  test('a plain transfer of the payer’s own is', async () => {
    const node = nodeOf([{ ...plain(4_950, 500n), uses: [7] }])
    expect(await findNew(node, PAID, 0n)).toMatchObject({ kind: 'wasted' })
  })
})

test('the block in which a nonce came to be used is found wherever it is, and no block where the state is gone', async () => {
  for (const height of [0, 1, 2, 999, 1_000, 2_500, 4_872, 4_998, 4_999, 5_000]) {
    const node = nodeOf([{ height, uses: [7] }])
    expect(await findNonceFlip(node, PAID, 0n, 5_000n)).toBe(BigInt(height))
    expect(await findNonceFlip(node, PAID, 1_000n, 5_000n)).toBe(
      height < 1_000 ? 'none' : BigInt(height),
    )
  }
  expect(await findNonceFlip(nodeOf([]), PAID, 0n, 5_000n)).toBe('behind')
  expect(await findNonceFlip(nodeOf([settled], PRUNED), PAID, 0n, 5_000n)).toBe('unknown')
})

test('a part of the chain that the ones before it left no room for is where the next look begins', async () => {
  // A wallet that pays the same again and again: more in two parts than one look reads.
  const paying = (part: number): readonly Done[] =>
    Array.from({ length: 25 }, (_, index) => ({
      ...settled,
      ...{ height: part * limits.logBlocksMax + 10 + index, moved: [PAID.value] },
      input: hexBytes(permit2Call({ ...PAID, nonce: 100n }, { withPermit: false }).data),
    }))
  const [, ...later] = paying(1)
  const use: Done = { ...settled, height: limits.logBlocksMax + 10 }
  const head = 30 * limits.logBlocksMax - 1
  const node = nodeOf([...paying(0), use, ...later], { head, stateFrom: BigInt(head) })
  const looks = openLogLooks()
  const found: unknown[] = []
  for (let look = 0; look < 8; look += 1) {
    found.push(await findPermit2Use({ transport: node, looks }, PAID, 0n))
  }
  expect(found.find((each) => each !== undefined)).toMatchObject({ kind: 'paid' })
})

import { describe, expect, test } from 'vitest'
import type { Read } from '../json-rpc/transport.ts'
import { NodeFailure } from '../chain.ts'
import { addressFromBytes } from './account.ts'
import { openFinalViews, readFinalState } from './exact-final.ts'
import type { View } from './multicall.ts'
import { openViewPool } from './view-pool.ts'

const view = (data: string): View => ({ target: `0x${'11'.repeat(20)}`, data, absent: 0n })
const word = (value: number) => value.toString(16).padStart(64, '0')

/** A node that holds calls until it is told, and answers each view with its place in the call. */
function heldNode() {
  const calls: { readonly views: number; readonly block: unknown; answer(): void; fail(): void }[] =
    []
  const read = <Value>({ params, parse }: Read<Value>): Promise<Value> =>
    new Promise((resolve, reject) => {
      const [{ data }, block] = params as [{ data: string }, unknown]
      const views = Number.parseInt(data.slice(2 + 8 + 64, 2 + 8 + 128), 16)
      const answer = () => {
        const offsets = Array.from({ length: views }, (_, index) => word(32 * views + 128 * index))
        const items = Array.from({ length: views }, (_, index) =>
          [1, 64, 32, index + 1].map(word).join(''),
        )
        const result = `0x${word(32)}${word(views)}${offsets.join('')}${items.join('')}`
        resolve(parse(result))
      }
      calls.push({ views, block, answer, fail: () => reject(new NodeFailure('away')) })
    })
  return { calls, read }
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('the view pool', () => {
  test('asks what several want once, and gives everybody their own', async () => {
    const { calls, read } = heldNode()
    const pool = openViewPool({ read }, { sleep: async () => undefined })
    const both = view('ff')
    const one = pool.read([view('aa'), both])
    const other = pool.read([view('bb'), both])
    await turn()
    expect(calls.map(({ views }) => views)).toEqual([3])
    calls[0]?.answer()
    expect(await one).toEqual([1n, 2n])
    expect(await other).toEqual([3n, 2n])
  })

  test('gathers what is asked during the pause, and asks it when the pause ends', async () => {
    const { calls, read } = heldNode()
    const pause = Promise.withResolvers<void>()
    const pool = openViewPool({ read }, { sleep: () => pause.promise })
    void pool.read([view('aa')])
    await turn()
    const later = [pool.read([view('bb')]), pool.read([view('cc')])]
    await turn()
    expect(calls).toHaveLength(1)
    pause.resolve()
    await turn()
    expect(calls.map(({ views }) => views)).toEqual([1, 2])
    calls[1]?.answer()
    expect(await Promise.all(later)).toEqual([[1n], [2n]])
  })

  test('is not held up by one call that hangs, and tells everybody of a node that is away', async () => {
    const { calls, read } = heldNode()
    const pool = openViewPool({ read }, { sleep: async () => undefined })
    void pool.read([view('aa')])
    await turn()
    const second = pool.read([view('bb')])
    await turn()
    calls[1]?.fail()
    await expect(second).rejects.toThrow(NodeFailure)
    const third = pool.read([view('cc')])
    await turn()
    calls[2]?.answer()
    expect(await third).toEqual([1n])
  })
})

test('the final state of many authorizations is read in one call, at one final block', async () => {
  const { calls, read } = heldNode()
  const views = openFinalViews({ read }, { sleep: async () => undefined }, { kind: 'tag' })
  const address = (byte: number) => addressFromBytes(new Uint8Array(20).fill(byte))
  const states = [1, 2, 3].map((byte) =>
    readFinalState(views, {
      token: address(9),
      from: address(byte),
      nonce: new Uint8Array(32).fill(byte),
      validBeforeSeconds: 1n,
    }),
  )
  await turn()
  expect(calls).toMatchObject([{ views: 4, block: 'finalized' }])
  calls[0]?.answer()
  // The views of this node say their places: only the first is 1, which is what a used one says.
  expect(await Promise.all(states)).toEqual(['used', 'open', 'open'])
})

test('a node that runs no call at what it calls final by that name is asked at the height of it', async () => {
  const asked: unknown[] = []
  const block = (height: string) => ({
    ...{ number: height, hash: `0x${word(1)}`, parentHash: `0x${word(2)}`, timestamp: '0x1' },
    transactions: [],
  })
  const read = async <Value>({ method, params: [first, second], parse }: Read<Value>) => {
    if (method !== 'eth_call') return parse(block(first === 'finalized' ? '0x10' : '0x20'))
    asked.push(second)
    if (second === 'finalized') throw new NodeFailure('Unknown block')
    const items = [1, 2].map((value) => [1, 64, 32, value].map(word).join(''))
    return parse(`0x${word(32)}${word(2)}${word(64)}${word(192)}${items.join('')}`)
  }
  const views = openFinalViews({ read }, { sleep: async () => undefined }, { kind: 'tag' })
  expect(await views.read([view('aa'), view('bb')])).toEqual([1n, 2n])
  expect(asked).toEqual(['finalized', '0x10'])
})

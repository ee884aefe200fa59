import { afterEach, describe, expect, test } from 'vitest'
import { NodeFailure } from '../chain.ts'
import type { HistoryLook, TransactionHash } from '../chain.ts'
import type { Script, TestNode } from '../json-rpc/test-node.ts'
import { encodeBase58 } from './base58.ts'
import { error, result, script, startScripted } from './test-script.ts'
import type { Lines } from './test-script.ts'

const hashOf = (serial: number): TransactionHash =>
  encodeBase58(new Uint8Array(64).fill(serial + 1)) as TransactionHash
const [LOST, LANDED] = [hashOf(1), hashOf(2)]
const NODE = (number: number): string => `node ${number} of solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1`

/** A fifth of the slots have no block. */
const epoch = (blockHeight: number) => ({ blockHeight, absoluteSlot: blockHeight + 100 })

function nodeWith(change: Lines = {}): Script {
  return script({
    getEpochInfo: epoch(500),
    getSignatureStatuses: ([hashes]: [readonly string[]]) =>
      result({
        context: { slot: 700 },
        value: hashes.map((hash) => (hash === LANDED ? { slot: 5, err: null } : null)),
      }),
    ...change,
  })
}

/** How three blocks from 601 on are asked for. */
const ASKED = JSON.stringify([601, 3, { commitment: 'finalized' }])

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()))
})

async function lookBack(
  scripts: readonly Script[],
  hashes: readonly TransactionHash[],
  among?: readonly bigint[],
): Promise<{ looks: readonly (readonly HistoryLook[])[]; nodes: readonly TestNode[] }> {
  const { chain, nodes, stop } = await startScripted(scripts)
  stops.push(stop)
  if (chain.renewal.kind !== 'lifetime') throw new Error('Solana renews by lifetime')
  return { looks: await chain.renewal.lookBack(hashes, among), nodes }
}

describe('a look back', () => {
  test('tells of each hash what each node has, with the height that it had named before', async () => {
    const { looks, nodes } = await lookBack(
      [nodeWith(), nodeWith({ getEpochInfo: epoch(501) })],
      [LOST, LANDED],
    )
    const look = (finalizedHeight: bigint, number: number, found: boolean): HistoryLook => ({
      node: NODE(number),
      finalizedHeight,
      height: finalizedHeight + 100n,
      found,
    })
    expect(looks).toEqual([
      [look(500n, 1, false), look(501n, 2, false)],
      [look(500n, 1, true), look(501n, 2, true)],
    ])
    for (const { requests } of nodes) {
      expect(requests).toEqual([['getEpochInfo'], ['getEpochInfo', 'getSignatureStatuses']])
    }
  })

  test('tells whether the history of a node has each of the blocks that are named', async () => {
    const among = [601n, 603n, 604n]
    const shows = (getBlocksWithLimit: unknown) => nodeWith({ getBlocksWithLimit })
    const refuses = () => error(-32_601, 'Method not found')
    const all = ([from, count, config]: unknown[]) =>
      result(JSON.stringify([from, count, config]) === ASKED ? [601, 603, 604] : [])
    const nodes = [all, [601, 603], [601, 604], [601, 602, 603], [], '601', refuses].map(shows)
    const { looks } = await lookBack(nodes, [LOST, LANDED], among)
    for (const each of looks) {
      expect(each.map(({ covers }) => covers)).toEqual([
        ...[true, false, false, false, false, false, false],
      ])
    }
  })

  test('counts a transaction that landed and failed as found', async () => {
    const value = [{ slot: 5, err: { InstructionError: [2, { Custom: 1 }] } }]
    const { looks } = await lookBack(
      [nodeWith({ getSignatureStatuses: { context: { slot: 700 }, value } })],
      [LOST],
    )
    expect(looks[0]?.[0]?.found).toBe(true)
  })

  const rounds = { count: 0 }
  test.each<[string, Lines]>([
    ['fails to tell its height', { getEpochInfo: () => error(-32005, 'Node is behind') }],
    [
      'fails at the look',
      {
        getSignatureStatuses: () =>
          error(-32011, 'Transaction history is not available from this node'),
      },
    ],
    ['answers too few', { getSignatureStatuses: { context: { slot: 1 }, value: [] } }],
    ['answers no list', { getSignatureStatuses: { context: { slot: 1 }, value: null } }],
    ['answers no context', { getSignatureStatuses: { value: [null] } }],
    ['answers nothing', { getSignatureStatuses: null }],
    ['tells no proper height', { getEpochInfo: { ...epoch(500), blockHeight: 'high' } }],
    [
      'is another machine at the look, and behind',
      { getEpochInfo: () => result(epoch((rounds.count += 1) % 2 === 1 ? 500 : 499)) },
    ],
  ])('takes nothing from a node that %s', async (_, change) => {
    rounds.count = 0
    const { looks } = await lookBack([nodeWith(change), nodeWith()], [LOST])
    expect(looks).toEqual([[{ node: NODE(2), finalizedHeight: 500n, height: 600n, found: false }]])
    rounds.count = 0
    await expect(lookBack([nodeWith(change)], [LOST])).rejects.toThrow(NodeFailure)
  })

  test('asks for many in parts, and drops a node that fails at one of them', async () => {
    const many = Array.from({ length: 600 }, (_, index) => hashOf(index % 200))
    let calls = 0
    const partly = nodeWith({
      getSignatureStatuses: ([hashes]: [readonly string[]]) => {
        calls += 1
        return calls === 3
          ? error(-32603, 'Internal error')
          : result({ context: { slot: 1 }, value: hashes.map(() => null) })
      },
    })
    const { looks, nodes } = await lookBack([nodeWith(), partly], many)
    expect(looks).toHaveLength(600)
    expect(looks.every((each) => each.length === 1 && each[0]?.node === NODE(1))).toBe(true)
    expect(nodes[0]?.requests).toHaveLength(4)
  })

  test('for nothing asks nobody', async () => {
    const { looks, nodes } = await lookBack([nodeWith()], [])
    expect(looks).toEqual([])
    expect(nodes[0]?.requests).toEqual([])
  })
})

import { afterEach, describe, expect, test } from 'vitest'
import type { Script, TestNode } from '../json-rpc/test-node.ts'
import { encodeBase58 } from './base58.ts'
import { knownAddress } from './account.ts'
import { compileMessage } from './message.ts'
import { NO_SIGNATURE, withSignature } from './sign.ts'
import { error, result, script, startScripted } from './test-script.ts'
import type { Lines } from './test-script.ts'

const BLOCKHASHES = [1, 2].map((byte) => encodeBase58(new Uint8Array(32).fill(byte)))
const PAYER = knownAddress(encodeBase58(new Uint8Array(32).fill(9)))
const bytesOn = (blockhash: string | undefined): Uint8Array =>
  withSignature(NO_SIGNATURE, compileMessage(PAYER, [], knownAddress(blockhash ?? '')))
const [LAPSED, LIVE] = BLOCKHASHES.map(bytesOn)
const [FINAL, CONFIRMED] = [700, 732]

interface Config {
  readonly commitment: string
}

/** A node to which all but the second blockhash are too old. */
function nodeWith(
  change: (config: Config, blockhash: string) => unknown = () => undefined,
  lines: Lines = {},
): Script {
  return script({
    isBlockhashValid: ([blockhash, config]: [string, Config]) => {
      const changed = change(config, blockhash)
      if (changed !== undefined) return changed
      const slot = config.commitment === 'finalized' ? FINAL : CONFIRMED
      return result({ context: { slot }, value: blockhash === BLOCKHASHES[1] })
    },
    ...lines,
  })
}
const says = (slot: number, value: unknown) => result({ context: { slot }, value })

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()))
})

async function deadFrom(
  scripts: readonly Script[],
  raws: readonly (Uint8Array | undefined)[],
  sinceHeight = 600n,
): Promise<{ told: readonly (bigint | undefined)[]; nodes: readonly TestNode[] }> {
  const { chain, nodes, stop } = await startScripted(scripts)
  stops.push(stop)
  if (chain.renewal.kind !== 'lifetime') throw new Error('Solana renews by lifetime')
  const asked = raws.map((raw) => ({ raw: raw ?? new Uint8Array(), sinceHeight }))
  return { told: await chain.renewal.deadFrom(asked), nodes }
}

describe('a transaction', () => {
  test('is dead from the highest of the final slots at which every node calls its blockhash unusable', async () => {
    const ahead = nodeWith(({ commitment }) =>
      commitment === 'finalized' ? says(703, false) : undefined,
    )
    const { told } = await deadFrom([nodeWith(), ahead, nodeWith()], [LAPSED])
    expect(told).toEqual([703n])
  })

  test('is alive while its blockhash is taken', async () => {
    const { told } = await deadFrom([nodeWith(), nodeWith()], [LIVE, LAPSED])
    expect(told).toEqual([undefined, 700n])
  })

  test.each<[string, Script]>([
    [
      'calls it valid in its final block',
      nodeWith(({ commitment }) => (commitment === 'finalized' ? says(FINAL, true) : undefined)),
    ],
    [
      'knows it from a block that is not final yet',
      nodeWith(({ commitment }) =>
        commitment === 'confirmed' ? says(CONFIRMED, true) : undefined,
      ),
    ],
    ['refuses', nodeWith(() => error(-32_005, 'Node is behind by 42 slots'))],
    ['knows no such question', nodeWith(() => error(-32_601, 'Method not found'))],
    ['does not answer', nodeWith(() => 'unanswered')],
    ['says neither', nodeWith(() => says(CONFIRMED, null))],
    ['says it without a slot', nodeWith(() => result({ value: false }))],
    ['is behind', nodeWith(() => says(599, false))],
    [
      'is another machine the second time, and behind',
      nodeWith(({ commitment }) =>
        commitment === 'confirmed' ? says(FINAL - 1, false) : undefined,
      ),
    ],
  ])('is alive while one node %s, whatever the others say', async (_, node) => {
    for (const nodes of [[nodeWith(), node], [node, nodeWith()], [node]]) {
      expect((await deadFrom(nodes, [LAPSED])).told).toEqual([undefined])
    }
  })

  test('that cannot be read is alive', async () => {
    expect((await deadFrom([nodeWith()], [new Uint8Array(80)])).told).toEqual([undefined])
  })

  test('costs each node one request for all, and one blockhash is asked about once', async () => {
    const { told, nodes } = await deadFrom([nodeWith(), nodeWith()], [LAPSED, LIVE, LAPSED])
    expect(told).toEqual([700n, undefined, 700n])
    for (const { requests } of nodes) {
      expect(requests).toEqual([Array.from({ length: 4 }, () => 'isBlockhashValid')])
    }
    const nothing = await deadFrom([nodeWith()], [])
    expect(nothing.told).toEqual([])
    expect(nothing.nodes[0]?.requests).toEqual([])
  })
})

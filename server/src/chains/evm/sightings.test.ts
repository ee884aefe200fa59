import { expect, test } from 'vitest'
import type { Block, TransactionHash } from '../chain.ts'
import type { Transport } from '../json-rpc/transport.ts'
import { addressFromBytes } from './account.ts'
import { readSightings } from './sightings.ts'

const SENDER = addressFromBytes(new Uint8Array(20).fill(0x8b))
const hash = (digit: string) => `0x${digit.repeat(64)}`
const block: Block = {
  height: 5n,
  hash: hash('a'),
  parentHash: hash('b'),
  timeMilliseconds: 0,
  transactionHashes: [hash('1') as TransactionHash, hash('2') as TransactionHash],
}
const own = {
  hash: hash('1'),
  type: '0x2',
  from: SENDER,
  to: null,
  nonce: '0x7',
  gas: '0x5208',
  value: '0x0',
  input: '0x',
}

/** A node whose one block holds these. */
const nodeWith = (...transactions: readonly unknown[]): Transport => {
  const read: Transport['read'] = async (asked) => asked.parse({ hash: block.hash, transactions })
  return { read } as Transport
}
const seenIn = (transport: Transport) =>
  readSightings({ transport, tokens: new Set() }, [block], async () => ({
    senders: new Set([SENDER]),
    commitments: new Set(),
  }))

test.each([
  ['0x7e', { sourceHash: hash('c'), from: null, mint: '0x0' }],
  ['0x6a', {}],
  ['0x64', { from: 'system', gas: null, nonce: 'none' }],
  ['0x7b', { from: '0x00', input: 'odd' }],
])(
  'what a rollup puts into its block by itself (type %s) is skipped and stops nobody',
  async (type, fields) => {
    const odd = { hash: hash('2'), type, ...fields }
    const seen = await seenIn(nodeWith(odd, own))
    expect(seen).toMatchObject([{ transactionHash: hash('1'), sender: SENDER, nonce: 7n }])
  },
)

test('a transaction that a key has signed is read strictly: half an answer of a node is none', async () => {
  await expect(seenIn(nodeWith({ ...own, gas: null }))).rejects.toThrow()
  await expect(seenIn(nodeWith({ ...own, type: '0x4', nonce: 'none' }))).rejects.toThrow()
  await expect(seenIn(nodeWith({ ...own, type: undefined, from: null }))).rejects.toThrow()
})

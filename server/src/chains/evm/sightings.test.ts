import { describe, expect, test } from 'vitest'
import type { Block, TransactionHash } from '../chain.ts'
import type { Transport } from '../json-rpc/transport.ts'
import { addressFromBytes } from './account.ts'
import { readSightings } from './sightings.ts'
import { TRANSFER_TOPIC } from './token-transfers.ts'

const SENDER = addressFromBytes(new Uint8Array(20).fill(0x8b))
const hash = (digit: string) => `0x${digit.repeat(64)}`
const block: Block = {
  height: 5n,
  hash: hash('a'),
  parentHash: hash('b'),
  timeMilliseconds: 0,
  transactionHashes: [hash('1') as TransactionHash],
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
const seenIn = (transport: Transport, commitments: readonly string[] = [], sender = SENDER) =>
  readSightings({ transport, tokens: new Set() }, [block], async () => ({
    senders: new Set([sender]),
    commitments: new Set(commitments),
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

test('a block of which a machine shows fewer transactions than another told is not read', async () => {
  await expect(seenIn(nodeWith())).rejects.toThrow('0 of the 1 transactions')
})

test('a transaction that a key has signed is read strictly: half an answer of a node is none', async () => {
  await expect(seenIn(nodeWith({ ...own, gas: null }))).rejects.toThrow()
  await expect(seenIn(nodeWith({ ...own, type: '0x4', nonce: 'none' }))).rejects.toThrow()
  await expect(seenIn(nodeWith({ ...own, type: undefined, from: null }))).rejects.toThrow()
})

describe('a transfer of a token that has left the configuration', () => {
  const token = addressFromBytes(new Uint8Array(20).fill(0x70))
  const other = addressFromBytes(new Uint8Array(20).fill(0x71))
  const recipient = addressFromBytes(new Uint8Array(20).fill(0x77))
  const word = (text: string) => text.replace('0x', '').toLowerCase().padStart(64, '0')
  const call = `0xa9059cbb${word(recipient)}${word('5')}9fde4014${'c5'.repeat(32)}`
  const logOf = (address: string, logIndex: string) => ({
    address,
    topics: [TRANSFER_TOPIC, `0x${word(SENDER)}`, `0x${word(recipient)}`],
    data: `0x${word('5')}`,
    logIndex,
  })
  const mined = (change: object): Transport => {
    const transactions = [{ ...own, to: token, gas: '0x186a0', input: call, ...change }]
    const receipt = {
      transactionHash: own.hash,
      ...{ blockHash: block.hash, blockNumber: '0x5', status: '0x1' },
      ...{ gasUsed: '0x1', effectiveGasPrice: '0x1' },
      logs: [logOf(other, '0x0'), logOf(token, '0x1')],
    }
    const read: Transport['read'] = async (asked) =>
      asked.parse(
        asked.method === 'eth_getBlockByHash' ? { hash: block.hash, transactions } : receipt,
      )
    return { read } as Transport
  }

  test('is told by its own logs, and by no other that its call has brought about', async () => {
    const transfers = [{ asset: token, from: SENDER, to: recipient, amount: 5n, effectIndex: 1 }]
    expect(await seenIn(mined({}))).toMatchObject([{ isPlain: true, transfers }])
  })

  test('is not told where the call is another, or value goes along', async () => {
    const unread = [{ isPlain: false, transfers: [] }]
    expect(await seenIn(mined({ input: `${call.slice(0, 10)}00` }))).toMatchObject(unread)
    expect(await seenIn(mined({ value: '0x1' }))).toMatchObject(unread)
  })
})

describe('a swap by a router that has left the configuration', () => {
  const router = addressFromBytes(new Uint8Array(20).fill(0x72))
  const token = addressFromBytes(new Uint8Array(20).fill(0x70))
  const pool = addressFromBytes(new Uint8Array(20).fill(0x71))
  const stranger = addressFromBytes(new Uint8Array(20).fill(0x73))
  const word = (text: string) => text.replace('0x', '').toLowerCase().padStart(64, '0')
  const commitment = 'c5'.repeat(32)
  const call = `0x791ac947${word('5')}9fde4014${commitment}`
  const log = {
    address: token,
    topics: [TRANSFER_TOPIC, `0x${word(SENDER)}`, `0x${word(pool)}`],
    data: `0x${word('5')}`,
    logIndex: '0x0',
  }
  const mined = (change: object = {}): Transport => {
    const swap = { ...own, to: router, gas: '0x493e0', input: call, ...change }
    const receipt = {
      transactionHash: own.hash,
      ...{ blockHash: block.hash, blockNumber: '0x5', status: '0x1' },
      ...{ gasUsed: '0x1', effectiveGasPrice: '0x1', logs: [log] },
    }
    const read: Transport['read'] = async (asked) =>
      asked.parse(
        asked.method === 'eth_getBlockByHash'
          ? { hash: block.hash, transactions: [swap] }
          : receipt,
      )
    return { read } as Transport
  }

  test('is told by what it moved, to whoever waits for its commitment', async () => {
    const transfers = [{ asset: token, from: SENDER, to: pool, amount: 5n, effectIndex: 0 }]
    const told = [{ succeeded: true, commitments: [commitment], transfers }]
    expect(await seenIn(mined(), [commitment])).toMatchObject(told)
    expect(await seenIn(mined({ gas: '0xf4240' }), [commitment])).toMatchObject(told)
  })

  test('is not read where nobody waits for it, where a stranger copied its commitment, or where its receipt can be large', async () => {
    const unread = [{ commitments: [commitment], transfers: [] }]
    expect(await seenIn(mined())).toMatchObject(unread)
    expect(await seenIn(mined(), [commitment], stranger)).toMatchObject(unread)
    expect(await seenIn(mined({ gas: '0x2dc6c1' }), [commitment])).toMatchObject(unread)
  })
})

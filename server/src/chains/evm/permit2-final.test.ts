import { expect, test } from 'vitest'
import type { Transport } from '../json-rpc/transport.ts'
import { addressFromBytes, requireAddress } from './account.ts'
import { addressWord, uintWord } from './eip712.ts'
import { hexBytes } from './hex.ts'
import { permit2Call, PROXIES } from './permit2.ts'
import type { Permit2Authorization } from './permit2.ts'
import { findPermit2Use } from './permit2-final.ts'
import { USDC } from './test-network.ts'
import { TRANSFER_TOPIC } from './token-transfers.ts'

const account = (byte: number) => addressFromBytes(new Uint8Array(20).fill(byte))
const word = (byte: number) => hexBytes(new Uint8Array(32).fill(byte))
const [HASH, BLOCK] = [word(0xaa), word(0xbb)]
const PAID: Permit2Authorization = {
  scheme: 'exact',
  token: requireAddress(USDC.asset),
  from: account(1),
  to: account(2),
  permitted: 500n,
  value: 500n,
  nonce: 7n,
  deadlineSeconds: 2n ** 40n,
  validAfterSeconds: 0n,
  facilitator: null,
  signature: new Uint8Array(65),
}

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
      to: PROXIES.exact,
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
  expect(await findPermit2Use(nodeWith(PAID), PAID, 0n)).toEqual({
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
  expect(await findPermit2Use(node, PAID, 0n)).toMatchObject({ kind: 'wasted', height: 16n })
})

test('a call with another nonce, or of another payer, is no use of this one', async () => {
  for (const change of [{ nonce: 8n }, { from: account(9) }]) {
    expect(await findPermit2Use(nodeWith({ ...PAID, ...change }), PAID, 0n)).toBeUndefined()
  }
})

/**
 * A node on which a batcher settled one payment of the payer's per nonce, all alike: the first two in one block, the others in the next.
 * More of them than a look reads.
 */
function batchedNode(count: number): Pick<Transport, 'read'> {
  const heightOf = (nonce: number) => (nonce < 2 ? 100n : 101n)
  const topics = [TRANSFER_TOPIC, ...[PAID.from, PAID.to].map((it) => hexBytes(addressWord(it)))]
  const numbers = Array.from({ length: count }, (_, nonce) => nonce)
  const logs = numbers.map((nonce) => ({
    ...{ address: PAID.token, topics, data: hexBytes(uintWord(PAID.value)) },
    ...{ logIndex: `0x${nonce.toString(16)}`, blockNumber: `0x${heightOf(nonce).toString(16)}` },
    ...{ blockHash: BLOCK, transactionHash: word(nonce + 1) },
  }))
  const bitsAt = (height: bigint) =>
    numbers.reduce(
      (bits, nonce) => bits | (heightOf(nonce) <= height ? 1n << BigInt(nonce) : 0n),
      0n,
    )
  return {
    read: async ({ method, params, parse }) => {
      switch (method) {
        case 'eth_blockNumber':
          return parse('0x6e')
        case 'eth_getLogs':
          return parse(logs)
        case 'eth_getTransactionByHash':
          return parse({ to: account(9), input: '0xdeadbeef' })
        case 'eth_call': {
          const words = [0x20n, 1n, 0x20n, 1n, 0x40n, 0x20n, bitsAt(BigInt(String(params[1])))]
          return parse(hexBytes(Buffer.concat(words.map(uintWord))))
        }
        default:
          throw new Error(`${method} was not expected`)
      }
    },
  }
}

test('what a look has no room to read is nobody else’s: two payments are never given one transfer', async () => {
  const node = batchedNode(41)
  const uses = await Promise.all(
    [0n, 1n].map((nonce) => findPermit2Use(node, { ...PAID, nonce }, 0n, true)),
  )
  expect(uses).toEqual([undefined, undefined])
})

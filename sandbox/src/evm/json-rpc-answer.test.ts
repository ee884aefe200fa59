import { expect, test } from 'vitest'
import type { AnvilClient } from './anvil-client.ts'
import { answerBody } from './json-rpc-answer.ts'
import type { EvmNode } from './node.ts'
import { openTraffic } from './traffic.ts'

/** How often it is said that a transaction came, for a body; and what the node was handed. */
async function hintsFor(body: unknown, isDown = false, forwarded: unknown[] = []): Promise<number> {
  let hints = 0
  const client: Partial<AnvilClient> = {
    post: async (bytes) => {
      forwarded.push(JSON.parse(bytes.toString()))
      if (isDown) throw new Error('nobody answers')
      return Buffer.from('{}')
    },
  }
  const node: Partial<EvmNode> = {
    running: () => ({ client }) as ReturnType<EvmNode['running']>,
    finalHeight: () => 1,
  }
  const parts = { node: node as EvmNode, traffic: openTraffic(), onSent: () => (hints += 1) }
  const answered = answerBody(parts, Buffer.from(JSON.stringify(body)))
  if (isDown) await expect(answered).rejects.toThrow()
  else await answered
  return hints
}

const call = (method: string, params: readonly unknown[] = []) => ({
  ...{ jsonrpc: '2.0', id: 1, method, params },
})
const send = call('eth_sendRawTransaction', ['0x00'])

test('the miner hears once of a body that hands in transactions, after the node has them', async () => {
  expect(await hintsFor(send)).toBe(1)
  expect(await hintsFor([call('eth_chainId'), send, send])).toBe(1)
  expect(await hintsFor([send, call('eth_getBlockByNumber', ['finalized', false])])).toBe(1)
})

test('and of no other', async () => {
  expect(await hintsFor(call('eth_chainId'))).toBe(0)
  expect(await hintsFor([call('eth_call'), call('evm_mine')])).toBe(0)
  expect(await hintsFor(send, true)).toBe(0)
})

test('what is asked together reaches the node together, final or not', async () => {
  const asked = [
    call('eth_getBlockByNumber', ['latest', false]),
    call('eth_getBlockByNumber', ['finalized', false]),
  ]
  const forwarded: unknown[] = []
  await hintsFor(asked, false, forwarded)
  const pinned = [asked[0], call('eth_getBlockByNumber', ['0x1', false])]
  expect(forwarded).toEqual([pinned])
  await hintsFor(asked[1], false, forwarded)
  expect(forwarded).toEqual([pinned, pinned[1]])
})

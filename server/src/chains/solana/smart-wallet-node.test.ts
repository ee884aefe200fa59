import { expect, test } from 'vitest'
import { limits } from '../../kernel/limits.ts'
import type { LogFacts } from '../../kernel/log-fields.ts'
import { NodeFailure } from '../chain.ts'
import type { Read } from '../json-rpc/transport.ts'
import { encodeBase58 } from './base58.ts'
import { openSmartWalletNode } from './smart-wallet-node.ts'
import { testNetwork } from './test-network.ts'

const NEWEST = [{ signature: encodeBase58(new Uint8Array(64).fill(9)) }]
const kept = (innerInstructions: unknown) => ({ meta: { innerInstructions } })

/** A node that says what a test writes down, and a clock that stands. */
function scene() {
  const says: { newest: unknown; transaction: unknown } = { newest: NEWEST, transaction: kept([]) }
  const asked: string[] = []
  const said: string[] = []
  let now = 1_000_000
  const say = ({ reason }: LogFacts, message: string) =>
    void said.push(typeof reason === 'string' ? `${message}: ${reason}` : message)
  const node = openSmartWalletNode({
    transport: {
      read: async <Value>({ method, parse }: Read<Value>) => {
        asked.push(method)
        return parse(method === 'getTransaction' ? says.transaction : says.newest)
      },
    },
    config: testNetwork([]),
    clock: { nowMilliseconds: () => now },
    log: { info: say, warn: say, error: say },
  })
  const pass = (seconds: number = limits.smartWalletLookSeconds) => {
    now += seconds * 1000
  }
  return { node, says, asked, said, pass }
}

test('smart wallets are believed in once a transaction was read with its inner instructions, and not before', async () => {
  const { node, asked, said } = scene()
  expect(node.areTaken()).toBe(false)
  expect(await Promise.all([node.whatIsMissing(), node.whatIsMissing()])).toEqual([
    undefined,
    undefined,
  ])
  expect(node.areTaken()).toBe(true)
  expect(await node.whatIsMissing()).toBeUndefined()
  expect(asked).toEqual(['getSignaturesForAddress', 'getTransaction'])
  expect(said).toEqual(['payments of smart wallets are taken'])
})

test.each<[string, { newest?: unknown; transaction?: unknown }, string]>([
  ['keeps none', { transaction: kept(null) }, '--enable-extended-tx-metadata-storage'],
  ['does not name them', { transaction: { meta: {} } }, 'keeps no inner instructions'],
  ['lacks the transaction', { transaction: null }, 'does not have'],
  ['has shown none', { newest: [] }, 'no transaction'],
  ['is not understood', { newest: 'much' }, 'signatures'],
])('a node that %s shows nothing, and is asked again after a while', async (_, change, reason) => {
  const { node, says, asked, said, pass } = scene()
  Object.assign(says, change)
  expect(await node.whatIsMissing()).toContain(reason)
  const before = asked.length
  expect(await node.whatIsMissing()).toContain(reason)
  expect(asked).toHaveLength(before)
  pass()
  expect(await node.whatIsMissing()).toContain(reason)
  expect(said).toEqual([expect.stringContaining(reason)])
  pass()
  Object.assign(says, { newest: NEWEST, transaction: kept([{}]) })
  node.lookBeside()
  expect(await node.whatIsMissing()).toBeUndefined()
})

test('a node is asked again where the clock was set back, and not only when it is where it was', async () => {
  const { node, says, pass } = scene()
  says.transaction = kept(null)
  expect(await node.whatIsMissing()).toContain('keeps no inner instructions')
  says.transaction = kept([])
  pass(-3_600)
  expect(await node.whatIsMissing()).toBeUndefined()
})

test('what nobody could tell ends the belief at once, until it is shown anew', async () => {
  const { node, says, pass } = scene()
  await node.whatIsMissing()
  node.forget()
  expect(node.areTaken()).toBe(false)
  expect(await node.whatIsMissing()).toContain('no node tells')
  says.transaction = kept(null)
  pass()
  expect(await node.whatIsMissing()).toContain('keeps no inner instructions')
  says.transaction = kept([])
  pass()
  expect(await node.whatIsMissing()).toBeUndefined()
})

test('a bug is nobody’s answer', async () => {
  const { node, says } = scene()
  says.transaction = new Proxy(kept([]), {
    get: () => {
      throw new TypeError('a bug')
    },
  })
  await expect(node.whatIsMissing()).rejects.not.toThrow(NodeFailure)
})

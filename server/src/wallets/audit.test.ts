import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { listAudit } from '../audit/store.ts'
import type { Chain } from '../chains/chain.ts'
import { openDirectory } from '../chains/directory.ts'
import { connectEvm } from '../chains/evm/connect.ts'
import { testNetwork, USDC } from '../chains/evm/test-network.ts'
import { evmKeys } from '../custody/evm-keys.ts'
import { localKeyWrapper } from '../custody/key-wrapper.ts'
import { assertProblem, openTestServer } from '../http/test-server.ts'
import type { Answered } from '../http/test-server.ts'
import { systemClock as clock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import type { AccountId } from '../kernel/id.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom as random } from '../kernel/random.ts'
import { SecretBytes } from '../kernel/secret.ts'
import { openWallets } from '../open-wallets.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { write } from '../store/test-write.ts'

const config = testNetwork([])
const keyId = newId(random, 'key')
let database: TestDatabase
let server: Awaited<ReturnType<typeof openTestServer>>
let accountId: AccountId
let balance = 0n

beforeAll(async () => {
  database = await openTestDatabase()
  const { store } = database
  const chain: Chain = {
    ...connectEvm({ config, log: openLog('silent'), clock }),
    balances: async (_address, assets) => ({ height: 7n, amounts: assets.map(() => balance) }),
  }
  const wrapper = localKeyWrapper({ keyEncryptionKey: new SecretBytes(random.bytes(32)), random })
  const routes = openWallets({
    ...{ store, clock, random, directory: openDirectory([chain]) },
    custody: { wrapper, schemes: [evmKeys({ random })], networks: [config], random, clock },
    proofKey: new SecretBytes(random.bytes(32)),
    receivers: { forget: () => {} },
  })
  const scopes = new Set(['read', 'write', 'admin'] as const)
  const authenticate = async () => ({ accountId, keyId, plan: 'standard' as const, scopes })
  server = await openTestServer({ routes, authenticate })
})
beforeEach(async () => {
  balance = 0n
  accountId = newId(random, 'acct')
  const insert = `insert into accounts (id, name) values ($1, 'a')`
  await write(database.store, 'test_account', insert, [accountId])
})
afterAll(async () => {
  await server.close()
  await database.close()
})

const ask = (method: string, path: string, body?: object, key?: string) =>
  server.ask(method, path, {
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
  })
const field = ({ body }: Answered, name: string) => String(Reflect.get(Object(body), name))

/** What the log of the account says, oldest first. */
async function noted() {
  const entries = await database.store.inTransaction(accountId, (tx) =>
    listAudit(tx, accountId, { before: undefined, count: 100 }),
  )
  return entries.toReversed().map(({ actor, action, object, detailsText }) => ({
    ...{ actor, action, object },
    details: JSON.parse(detailsText) as unknown,
  }))
}

/** Who an entry names for a request that was answered so. */
const by = (answer: Answered) => ({
  ...{ kind: 'key', id: keyId, name: null, address: '127.0.0.1' },
  requestId: answer.headers.get('x-request-id'),
})

test('a wallet leaves one entry when it is made, one when it is deleted, and none when either is refused', async () => {
  const order = { family: 'evm', label: 'till' }
  const made = await ask('POST', '/wallets', order, 'one')
  await ask('POST', '/wallets', order, 'one')
  assertProblem(await ask('POST', '/wallets', { family: 'evm' }, 'one'), 'IDEMPOTENCY_MISMATCH')
  const [object, address] = [field(made, 'walletId'), field(made, 'address')]
  balance = 1n
  assertProblem(await ask('DELETE', `/wallets/${address}`), 'INVALID_PARAMETERS')
  balance = 0n
  const deleted = await ask('DELETE', `/wallets/${address}`)
  assertProblem(await ask('DELETE', `/wallets/${address}`), 'NOT_FOUND')
  const details = { address, family: 'evm', label: 'till' }
  expect(await noted()).toEqual([
    { actor: by(made), action: 'wallet.created', object, details },
    { actor: by(deleted), action: 'wallet.deleted', object, details },
  ])
})

test('a policy leaves what it was and what it is, with amounts to the last digit', async () => {
  const made = await ask('POST', '/wallets', { family: 'evm' })
  const [object, address] = [field(made, 'walletId'), field(made, 'address')]
  const path = `/wallets/${address}/policy`
  await ask('PUT', path, {})
  const first = await ask('PUT', path, {
    limits: [{ perMonth: '1.000000000000000001' }, { asset: 'USDC', perDay: 2.5 }],
  })
  const second = await ask('PUT', path, { resources: ['https://seller.example'] })
  assertProblem(await ask('PUT', path, { recipients: ['0x12'] }), 'INVALID_PARAMETERS')
  const removed = await ask('PUT', path, {})
  const { network } = config
  const limited = {
    limits: [
      { network, asset: 'native', perMonth: '1.000000000000000001' },
      { network, asset: USDC.asset, perDay: '2.5' },
    ],
    ...{ recipients: null, resources: null },
  }
  const shops = { limits: [], recipients: null, resources: ['https://seller.example/'] }
  const [, ...entries] = await noted()
  expect(entries).toEqual([
    {
      ...{ actor: by(first), action: 'wallet.policy_set', object },
      details: { address, before: null, after: limited },
    },
    {
      ...{ actor: by(second), action: 'wallet.policy_set', object },
      details: { address, before: limited, after: shops },
    },
    {
      ...{ actor: by(removed), action: 'wallet.policy_removed', object },
      details: { address, before: shops, after: null },
    },
  ])
})

test('an address leaves one entry when it is registered, however often, and one when it is given up', async () => {
  const holder = privateKeyToAccount(generatePrivateKey())
  const { address } = holder
  const asked = await ask('GET', `/addresses/challenge?address=${address}`)
  const challenge = field(asked, 'challenge')
  const signature = await holder.signMessage({ message: challenge })
  const order = { address, challenge, label: 'shop' }
  assertProblem(
    await ask('POST', '/addresses', { ...order, signature: `0x${'11'.repeat(65)}` }),
    'INVALID_PARAMETERS',
  )
  const made = await ask('POST', '/addresses', { ...order, signature }, 'one')
  expect(made.status).toBe(200)
  expect((await ask('POST', '/addresses', { ...order, signature }, 'one')).status).toBe(200)
  expect((await ask('POST', '/addresses', { ...order, signature })).status).toBe(200)
  const removed = await ask('DELETE', `/addresses/${address}`)
  assertProblem(await ask('DELETE', `/addresses/${address}`), 'NOT_FOUND')
  const entries = await noted()
  expect(entries).toEqual([
    {
      ...{ actor: by(made), action: 'address.registered', object: address },
      details: { family: 'evm', label: 'shop' },
    },
    {
      ...{ actor: by(removed), action: 'address.removed', object: address },
      details: { family: 'evm' },
    },
  ])
  expect(JSON.stringify(entries)).not.toContain(signature.slice(2))
})

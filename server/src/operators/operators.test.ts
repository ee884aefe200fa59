import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operatorEndpoints } from '@florin/wire/operator-endpoints.ts'
import { createKey } from '../access/create-key.ts'
import type { Address, Chain } from '../chains/chain.ts'
import { connectEvm } from '../chains/evm/connect.ts'
import { testNetwork } from '../chains/evm/test-network.ts'
import { SCOPES } from '../kernel/caller.ts'
import { systemClock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import type { AccountId, WalletId } from '../kernel/id.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom as random } from '../kernel/random.ts'
import { SecretBytes } from '../kernel/secret.ts'
import { openTestPeople } from '../people/test-people.ts'
import type { TestBrowser, TestPeople, TestPeopleInstance } from '../people/test-people.ts'
import { testOperatorRoutes } from './test-routes.ts'
import { write } from '../store/test-write.ts'

const config = testNetwork([])
const { network } = config
const EVM = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' as Address
const KEY_SECONDS = 1
/** What the chain says of the address. */
const onChain = { latest: 7n, finalized: 7n, balance: 5n }
let scene: TestPeople
let here: TestPeopleInstance
let there: TestPeopleInstance
let operator: TestBrowser
let account: AccountId
let key: string
let wallet: WalletId

const sql = (name: string, text: string, values: readonly unknown[] = []) =>
  write<Record<string, unknown>>(scene.database.store, name, text, values)

beforeAll(async () => {
  scene = await openTestPeople()
  const { store } = scene.database
  const clock = {
    ...systemClock,
    nowMilliseconds: () => systemClock.nowMilliseconds() + scene.time.ahead,
  }
  const chain: Chain = {
    ...connectEvm({ config, log: openLog('silent'), clock }),
    balances: async () => ({ height: 7n, amounts: [onChain.balance] }),
    lanePosition: async () => ({ ...onChain, finalizedHeight: 0n }),
  }
  account = await scene.anAccount('Sellers')
  wallet = newId(random, 'wal')
  await sql(
    'test_wallet',
    `insert into wallets (id, account_id, family, address, label, sealed_data_key, sealed_private_key)
     values ($1, $2, 'evm', $3, 'the till', '', '')`,
    [wallet, account, EVM],
  )
  await sql('test_follow', `insert into followers (network, height) values ($1, 7)`, [network])
  const settler = { id: wallet, accountId: account, address: EVM }
  const routes = testOperatorRoutes({ store, clock, config, chain, settler })
  here = await scene.start(routes)
  there = await scene.start(routes)
  const memberId = await scene.aMember({ isOperator: true, email: 'op@pay.example' })
  operator = await here.signIn(await scene.aLink({ kind: 'operator', memberId }))
  const order = { accountId: account, name: 'till', mode: 'test', scopes: SCOPES } as const
  const pepper = new SecretBytes(new Uint8Array(32).fill(7))
  const made = await createKey(
    { store, clock, random, pepper },
    { ...order, plan: 'standard', expiresAtMilliseconds: null },
  )
  key = made.key.reveal()
})
afterAll(() => scene.close())

const ask = async (method: string, path: string, body?: object) => {
  const answer = await here.ask(method, path, {
    as: operator,
    ...(body === undefined ? {} : { body }),
  })
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}
const withKey = (at: TestPeopleInstance, text = key) =>
  at.ask('GET', '/keys', { headers: { authorization: `Bearer ${text}` } })
/** As long as an instance may believe what it knows of a key. */
const aSecond = () => {
  scene.time.ahead += KEY_SECONDS * 1000
}

describe('the operator API', () => {
  const rows = Object.values(operatorEndpoints).map(({ id, method, path }) => ({
    id,
    method,
    path: path.replaceAll(/\{\w+\}/g, 'x'),
  }))
  test.each(rows)('$id is for operators alone', async ({ method, path }) => {
    const body = method === 'GET' || method === 'DELETE' ? {} : { body: {} }
    const memberId = await scene.aMember({}, [{ accountId: account, role: 'owner' }])
    const owner = await here.signIn(await scene.aLink({ kind: 'operator', memberId }))
    const statuses = [
      await here.ask(method, path, body),
      await here.ask(method, path, { ...body, as: owner }),
      await here.ask(method, path, { ...body, headers: { authorization: `Bearer ${key}` } }),
    ].map(({ status }) => status)
    expect(statuses).toEqual([401, 403, 403])
    const { status } = await here.ask(method, path, { ...body, as: operator })
    expect([200, 400, 404]).toContain(status)
  })
})

describe('accounts', () => {
  test('are made, found, paged through and shown', async () => {
    const made = await ask('POST', '/operator/accounts', {
      name: 'Zebra crossing',
      plan: 'premium',
    })
    expect(made).toMatchObject({ plan: 'premium', keys: 0, members: 0, suspendedAt: null })
    const found = await ask('GET', '/operator/accounts?search=zebra')
    expect(found).toMatchObject({ accounts: [{ accountId: made['accountId'] }], nextCursor: null })
    const seen: unknown[] = []
    let cursor: unknown = null
    do {
      const more = typeof cursor === 'string' ? `&cursor=${cursor}` : ''
      const page = await ask('GET', `/operator/accounts?limit=1${more}`)
      seen.push(...(page['accounts'] as { accountId: string }[]).map(({ accountId }) => accountId))
      cursor = page['nextCursor']
    } while (cursor !== null)
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen).toEqual(expect.arrayContaining([account, made['accountId']]))
    expect(await ask('GET', `/operator/accounts/${account}`)).toMatchObject({
      name: 'Sellers',
      wallets: 1,
      keys: 1,
    })
    const none = await here.ask('GET', `/operator/accounts/${newId(random, 'acct')}`, {
      as: operator,
    })
    expect(none.status).toBe(404)
  })

  test('get another plan within a second on every instance', async () => {
    const limitAt = async (at: TestPeopleInstance) =>
      (await withKey(at)).headers.get('x-ratelimit-limit')
    expect([await limitAt(here), await limitAt(there)]).toEqual(['100', '100'])
    await ask('PATCH', `/operator/accounts/${account}`, { plan: 'premium' })
    aSecond()
    expect([await limitAt(here), await limitAt(there)]).toEqual(['1000', '1000'])
    await ask('PATCH', `/operator/accounts/${account}`, {
      plan: 'enterprise',
      requestsPerMinute: 77,
    })
    aSecond()
    expect([await limitAt(here), await limitAt(there)]).toEqual(['77', '77'])
    await ask('PATCH', `/operator/accounts/${account}`, { plan: 'standard', name: 'Sellers too' })
    aSecond()
    expect(await ask('GET', `/operator/accounts/${account}`)).toMatchObject({
      name: 'Sellers too',
      requestsPerMinute: 77,
    })
  })

  test('that are suspended are used by no key and no session, until they are not', async () => {
    const memberId = await scene.aMember({}, [{ accountId: account, role: 'owner' }])
    const owner = await here.signIn(await scene.aLink({ kind: 'operator', memberId }))
    const used = async () => [
      (await withKey(here)).status,
      (await withKey(there)).status,
      (await here.ask('GET', '/keys', { as: owner })).status,
    ]
    expect(await used()).toEqual([200, 200, 200])
    const suspended = await ask('PATCH', `/operator/accounts/${account}`, { suspended: true })
    expect(suspended['suspendedAt']).toEqual(expect.any(Number))
    aSecond()
    expect(await used()).toEqual([401, 401, 403])
    await ask('PATCH', `/operator/accounts/${account}`, { suspended: false })
    aSecond()
    expect(await used()).toEqual([200, 200, 200])
  })

  test('show their members and keys, and lose a key within a second on every instance', async () => {
    const { members } = await ask('GET', `/operator/accounts/${account}/members`)
    expect(members).toEqual(
      expect.arrayContaining([expect.objectContaining({ role: 'owner', name: 'Somebody' })]),
    )
    const { keys } = await ask('GET', `/operator/accounts/${account}/keys`)
    const [shown] = keys as { keyId: string; name: string }[]
    expect(shown).toMatchObject({ name: 'till' })
    expect(JSON.stringify(keys)).not.toContain(key)
    const other = await scene.anAccount()
    const path = (of: string) => `/operator/accounts/${of}/keys/${shown?.keyId}`
    expect((await here.ask('DELETE', path(other), { as: operator })).status).toBe(404)
    await ask('DELETE', path(account))
    aSecond()
    expect([(await withKey(here)).status, (await withKey(there)).status]).toEqual([401, 401])
  })
})

describe('plans', () => {
  test('leave an operation out, and have it again', async () => {
    const pepper = new SecretBytes(new Uint8Array(32).fill(7))
    const order = { accountId: account, name: 'other', mode: 'test', scopes: SCOPES } as const
    const { key: made } = await createKey(
      { store: scene.database.store, clock: systemClock, random, pepper },
      { ...order, plan: 'premium', expiresAtMilliseconds: null },
    )
    const status = async () => (await withKey(there, made.reveal())).status
    expect(await status()).toBe(200)
    const exceptions = [{ operation: 'listKeys', included: false }]
    const changed = await ask('PATCH', '/operator/plans/premium', {
      exceptions,
      eventSockets: null,
    })
    expect(changed).toMatchObject({ exceptions, eventSockets: null, requestsPerMinute: 1000 })
    aSecond()
    expect(await status()).toBe(403)
    await ask('PATCH', '/operator/plans/premium', { exceptions: [], eventSockets: 20 })
    aSecond()
    expect(await status()).toBe(200)
    const one = (operation: string, included: boolean | null) =>
      ask('PATCH', '/operator/plans/premium', { exception: { operation, included } })
    // Two operators at once, each with one of its own.
    await Promise.all([one('listKeys', false), one('createWebhook', true)])
    await one('listKeys', true)
    expect(await one('createWebhook', null)).toMatchObject({
      exceptions: [{ operation: 'listKeys', included: true }],
    })
    await one('listKeys', null)
    const { plans } = await ask('GET', '/operator/plans')
    expect((plans as { plan: string }[]).map(({ plan }) => plan)).toEqual([
      'standard',
      'premium',
      'enterprise',
    ])
    // What every object has is no operation either.
    for (const operation of ['nothing', 'toString', 'constructor', '__proto__']) {
      const unknown = { operation, included: true }
      const bad = [{ exceptions: [unknown] }, { exception: unknown }, { eventSockets: 1e11 }]
      for (const body of bad) {
        const refused = await here.ask('PATCH', '/operator/plans/premium', { as: operator, body })
        expect(refused.status).toBe(400)
      }
    }
  })
})

describe('keys that sign', () => {
  const lane = { network, address: EVM }
  const place = (nonce: number) =>
    sql(
      'test_place',
      `insert into chain_transactions (network, lane_address, nonce, state, fee_ceiling, created_at)
       values ($1, $2, $3, 'open', 1, now())`,
      [network, EVM, nonce],
    )

  test('are frozen with a reason, shown so, and go on from where the chain is', async () => {
    const body = { ...lane, reason: 'it is being moved' }
    expect(await ask('POST', '/operator/lanes/freeze', body)).toMatchObject({
      nextNonce: '7',
      frozen: 'it is being moved',
    })
    const { keys } = await ask('GET', '/operator/facilitator-keys')
    expect(keys).toMatchObject([
      { address: EVM, networks: [{ balanceBaseUnits: '5', lane: { frozen: body.reason } }] },
    ])
    expect(await ask('GET', '/operator/lanes')).toMatchObject({ lanes: [lane], nextCursor: null })
    expect(await ask('GET', '/operator/wallets?search=TILL')).toMatchObject({
      wallets: [{ walletId: wallet, accountName: 'Sellers too', frozen: [network] }],
    })
    Object.assign(onChain, { latest: 9n, finalized: 9n })
    const released = await ask('POST', '/operator/lanes/release', lane)
    expect(released).toMatchObject({ nextNonce: '9', frozen: null })
    // A chain that is asked by another node, behind, moves nothing back.
    Object.assign(onChain, { latest: 8n, finalized: 8n })
    expect(await ask('POST', '/operator/lanes/release', lane)).toMatchObject({ nextNonce: '9' })
    expect(await ask('GET', '/operator/lanes')).toMatchObject({ lanes: [] })
  })

  test('stay frozen while the chain has passed by a transaction of ours that nobody knows the end of', async () => {
    await ask('POST', '/operator/lanes/freeze', { ...lane, reason: 'used elsewhere' })
    await place(9)
    Object.assign(onChain, { latest: 10n, finalized: 10n })
    const refused = await here.ask('POST', '/operator/lanes/release', { as: operator, body: lane })
    expect(refused.status).toBe(400)
    expect(await ask('GET', '/operator/lanes')).toMatchObject({
      lanes: [{ frozen: 'used elsewhere', waiting: 1 }],
    })
    // One that waits for its turn is no obstacle.
    Object.assign(onChain, { latest: 9n, finalized: 9n })
    expect(await ask('POST', '/operator/lanes/release', lane)).toMatchObject({ frozen: null })
  })

  test('of nobody here are not there', async () => {
    const body = { network, address: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359', reason: 'x' }
    const refused = await here.ask('POST', '/operator/lanes/freeze', { as: operator, body })
    expect(refused.status).toBe(404)
  })
})

describe('networks', () => {
  test('are halted with a reason, and released', async () => {
    const body = { network, reason: 'an upgrade' }
    expect(await ask('GET', '/operator/networks')).toMatchObject({
      networks: [{ network, height: 7, headHeight: 9, lag: 2, halted: null }],
    })
    expect(await ask('POST', '/operator/networks/halt', body)).toMatchObject({
      halted: 'an upgrade',
    })
    // The first reason stays.
    await ask('POST', '/operator/networks/halt', { ...body, reason: 'another' })
    expect(await ask('GET', '/operator/networks')).toMatchObject({
      networks: [{ halted: 'an upgrade' }],
    })
    expect(await ask('POST', '/operator/networks/release', { network })).toMatchObject({
      halted: null,
    })
    const none = { as: operator, body: { network: 'eip155:1' } }
    expect((await here.ask('POST', '/operator/networks/release', none)).status).toBe(404)
  })
})

describe('the rest', () => {
  test('shows paused webhooks of all accounts and resumes them', async () => {
    const hook = newId(random, 'whk')
    await sql(
      'test_hook',
      `insert into webhooks (id, account_id, url, types, enabled, sealed_secret, created_at, updated_at, paused_at, pause_reason)
       values ($1, $2, 'https://shop.example/', '{}', true, '', now(), now(), now(), 'gone')`,
      [hook, account],
    )
    expect(await ask('GET', '/operator/webhooks')).toMatchObject({
      webhooks: [{ webhookId: hook, pauseReason: 'gone' }],
    })
    const resumed = await ask('POST', `/operator/webhooks/${hook}/resume`)
    expect(resumed).toMatchObject({ pausedAt: null, pauseReason: null })
    expect(await ask('GET', '/operator/webhooks')).toMatchObject({ webhooks: [] })
    expect(await ask('GET', '/operator/webhooks?status=all')).toMatchObject({
      webhooks: [{ webhookId: hook }],
    })
  })

  test('shows settings, and what the doctor found', async () => {
    expect(await ask('GET', '/operator/settings')).toMatchObject({
      settings: [{ name: 'DATABASE_URL', value: 'set', secret: true }],
    })
    const found = { unasked: ['a network'], notTaken: ['smart wallets'], clocks: ['a clock'] }
    expect(await ask('POST', '/operator/system/doctor')).toMatchObject({ sound: false, ...found })
  })

  test('wrote every change down: who, what, to what', async () => {
    const { entries } = await ask('GET', '/operator/audit?limit=100')
    const facts = entries as { action: string; actorName: string; accountId: string | null }[]
    const own = facts.filter(({ actorName }) => actorName === 'op@pay.example')
    const counts = Object.fromEntries(
      [...Map.groupBy(own, ({ action }) => action)].map(([action, all]) => [action, all.length]),
    )
    expect(counts).toMatchObject({
      'account.created': 1,
      'account.changed': 5,
      'key.deleted': 1,
      'plan.changed': 7,
      'lane.frozen': 2,
      'lane.released': 3,
      'network.halted': 2,
      'network.released': 1,
      'webhook.resumed': 1,
    })
    const ofAccount = await ask('GET', `/operator/audit?accountId=${account}&limit=100`)
    const listed = ofAccount['entries'] as { accountId: string }[]
    expect(listed.length).toBeGreaterThanOrEqual(7)
    expect(new Set(listed.map(({ accountId }) => accountId))).toEqual(new Set([account]))
  })

  test('gives the log by what was done and to what, page by page', async () => {
    type Entries = { auditId: string; action: string; object: string | null }[]
    const read = async (query: string) => {
      const answer = await ask('GET', `/operator/audit?${query}`)
      return { entries: answer['entries'] as Entries, next: answer['nextCursor'] as string | null }
    }
    const whole = (await read('action=plan.changed&limit=100')).entries
    expect(whole.length).toBeGreaterThanOrEqual(2)
    expect(new Set(whole.map(({ action }) => action))).toEqual(new Set(['plan.changed']))
    const beginning = new Set((await read('action=lane.&limit=100')).entries.map((e) => e.action))
    expect(beginning).toEqual(new Set(['lane.frozen', 'lane.released']))
    const plan = whole[0]?.object ?? ''
    const about = (await read(`object=${plan}&action=plan.&limit=100`)).entries
    expect(about).toEqual(whole.filter(({ object }) => object === plan))
    expect((await read('action=%25')).entries).toEqual([])
    const pages: string[] = []
    let next: string | null = null
    do {
      const page: Awaited<ReturnType<typeof read>> = await read(
        `action=lane.&limit=2${next === null ? '' : `&cursor=${next}`}`,
      )
      pages.push(...page.entries.map(({ auditId }) => auditId))
      next = page.next
    } while (next !== null)
    const all = (await read('action=lane.&limit=100')).entries.map(({ auditId }) => auditId)
    expect(pages).toEqual(all)
    expect((await here.ask('GET', '/operator/audit?cursor=a', { as: operator })).status).toBe(400)
  })
})

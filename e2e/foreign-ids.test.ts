import { randomBytes } from 'node:crypto'
import { newId } from '@florin/server/kernel/id.ts'
import { systemRandom } from '@florin/server/kernel/random.ts'
import { until } from '@florin/server/kernel/until.ts'
import { endpoints } from '@florin/wire/endpoints.ts'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { matrix, matrixProblems } from './actors/foreign-ids.ts'
import type { Ask, Ids } from './actors/foreign-ids.ts'
import { asked as settlementOf } from './actors/batch-channel.ts'
import { aChannel, settled } from './actors/batch-scene.ts'
import type { Client } from './actors/client.ts'
import { anotherAccount, receiving } from './actors/receiver.ts'
import { evmCustodian } from './actors/self-custodian.ts'
import { aPurchase } from './actors/seller.ts'
import { openWorld, walletOf } from './actors/world.ts'
import type { World } from './actors/world.ts'

let world: World
let owner: Client
let stranger: Client
/** What the owner has, what the stranger has, and names of nothing. */
let theirs: Ids
let own: Ids
let nothing: Ids

beforeAll(async () => {
  world = await openWorld()
  owner = world.client()
  stranger = await anotherAccount(world)
  theirs = await makeThings(owner)
  nothing = namesOfNothing(theirs)
  own = { ...nothing, webhookId: await makeWebhook(stranger) }
}, 120_000)
afterAll(() => world.stop())

const text = (value: unknown): string => {
  if (typeof value !== 'string') throw new Error(`not a text: ${JSON.stringify(value)}`)
  return value
}

async function makeWebhook(client: Client): Promise<string> {
  const { body } = await client.post('/webhooks', { url: 'http://127.0.0.1:9/', enabled: false })
  return text(body['webhookId'])
}

async function makeThings(client: Client): Promise<Ids> {
  const wallet = walletOf(world)
  const send = () =>
    client.post('/payment/send', {
      walletAddress: wallet,
      recipientAddress: world.newAddress(),
      amount: 0.01,
      resource: 'https://shop.example/a',
    })
  await send()
  const { body: sent } = await send()
  const custodian = await evmCustodian(world.sandbox)
  const { body: built } = await client.post('/transaction/send', {
    walletAddress: custodian.address,
    recipientAddress: world.newAddress(),
    amount: 0.01,
  })
  const traded = async () => {
    const order = { publicKey: wallet, mint: world.sandbox.usdc, amount: 0.01, timeout: 30 }
    const { body } = await client.post('/trade/buy', order)
    return text(body['tradeId'])
  }
  await traded()
  const tradeId = await traded()
  const { body: trades } = await client.get(`/trade/history/${wallet}?limit=1`)
  const holder = privateKeyToAccount(generatePrivateKey())
  const challenged = await client.get(`/addresses/challenge?address=${holder.address}`)
  const challenge = text(challenged.body['challenge'])
  const signature = await holder.signMessage({ message: challenge })
  await client.post('/addresses', { address: holder.address, challenge, signature })
  const channel = await aChannel(world, 'cold')
  for (const amount of [10_000n, 5_000n]) {
    await settled(
      world,
      settlementOf(await channel.deposit('eip3009', { amount }), channel.terms()),
    )
  }
  const { body: calls } = await client.get('/x402/escrow-calls?limit=1')
  const [call] = calls['calls'] as { callId: string; transaction: string }[]
  await makeWebhook(client)
  const webhookId = await makeWebhook(client)
  const { body: audit } = await client.get('/audit?limit=1')
  const { body: delivery } = await client.post(`/webhooks/${webhookId}/test`, undefined)
  const { body: events } = await until(
    'there is an event',
    async () => {
      const reply = await client.get('/events?limit=1')
      return (reply.body['events'] as unknown[]).length > 0 && reply
    },
    { seconds: 30 },
  )
  const { body: history } = await client.get(`/payment/history/${wallet}?limit=1`)
  const purchase = await aPurchase(world)
  const received = await client.post('/payment/receive', receiving(purchase))
  expect(received.status).toBe(200)
  return {
    paymentId: text(sent['paymentId']),
    builtId: text(built['paymentId']),
    signature: text(sent['signature']),
    proof: text(sent['paymentProof']),
    nonce: '0',
    wallet,
    registered: holder.address,
    transaction: await custodian.sign(text(built['transaction'])),
    webhookId,
    deliveryId: text(delivery['deliveryId']),
    eventId: text((events['events'] as { id: string }[])[0]?.id),
    historyCursor: text(history['nextCursor']),
    keyId: text((await keyOf(world)).id),
    auditCursor: text(audit['nextCursor']),
    tradeId,
    tradeCursor: text(trades['nextCursor']),
    callId: text(call?.callId),
    channelId: channel.id,
    callTransaction: text(call?.transaction),
    callCursor: text(calls['nextCursor']),
    token: world.sandbox.usdc,
    purchase: receiving(purchase),
    x402: purchase.body,
  }
}

/** The owner's own key, which nobody may delete here. */
async function keyOf({ database }: World): Promise<{ id?: string }> {
  const rows = await database.store.query<{ id: string }>(
    'foreign_key',
    `select id from api_keys where plan = 'enterprise'`,
  )
  return rows[0] ?? {}
}

/** The same with every name changed to one that nobody has. */
function namesOfNothing(ids: Ids): Ids {
  const proof = JSON.parse(Buffer.from(ids.proof, 'base64').toString()) as {
    payload: { secret: string }
  }
  proof.payload.secret = randomBytes(32).toString('hex')
  return {
    ...ids,
    paymentId: newId(systemRandom, 'pay'),
    builtId: newId(systemRandom, 'pay'),
    signature: `0x${randomBytes(32).toString('hex')}`,
    proof: Buffer.from(JSON.stringify(proof)).toString('base64'),
    wallet: world.newAddress(),
    registered: world.newAddress(),
    transaction: ids.transaction,
    webhookId: newId(systemRandom, 'whk'),
    deliveryId: `dlv_${newId(systemRandom, 'pay').slice(4)}`,
    eventId: newId(systemRandom, 'evt'),
    historyCursor: ids.historyCursor,
    keyId: newId(systemRandom, 'key'),
    auditCursor: newId(systemRandom, 'aud'),
    tradeId: newId(systemRandom, 'trd'),
    callId: newId(systemRandom, 'esc'),
    channelId: `0x${randomBytes(32).toString('hex')}`,
    callTransaction: `0x${randomBytes(32).toString('hex')}`,
  }
}

async function ask(client: 'owner' | 'stranger', { method = 'GET', path, body }: Ask) {
  const { baseUrl, apiKeys } = world.service()
  const response = await fetch(baseUrl + path, {
    method,
    headers: {
      authorization: `Bearer ${client === 'owner' ? apiKeys.enterprise : apiKeys.premium}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, text: await response.text() }
}

/** An answer without what differs between any two. */
function plain(answer: { status: number; text: string }, ids: Ids) {
  let said = answer.text
    .replaceAll(/"timestamp":\d+/g, '"timestamp":0')
    .replaceAll(/req_[1-9A-HJ-NP-Za-km-z]{22}/g, 'req')
  for (const [name, value] of Object.entries(ids)) {
    if (typeof value === 'string' && value.length > 10) said = said.replaceAll(value, `<${name}>`)
  }
  return { status: answer.status, said }
}

const rows = Object.entries(matrix).flatMap(([id, all]) =>
  all.map((row) => ({ name: `${id} ${row.fields.join(', ')}`, row })),
)
const asked = rows.flatMap(({ name, row }) => ('ask' in row ? [{ name, ...row }] : []))
const borne = rows.flatMap(({ name, row }) => ('bearer' in row ? [{ name, ...row }] : []))

describe('every operation and every name that it is given', () => {
  test('stand in the matrix', () => {
    expect(matrixProblems()).toEqual([])
  })

  test('are found when they are new', () => {
    const { paymentStatus, listWallets } = endpoints
    const { getWallet: _, ...fewer } = endpoints
    const table = {
      ...fewer,
      refund: { ...paymentStatus, id: 'refund', path: '/refund/{paymentId}' },
      listWallets: { ...listWallets, query: endpoints.getWebhook.params },
    }
    expect(matrixProblems(table)).toEqual([
      'listWallets: nothing says what becomes of a foreign webhookId',
      'refund: nothing says what becomes of a foreign paymentId',
      'getWallet: there is no such operation',
    ])
  })
})

describe('the names of another account', () => {
  test.each(asked)('are names of nothing: $name', async ({ ask: askFor, status }) => {
    const [foreign, absent] = [
      await ask('stranger', askFor(theirs, own)),
      await ask('stranger', askFor(nothing, own)),
    ]
    expect(plain(foreign, theirs)).toEqual(plain(absent, nothing))
    expect(foreign.status).toBe(status)
  })

  test.each(borne)('stay unknown to who has a proof of theirs: $name', async ({ bearer }) => {
    const { text: said } = await ask('stranger', bearer(theirs))
    expect(said).not.toMatch(/pay_[1-9A-HJ-NP-Za-km-z]{22}/)
    expect(said).not.toContain('firstAnsweredAt')
  })

  test('were the names of things all the time', async () => {
    for (const { name, ask: askFor } of asked) {
      const { method = 'GET', path } = askFor(theirs, theirs)
      if (method !== 'GET') continue
      const answer = await ask('owner', { path })
      expect([name, answer.status]).toEqual([name, 200])
      expect(answer.text).not.toContain('"payments":[]')
    }
  })

  test('are of use to the owner: what its wallet signed is sent, what it no longer wants is deleted', async () => {
    const { transaction, webhookId, registered, builtId } = theirs
    const network = 'eip155:84532'
    const asks: readonly Ask[] = [
      { method: 'POST', path: '/transaction/submit', body: { transaction, network } },
      { method: 'DELETE', path: `/transaction/${builtId}` },
      { method: 'DELETE', path: `/webhooks/${webhookId}` },
      { method: 'DELETE', path: `/addresses/${registered}` },
    ]
    for (const each of asks) {
      expect([each.path, (await ask('owner', each)).status]).toEqual([each.path, 200])
    }
  })

  test('under an idempotency key of theirs are names of nothing as well', async () => {
    const body = {
      walletAddress: theirs.wallet,
      recipientAddress: world.newAddress(),
      amount: 0.01,
    }
    const key = { 'idempotency-key': 'order-1' }
    const first = await owner.post('/payment/send', body, key)
    expect(first.status).toBe(200)
    const again = await stranger.post('/payment/send', body, key)
    expect(again.status).toBe(404)
  })
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeWallet } from '@florin/server/payments/test-lane.ts'
import { codeOf, detailsOf } from './actors/client.ts'
import type { Reply } from './actors/client.ts'
import type { World } from './actors/world.ts'
import { openWorld, walletOf } from './actors/world.ts'
import { TOLD } from './actors/told.ts'
import { write } from '@florin/server/store/test-write.ts'

const deep = `${'['.repeat(17)}${']'.repeat(17)}`

/** Changes of a good order's source text, the status, the code, and the field that details must name. */
type Line = readonly [string, (good: string) => string, number, string, string?]

const set = (field: string, text: string) => (good: string) =>
  good.replace(/\}$/, `,"${field}":${text}}`)
const replace = (field: string, text: string) => (good: string) =>
  good.replace(new RegExp(`"${field}":("[^"]*"|[0-9.]+)`), `"${field}":${text}`)
const drop = (field: string) => (good: string) =>
  good.replace(new RegExp(`"${field}":("[^"]*"|[0-9.]+),?`), '').replace(',}', '}')

const LINES: readonly Line[] = [
  ['no JSON', () => 'amount=1', 400, 'INVALID_PARAMETERS', 'body'],
  ['half a body', (good) => good.slice(0, -5), 400, 'INVALID_PARAMETERS', 'body'],
  ['a list', () => '[]', 400, 'INVALID_PARAMETERS'],
  ['a duplicate key', set('amount', '2'), 400, 'INVALID_PARAMETERS', 'amount'],
  ['__proto__', set('__proto__', '{"amount":2}'), 400, 'INVALID_PARAMETERS', '__proto__'],
  ['constructor', set('constructor', '1'), 400, 'INVALID_PARAMETERS', 'constructor'],
  ['depth 17', set('metadata', `{"deep":${deep}}`), 400, 'INVALID_PARAMETERS'],
  [
    'more than 64 KB',
    set('resource', `"https://a.b/${'x'.repeat(70_000)}"`),
    413,
    'PAYLOAD_TOO_LARGE',
  ],
  ['an unknown field', set('amountUsd', '1'), 400, 'INVALID_PARAMETERS', 'amountUsd'],
  ['no amount', drop('amount'), 400, 'INVALID_PARAMETERS', 'amount'],
  ['null', replace('amount', 'null'), 400, 'INVALID_PARAMETERS', 'amount'],
  ['a list as amount', replace('amount', '[1]'), 400, 'INVALID_PARAMETERS', 'amount'],
  ['NaN', replace('amount', 'NaN'), 400, 'INVALID_PARAMETERS'],
  ['1e400', replace('amount', '1e400'), 400, 'INVALID_PARAMETERS', 'amount'],
  ['an exponent in text', replace('amount', '"1e-2"'), 400, 'INVALID_PARAMETERS', 'amount'],
  ['hex', replace('amount', '"0x10"'), 400, 'INVALID_PARAMETERS', 'amount'],
  ['a negative amount', replace('amount', '-1'), 400, 'INVALID_PARAMETERS', 'amount'],
  ['too small', replace('amount', '0.0009'), 400, 'INVALID_PARAMETERS', 'amount'],
  ['too large', replace('amount', '100.000000000000000001'), 400, 'INVALID_PARAMETERS', 'amount'],
  [
    '19 fraction digits',
    replace('amount', '"0.0100000000000000001"'),
    400,
    'INVALID_PARAMETERS',
    'amount',
  ],
  [
    '7 fraction digits of USDC',
    (good) => set('asset', '"USDC"')(replace('amount', '0.0100001')(good)),
    400,
    'INVALID_PARAMETERS',
    'amount',
  ],
  [
    'priorityFee too small',
    set('priorityFee', '0.000009'),
    400,
    'INVALID_PARAMETERS',
    'priorityFee',
  ],
  ['priorityFee too large', set('priorityFee', '0.0101'), 400, 'INVALID_PARAMETERS', 'priorityFee'],
  ['timeout as text', set('timeout', '"10"'), 400, 'INVALID_PARAMETERS', 'timeout'],
  ['timeout below nothing', set('timeout', '-1'), 400, 'INVALID_PARAMETERS', 'timeout'],
  ['timeout of a second and a half', set('timeout', '1.5'), 400, 'INVALID_PARAMETERS', 'timeout'],
  ['metadata as a list', set('metadata', '[]'), 400, 'INVALID_PARAMETERS', 'metadata'],
  ['timeout of 61', set('timeout', '61'), 400, 'INVALID_PARAMETERS', 'timeout'],
  ['another waitFor', set('waitFor', '"forever"'), 400, 'INVALID_PARAMETERS', 'waitFor'],
  ['a resource that is no URL', set('resource', '"shop"'), 400, 'INVALID_PARAMETERS', 'resource'],
  [
    'metadata of 9 KB',
    set('metadata', `{"a":"${'x'.repeat(9_000)}"}`),
    400,
    'INVALID_PARAMETERS',
    'metadata',
  ],
  [
    'a wrong checksum',
    replace('recipientAddress', '"0x036CbD53842c5426634e7929541eC2318f3dCF7E"'),
    400,
    'INVALID_RECIPIENT',
    'recipientAddress',
  ],
  [
    'the zero address',
    replace('recipientAddress', `"0x${'0'.repeat(40)}"`),
    400,
    'INVALID_RECIPIENT',
    'recipientAddress',
  ],
  [
    'the token itself',
    replace('recipientAddress', '"0x036CbD53842c5426634e7929541eC2318f3dCF7e"'),
    400,
    'INVALID_RECIPIENT',
    'recipientAddress',
  ],
  [
    'another family',
    replace('recipientAddress', '"4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU"'),
    400,
    'INVALID_RECIPIENT',
    'recipientAddress',
  ],
  ['an unknown network', set('network', '"eip155:1"'), 400, 'UNSUPPORTED_NETWORK', 'network'],
  ['no network at all', set('network', '"mainnet"'), 400, 'UNSUPPORTED_NETWORK', 'network'],
  [
    'a token nobody listed',
    set('asset', `"0x${'2'.repeat(40)}"`),
    400,
    'UNSUPPORTED_ASSET',
    'asset',
  ],
  ['an unknown asset', set('asset', '"DOGE"'), 400, 'UNSUPPORTED_ASSET', 'asset'],
  [
    'a wallet with a wrong checksum',
    replace('walletAddress', '"0x036CbD53842c5426634e7929541eC2318f3dCF7E"'),
    400,
    'INVALID_PARAMETERS',
    'walletAddress',
  ],
  [
    'a wallet of another family than the network',
    (good) =>
      set(
        'network',
        '"eip155:84532"',
      )(replace('walletAddress', '"4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU"')(good)),
    400,
    'INVALID_PARAMETERS',
    'walletAddress',
  ],
  ['a wallet that nobody has', replace('walletAddress', `"0x${'1'.repeat(40)}"`), 404, 'NOT_FOUND'],
]

const CASES = LINES.map(([name, change, status, code, field]) => ({
  name,
  change,
  status,
  code,
  field,
}))

describe('a request that cannot be taken', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld()
  })
  afterAll(() => world.stop())

  const stored = () =>
    world.database.store.inTransaction('service', (tx) =>
      tx.query(
        'test_stored',
        `select (select count(*) from payments where type = 'sent') as payments, (select count(*) from attempts) as attempts,
         (select count(*) from idempotency_keys) as keys, (select count(*) from ledger_transfers) as transfers,
         (select count(*) from policy_spends) as spends, (select sum(next_nonce) from lanes) as nonces,
         (select count(*) from ${TOLD} where data ->> 'type' is distinct from 'received') as events`,
      ),
    )

  test.each(CASES)('$name', async ({ change, status, code, field }) => {
    const good = JSON.stringify({
      walletAddress: walletOf(world),
      recipientAddress: world.newAddress(),
      amount: 0.01,
    })
    const before = await stored()
    const body = change(good)
    expect(body).not.toBe(good)
    const reply = await world.client().raw('/payment/send', body, { 'idempotency-key': 'bad' })
    expect([reply.status, codeOf(reply)]).toEqual([status, code])
    if (field !== undefined) expect(Object.keys(detailsOf(reply))).toContain(field)
    expect(await stored()).toEqual(before)
  })

  test('the wallet of another account looks like one that nobody has', async () => {
    const address = world.newAddress()
    const { id } = await makeWallet(world.database.store)
    await write(
      world.database.store,
      'test_other_wallet',
      'update wallets set address = $2 where id = $1',
      [id, address],
    )
    const before = await stored()
    const send = (walletAddress: string) =>
      world.client().post('/payment/send', {
        walletAddress,
        recipientAddress: world.newAddress(),
        amount: 1,
      })
    const [other, none] = [await send(address), await send(world.newAddress())]
    const said = ({ status, body }: Reply) => {
      const { requestId: _, ...error } = Object(body['error']) as { requestId: string }
      return { status, error }
    }
    expect(said(other)).toEqual(said(none))
    expect([other.status, codeOf(other)]).toEqual([404, 'NOT_FOUND'])
    expect(await stored()).toEqual(before)
  })

  test.each([
    ['no key', {}],
    ['a key that nobody holds', { authorization: `Bearer florin_test_${'A'.repeat(27)}_000000` }],
    ['another scheme', { authorization: 'Basic Zm9vOmJhcg==' }],
  ])('%s is 401 before anything is read', async (_, headers) => {
    const answer = await fetch(`${world.service().baseUrl}/payment/send`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: '{',
    })
    expect(answer.status).toBe(401)
  })

  test.each(['', 'a b', 'ü', 'x'.repeat(256)])('the idempotency key %j is refused', async (key) => {
    const body = { walletAddress: walletOf(world), recipientAddress: world.newAddress(), amount: 1 }
    const before = await stored()
    const reply = await world
      .client()
      .post('/payment/send', body, { 'idempotency-key': key })
      .catch(() => null)
    // A header that HTTP itself cannot carry never arrives.
    if (reply !== null) expect(reply.status).toBe(400)
    expect(await stored()).toEqual(before)
  })
})

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import fc from 'fast-check'
import { endpoints } from '@florin/wire/endpoints.ts'
import { route } from './route.ts'
import type { Route } from './route.ts'
import { assertProblem, echoPayment, isErrorBody, openTestServer } from './test-server.ts'

const EVM = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const GOOD: Readonly<Record<string, string>> = {
  walletAddress: `"${EVM}"`,
  recipientAddress: `"${EVM}"`,
  amount: '0.25',
}

const WEBHOOK = {
  ...{ url: 'https://a.example/', types: [], description: null, enabled: true },
  ...{ failingSince: null, pausedAt: null, pauseReason: null },
  ...{ previousSecretExpiresAt: null, createdAt: 1, updatedAt: 1 },
} as const

let server: Awaited<ReturnType<typeof openTestServer>>
let handled = 0

beforeAll(async () => {
  const counted: Route = {
    endpoint: echoPayment.endpoint,
    open: (tools) => {
      const respond = echoPayment.open(tools)
      return (incoming) => {
        const answer = respond(incoming)
        // What the handler never saw was refused at the door.
        return answer.then((outgoing) => {
          handled += 1
          return outgoing
        })
      }
    },
  }
  const policy = route(endpoints.setWalletPolicy, async ({ params }) => {
    handled += 1
    return { body: { address: params.address, policy: null } }
  })
  const rotate = route(endpoints.rotateWebhook, async ({ params, body }) => {
    handled += Object.keys(body).length + 1
    return {
      body: { ...WEBHOOK, webhookId: params.webhookId, secret: null, status: 'active' as const },
    }
  })
  const ticket = route(endpoints.createEventTicket, async () => {
    handled += 1
    return { body: { ticket: 'tkt_1', expiresAt: 1 } }
  })
  server = await openTestServer({ routes: [counted, policy, rotate, ticket] })
})
afterAll(() => server.close())
beforeEach(() => {
  handled = 0
})

/** A good body with some fields written otherwise; undefined leaves one out. */
function body(fields: Readonly<Record<string, string | undefined>>): string {
  const all = Object.entries({ ...GOOD, ...fields })
  return `{${all.flatMap(([name, text]) => (text === undefined ? [] : [`"${name}":${text}`])).join(',')}}`
}

async function refusedWith(text: string): Promise<unknown> {
  const answered = await server.send(text)
  assertProblem(answered, 'INVALID_PARAMETERS')
  expect(handled).toBe(0)
  return isErrorBody(answered.body) ? answered.body.error.details : undefined
}

describe('POST /payment/send', () => {
  const AMOUNT = 'must be between 0.001 and 100'
  const PLAIN = 'must be a plain decimal number, such as 0.25'
  test.each([
    ['0', AMOUNT],
    ['0.0009', AMOUNT],
    ['0.00099999999999999999999999', AMOUNT],
    ['100.00000000000000000000001', AMOUNT],
    ['"100.1"', AMOUNT],
    ['1.01e2', AMOUNT],
    ['"1e-2"', PLAIN],
    ['1e400', PLAIN],
    ['-1', PLAIN],
    ['-0', PLAIN],
    ['"-1"', PLAIN],
    ['"+1"', PLAIN],
    ['"0x10"', PLAIN],
    ['"NaN"', PLAIN],
    ['"Infinity"', PLAIN],
    ['"1,5"', PLAIN],
    ['" 1"', PLAIN],
    ['""', PLAIN],
    ['"01"', PLAIN],
    ['"1."', PLAIN],
    ['"١"', PLAIN],
    ['true', PLAIN],
    ['null', PLAIN],
    ['[1]', PLAIN],
    ['{}', PLAIN],
    [`0.${'1'.repeat(79)}`, PLAIN],
    ['NaN', undefined],
    ['0x10', undefined],
    ['.5', undefined],
    ['+1', undefined],
  ])('refuses the amount %s', async (text, rule) => {
    const details = await refusedWith(body({ amount: text }))
    if (rule === undefined) expect(details).toHaveProperty('body')
    else expect(details).toEqual({ amount: rule })
  })

  test.each(['0.001', '"0.001"', '100', '100.000', '0.0010000000000000000000001', '"99.999"'])(
    'takes the amount %s, and says it back digit by digit',
    async (text) => {
      const answer = await fetch(`${server.url}/payment/send`, {
        method: 'POST',
        headers: { authorization: 'Bearer good', 'content-type': 'application/json' },
        body: body({ amount: text }),
      })
      expect(answer.status).toBe(200)
      expect(await answer.text()).toContain(`"amount":${text.replaceAll('"', '')},`)
    },
  )

  test.each([
    ['1e-3', '0.001'],
    ['2.5E-02', '0.025'],
    ['1E2', '100'],
  ])('takes the amount %s, which is how some JSON writers write %s', async (text, amount) => {
    const answer = await server.send(body({ amount: text }))
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ amount: Number(amount) })
  })

  test.each([
    ['priorityFee', '0.000009', 'must be between 0.00001 and 0.01'],
    ['priorityFee', '0.01000000000000000001', 'must be between 0.00001 and 0.01'],
    ['priorityFee', '9e-06', 'must be between 0.00001 and 0.01'],
    ['priorityFee', '"1e-05"', 'must be a plain decimal number, such as 0.25'],
    ['timeout', '61', 'must be between 0 and 60'],
    ['timeout', '-1', 'must be between 0 and 60'],
    ['timeout', '1.5', 'must be an integer'],
    ['timeout', '"10"', 'must be an integer'],
    ['timeout', 'null', 'must be an integer'],
    ['waitFor', '"final"', 'must be one of submitted, confirmed, settled'],
    ['waitFor', '1', 'must be one of submitted, confirmed, settled'],
    ['walletAddress', undefined, 'is required'],
    ['walletAddress', '""', 'must not be empty'],
    ['walletAddress', '1', 'must be a string'],
    ['walletAddress', `["${EVM}"]`, 'must be a string'],
    ['recipientAddress', `"${'a'.repeat(129)}"`, 'must have at most 128 characters'],
    ['amount', undefined, 'is required'],
    ['network', '{}', 'must be a string'],
    ['asset', 'false', 'must be a string'],
    ['metadata', '"text"', 'must be an object'],
    ['metadata', '[]', 'must be an object'],
    ['metadata', 'null', 'must be an object'],
    ['metadata', `{"a":"${'x'.repeat(8185)}"}`, 'must be at most 8192 bytes'],
    ['resource', '"/relative"', 'must be an absolute http or https URL'],
    ['resource', '"ftp://a.example/"', 'must be an absolute http or https URL'],
    ['resource', '"javascript:alert(1)"', 'must be an absolute http or https URL'],
    ['resource', '"http://"', 'must be an absolute http or https URL'],
    ['resource', '" https://a.example/"', 'must be an absolute http or https URL'],
    ['resource', '"https://a.example/\\n"', 'must be an absolute http or https URL'],
    ['resource', `"https://a.example/${'x'.repeat(2048)}"`, 'must have at most 2048 characters'],
    ['accountId', '"acct_1"', 'unknown field'],
    ['status', '"settled"', 'unknown field'],
    ['Amount', '1', 'unknown field'],
    ['toString', '1', 'unknown field'],
    ['hasOwnProperty', '1', 'unknown field'],
    ['__proto__', '{"amount":1}', 'is not an allowed name'],
    ['constructor', '1', 'is not an allowed name'],
  ])('refuses %s as %s', async (field, text, rule) => {
    expect(await refusedWith(body({ [field]: text }))).toEqual({ [field]: rule })
  })

  test.each([
    ['resource', '"https://a.example/x?y=1#z"'],
    ['resource', '"HTTP://a.example"'],
    ['metadata', '{}'],
    ['metadata', `{"a":"${'x'.repeat(8184)}"}`],
    ['timeout', '0'],
    ['timeout', '60'],
    ['timeout', '1e1'],
    ['priorityFee', '0.00001'],
    ['priorityFee', '1e-05'],
    ['priorityFee', '5E-05'],
    ['priorityFee', '"0.010"'],
    ['waitFor', '"submitted"'],
  ])('takes %s as %s', async (field, text) => {
    expect((await server.send(body({ [field]: text }))).status).toBe(200)
  })

  test('names every bad field at once, but not without end', async () => {
    const few = await refusedWith(
      body({ amount: '0', timeout: '99', x: '1', walletAddress: undefined }),
    )
    expect(Object.keys(Object(few)).sort()).toEqual(['amount', 'timeout', 'walletAddress', 'x'])
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`f${at}`, '1']))
    expect(Object.keys(Object(await refusedWith(body(many))))).toHaveLength(20)
  })

  test.each([
    ['nothing', ''],
    ['an array', '[]'],
    ['a string', '"amount"'],
    ['null', 'null'],
    ['a name given twice', body({}).replace('{', '{"amount":1,')],
    ['17 levels', body({ metadata: '{"a":'.repeat(16) + '1' + '}'.repeat(16) })],
    ['too many values', body({ metadata: `{"a":[${'1,'.repeat(1000)}1]}` })],
    ['a NUL', body({ network: '"\\u0000"' })],
    ['half of a pair', body({ metadata: '{"a":"\\udead"}' })],
    ['a number that no double holds', body({ metadata: '{"a":1e999}' })],
  ])('refuses %s', async (_, text) => {
    await refusedWith(text)
  })

  test('a body that is cut anywhere is refused', async () => {
    const text = body({ metadata: '{"a":[1,{"b":"\\u00e9"}]}', resource: '"https://a.example/"' })
    for (let end = 0; end < text.length; end += 1) await refusedWith(text.slice(0, end))
  })

  test('whatever the bytes, the answer is 200, 400, 413 or 415, never a failure of ours', async () => {
    const noise = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.json({ maxDepth: 20 }).map((text) => Buffer.from(text)),
      fc
        .record(
          Object.fromEntries(
            [
              'walletAddress',
              'recipientAddress',
              'amount',
              'timeout',
              'metadata',
              'network',
              'x',
            ].map((name) => [name, fc.json()]),
          ),
          { requiredKeys: [] },
        )
        .map((fields) => Buffer.from(body(fields))),
      fc.tuple(fc.nat(), fc.uint8Array({ minLength: 1, maxLength: 4 })).map(([place, bytes]) => {
        const good = Buffer.from(body({ metadata: '{"a":[1,{"b":"\\u00e9"}]}' }))
        good.set(bytes, place % (good.length - bytes.length))
        return good
      }),
    )
    await fc.assert(
      fc.asyncProperty(noise, async (bytes) => {
        const answered = await server.send(Uint8Array.from(bytes))
        expect([200, 400]).toContain(answered.status)
        if (answered.status !== 200) expect(isErrorBody(answered.body)).toBe(true)
      }),
      { numRuns: 500 },
    )
  })
})

describe('an operation that needs no field', () => {
  const json = { 'content-type': 'application/json' }
  const rotate = '/webhooks/whk_1/rotate'

  test.each([
    ['no body', undefined],
    ['an empty body', ''],
    ['an empty object', '{}'],
  ])('takes %s, whether it has fields or not', async (_, text) => {
    const sent = text === undefined ? {} : { body: text, headers: json }
    for (const path of [rotate, '/events/ticket']) {
      expect(await server.ask('POST', path, sent)).toMatchObject({ status: 200 })
    }
    expect(handled).toBe(2)
  })

  test.each(['{"x":1}', '[]', 'null', '1', '""'])('refuses %s', async (text) => {
    for (const path of [rotate, '/events/ticket']) {
      assertProblem(
        await server.ask('POST', path, { body: text, headers: json }),
        'INVALID_PARAMETERS',
      )
    }
    expect(handled).toBe(0)
  })

  test('is no PUT: what has no body would lift a policy', async () => {
    const answered = await server.ask('PUT', `/wallets/${EVM}/policy`, { headers: json })
    assertProblem(answered, 'INVALID_PARAMETERS')
    expect(handled).toBe(0)
  })
})

describe('PUT /wallets/{address}/policy', () => {
  const put = (text: string) =>
    server.ask('PUT', `/wallets/${EVM}/policy`, {
      body: text,
      headers: { 'content-type': 'application/json' },
    })

  test('names the entry of a list that is wrong', async () => {
    const answered = await put(
      '{"limits":[{"perDay":1},{"perDay":-1,"x":1}],"recipients":[1],"resources":["x"]}',
    )
    expect(answered.status).toBe(400)
    expect(answered.body).toMatchObject({
      error: {
        details: {
          'limits[1].perDay': 'must be a plain decimal number, such as 0.25',
          'limits[1].x': 'unknown field',
          'recipients[0]': 'must be a string',
          'resources[0]': 'must be an absolute http or https URL',
        },
      },
    })
    expect(handled).toBe(0)
  })

  test('takes an empty policy and one with everything', async () => {
    expect((await put('{}')).status).toBe(200)
    const all =
      '{"limits":[{"asset":"USDC","perPayment":"0.5","perMonth":10}],"recipients":[],"resources":["https://a.example/x"]}'
    expect((await put(all)).status).toBe(200)
  })
})

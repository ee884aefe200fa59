import { answer, openTestService, refusal, TEST_KEY } from '@florin/sdk/test-service.ts'
import type { Step } from '@florin/sdk/test-service.ts'
import { afterEach, expect, test } from 'vitest'
import { CommandFailed, UsageError } from '../usage-error.ts'
import { buy } from './buy.ts'

const SELLER = 'http://127.0.0.1:9/page'
const NOBODY = refusal(503, 'NETWORK_ERROR', { details: { reason: 'not_connected' } })

let service: Awaited<ReturnType<typeof openTestService>>
afterEach(() => service.close())

async function buying(script: readonly Step[], ...args: readonly string[]) {
  service = await openTestService(script)
  const [printed, notes]: [string[], string[]] = [[], []]
  const code = await buy({
    args: [SELLER, '--from', '0x1', ...args],
    environment: { FLORIN_BASE_URL: service.baseUrl, FLORIN_API_KEY: TEST_KEY },
    print: (text) => void printed.push(text),
    note: (text) => void notes.push(text),
  })
  return { code, printed: printed.join(''), notes: notes.join('') }
}

test('a seller at whose address nobody listens is named, after a second try', async () => {
  await expect(buying([NOBODY])).rejects.toThrow(
    new CommandFailed(
      `nobody answers at ${SELLER}. Nothing was signed. Check the address, and whether the seller runs.`,
    ),
  )
  expect(service.seen).toHaveLength(2)
})

test('with --json the refusal stays one object with the code of the service', async () => {
  const { printed, notes } = await buying([NOBODY], '--json')
  expect(JSON.parse(printed)).toMatchObject({ success: false, error: { code: 'NETWORK_ERROR' } })
  expect(notes).toBe('')
})

test('of another asset than USDC nothing is offered that nobody has said', async () => {
  await expect(buying([NOBODY], '--asset', 'WETH')).rejects.toThrow(
    new UsageError('say how much of WETH may be paid at most: --max AMOUNT'),
  )
  expect(service.seen).toEqual([])
})

test('a payment that may have been signed before is not called unsigned', async () => {
  const torn = answer(200, '{"success":tr')
  const { code, notes } = await buying([torn, NOBODY], '--idempotency-key', 'lunch')
  expect(notes).toContain('--idempotency-key lunch')
  expect(notes).not.toContain('Nothing was signed')
  expect(code).toBe(3)
})

const SIGNED = {
  ...{ success: true, paymentId: 'pay_1', paid: 'unknown', amount: 0.01, amountBaseUnits: '10000' },
  payment: { paymentId: 'pay_1', status: 'pending', signature: null },
  timestamp: 1,
}
const FAILED = { status: 500, headers: {}, body: 'oops', bodyEncoding: 'utf8' }

test.each([
  ['has failed', { response: FAILED, problem: null }],
  ['sends elsewhere', { response: { ...FAILED, status: 302 }, problem: null }],
  ['has gone', { response: null, problem: 'broken_answer' }],
])(
  'when the seller of a signed payment %s, the key that never pays twice is named',
  async (_, end) => {
    const { code, notes } = await buying([answer(200, { ...SIGNED, ...end })])
    const key = service.seen[0]?.idempotencyKey
    expect(key).toMatch(/^sdk-/)
    expect(notes).toContain(`--idempotency-key ${String(key)}: that never pays twice`)
    expect(code).toBe(3)
  },
)

test('with --json the key stands beside what the seller gave', async () => {
  const open = answer(200, { ...SIGNED, response: FAILED, problem: null })
  const { printed } = await buying([open], '--json', '--idempotency-key', 'lunch')
  expect(JSON.parse(printed)).toMatchObject({ paid: 'unknown', idempotencyKey: 'lunch' })
})

test('a seller who asks for more than the ceiling is answered with the flag that raises it', async () => {
  const dear = refusal(403, 'POLICY_REFUSED', { details: { rule: 'maxAmount', wanted: '0.5' } })
  const { code, notes } = await buying([dear])
  expect(notes).toMatch(/next +Name what you would pay at most: --max AMOUNT/)
  expect(code).toBe(1)
})

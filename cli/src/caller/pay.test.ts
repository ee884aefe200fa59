import { answer, openTestService, TEST_KEY } from '@florin/sdk/test-service.ts'
import { afterEach, expect, test } from 'vitest'
import { UsageError } from '../usage-error.ts'
import { runPay } from './pay.ts'

const RECIPIENT = '0x861df145B0C52bCb6e4fcc50e2aa32C12090cb9D'
const WALLET = { address: '0xEa8206144db76f0052A23BCB6e4A6E18749BD9d0', family: 'evm' }
const NETWORKS = answer(200, { success: true, networks: [], timestamp: 1 })
const WALLETS = answer(200, { success: true, wallets: [WALLET], timestamp: 1 })
const TORN = answer(200, '{"success":tr')

let service: Awaited<ReturnType<typeof openTestService>>
afterEach(() => service.close())

/** Pays without an answer that says what became of it. */
async function paying(args: readonly string[], ...before: Parameters<typeof openTestService>[0]) {
  service = await openTestService([...before, TORN])
  const notes: string[] = []
  const code = await runPay({
    args,
    environment: { FLORIN_BASE_URL: service.baseUrl, FLORIN_API_KEY: TEST_KEY },
    print: () => undefined,
    note: (text) => void notes.push(text),
  })
  return { code, notes: notes.join('') }
}

test('a repeat in doubt names the wallet that was chosen, so that another one is never asked', async () => {
  const order = [RECIPIENT, '1', '--idempotency-key', 'lunch']
  const { code, notes } = await paying(order, NETWORKS, WALLETS)
  expect(notes).toContain(`--idempotency-key lunch --from ${WALLET.address}: that never pays twice`)
  expect(code).toBe(3)
})

test('a wallet that the command line names is not named again', async () => {
  const order = [RECIPIENT, '1', '--from', WALLET.address, '--idempotency-key', 'lunch']
  const { notes } = await paying(order, NETWORKS)
  expect(notes).toContain('--idempotency-key lunch: that never pays twice')
})

test('a negative amount is called one, not an unknown option', async () => {
  await expect(paying([RECIPIENT, '-1'])).rejects.toThrow(
    new UsageError('no number here may be negative: "-1"'),
  )
  expect(service.seen).toEqual([])
})

test.each([
  ['FLORIN_BASE_URL', 'ftp://127.0.0.1'],
  ['FLORIN_API_KEY', 'two words'],
])('a %s that cannot be used is named as the environment names it', async (name, value) => {
  const environment = { FLORIN_BASE_URL: 'http://127.0.0.1:9', FLORIN_API_KEY: TEST_KEY }
  const order = { args: [RECIPIENT, '1'], print: () => undefined, note: () => undefined }
  await expect(
    runPay({ ...order, environment: { ...environment, [name]: value } }),
  ).rejects.toThrow(new RegExp(`^${name} must be `))
})

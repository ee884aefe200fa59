import { answer, openTestService, TEST_KEY } from '@florin/sdk/test-service.ts'
import { afterEach, expect, test } from 'vitest'
import { UsageError } from '../usage-error.ts'
import { runPaywall } from './paywall.ts'

const USDC = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'
const NETWORKS = [
  {
    network: 'eip155:84532',
    assets: [
      { symbol: 'ETH', asset: 'native', decimals: 18 },
      { symbol: 'USDC', asset: USDC, decimals: 6 },
    ],
  },
]

let service: Awaited<ReturnType<typeof openTestService>>
afterEach(() => service.close())

/** Opens a shop, and closes it as soon as it says so. */
async function opening(...args: readonly string[]) {
  return openingAs(['--json'], ...args)
}

async function openingAs(form: readonly string[], ...args: readonly string[]) {
  service = await openTestService([
    answer(200, { success: true, networks: NETWORKS, timestamp: 1 }),
  ])
  const printed: string[] = []
  const closing = new AbortController()
  const code = await runPaywall({
    args: [...args, '--pay-to', '0x861df145B0C52bCb6e4fcc50e2aa32C12090cb9D', ...form],
    environment: { FLORIN_BASE_URL: service.baseUrl, FLORIN_API_KEY: TEST_KEY },
    print: (text) => {
      printed.push(text)
      closing.abort()
    },
    note: () => undefined,
    interrupted: () => closing.signal,
  })
  return { code, printed: printed.join('') }
}

test.each([
  [['--asset', 'FOO'], 'nothing can be sold for "FOO" on eip155:84532. --asset is one of USDC'],
  [['--asset', 'ETH'], 'nothing can be sold for "ETH" on eip155:84532. --asset is one of USDC'],
  [['--network', 'base'], 'the service has no network "base". --network is one of eip155:84532'],
])(
  'a shop that could sell nothing by %j does not open, and says what there is',
  async (args, said) => {
    await expect(opening(...args)).rejects.toThrow(new UsageError(said))
  },
)

test.each([
  [[]],
  [['--network', 'base-sepolia']],
  [['--network', 'eip155:84532', '--asset', USDC.toLowerCase()]],
])('a shop opens by %j', async (args) => {
  expect((await opening(...args)).printed).toContain('"event":"open"')
})

test('the command that buys there names the network and the asset that the shop was told', async () => {
  const told = ['--network', 'base-sepolia', '--asset', USDC]
  expect((await openingAs([], ...told)).printed).toMatch(
    new RegExp(`npx florin pay http://\\S+/report --network base-sepolia --asset ${USDC}\\n$`),
  )
})

test('and names none where it was told none', async () => {
  expect((await openingAs([])).printed).toMatch(/npx florin pay http:\S+\/report\n$/)
})

test.each([
  ['65536', '--port must be 0 to 65535, not "65536"'],
  ['6000', '--port must not be 6000: fetch refuses to connect there, so nobody could buy'],
])('at port %s no shop opens', async (port, said) => {
  await expect(opening('--port', port)).rejects.toThrow(new UsageError(said))
})

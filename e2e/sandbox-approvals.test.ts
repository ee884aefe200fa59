import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { createPublicClient, erc20Abi, getAddress, http } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '@florin/server/kernel/until.ts'
import { bareEnvironment, FLORIN, runFlorin, startFlorin } from './actors/florin.ts'
import type { FlorinHandle } from './actors/florin.ts'
import { buy, openShop } from './actors/run-actor.ts'

const GUIDE = new URL('../docs/guides/sponsored-approvals.md', import.meta.url)
const NETWORK = 'eip155:84532'
const PRICE = 2_000_000n

let florin: FlorinHandle
beforeAll(async () => {
  florin = await startFlorin({ env: { FLORIN_SANDBOX_APPROVALS: '1' } })
})
afterAll(() => florin.kill('SIGINT'))

const guide = () => readFile(GUIDE, 'utf8')
/** The guide's command that has a word, as a reader would run it in one terminal. */
async function run(word: string, variables: Readonly<Record<string, string>> = {}) {
  const blocks = [...(await guide()).matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text = '']) => text)
  const block = blocks.find((text) => text.includes(word)) ?? 'exit 1'
  const exported = await runFlorin(['env'], florin.dataDirectory)
  const npx = `npx() { shift; '${process.execPath}' '${FLORIN}' "$@"; }`
  const { stdout } = await promisify(execFile)(
    'bash',
    ['-euc', [npx, exported.stdout, block].join('\n')],
    { env: bareEnvironment(florin.dataDirectory, variables) },
  )
  return stdout
}

test('a command that is told no wallet still takes the first one for everybody', async () => {
  const { stdout } = await runFlorin(['wallets', '--json'], florin.dataDirectory)
  expect(stdout.indexOf('sandbox 1')).toBeGreaterThan(-1)
  expect(stdout.indexOf('sandbox approvals')).toBeGreaterThan(stdout.indexOf('sandbox 1'))
})

test('the guide: a buyer with nothing but the old token pays a stock seller, twice for one gift', async () => {
  const announced = async () => (await run('/x402/supported')).includes('erc20ApprovalGas')
  await until('it is announced', announced, { seconds: 60 })
  const key = generatePrivateKey()
  const buyer = privateKeyToAccount(key).address
  expect(JSON.parse(await run('FLORIN_FAUCET_URL', { BUYER: buyer }))).toMatchObject({
    ...{ success: true, amount: '5' },
  })
  const asset = /asset: '(0x[0-9a-fA-F]{40})'/.exec(await guide())?.[1] ?? ''
  const payTo = getAddress(`0x${randomBytes(20).toString('hex')}`)
  const { baseUrl, info } = florin
  const shop = await openShop({
    ...{ facilitatorUrl: `${baseUrl}/x402`, apiKey: info.apiKeys.standard },
    ...{ framework: 'express', network: NETWORK, payTo, price: '$0.01' },
    permit2: { asset, amount: `${PRICE}`, approval: 'erc20ApprovalGasSponsoring' },
  })
  try {
    const { rpcUrl: evmRpcUrl } = info.networks.evm
    const asked = { client: 'fetch', paysAnyAsset: true, evmKey: key, evmRpcUrl } as const
    const goods = { status: 200, body: { goods: true } }
    expect(await buy({ ...asked, url: shop.url, times: 1 })).toMatchObject([goods])
    const reader = createPublicClient({ transport: http(evmRpcUrl) })
    const given = await reader.getBalance({ address: buyer })
    expect(await buy({ ...asked, url: shop.url, times: 1 })).toMatchObject([goods])
    expect(await reader.getBalance({ address: buyer })).toBe(given)
    const paid = await reader.readContract({
      ...{ address: getAddress(asset), abi: erc20Abi, functionName: 'balanceOf', args: [payTo] },
    })
    expect(paid).toBe(2n * PRICE)
  } finally {
    await shop.stop()
  }
})

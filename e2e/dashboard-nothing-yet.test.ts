import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Browser, Route } from 'playwright-core'
import {
  barriers,
  chromiumPath,
  openDashboard,
  openPage,
  sidewaysPixels,
  startBrowser,
} from './actors/browser.ts'
import type { Visit } from './actors/browser.ts'
import { openClient } from './actors/client.ts'
import { startFlorin } from './actors/florin.ts'
import type { FlorinHandle } from './actors/florin.ts'

const MISSING = chromiumPath() === undefined
const START_MILLISECONDS = 300_000

describe.skipIf(MISSING)('a page with nothing to show yet (skipped without a Chromium)', () => {
  let florin: FlorinHandle
  let browser: Browser
  let owner: Visit
  beforeAll(async () => {
    ;[florin, browser] = await Promise.all([startFlorin(), startBrowser()])
    owner = await openDashboard(florin, browser)
  }, START_MILLISECONDS)
  afterAll(async () => {
    await browser?.close()
    await florin?.discard()
  })

  const open = (path: string, heading: string) =>
    openPage(owner, `${florin.baseUrl}/dashboard${path}`, heading)

  test('of an empty wallet in a sandbox gives the commands that fill it, and they do', async () => {
    const { page } = owner
    const client = openClient(florin.baseUrl, florin.info.apiKeys.enterprise)
    const { body } = await client.post('/wallets', { family: 'evm', label: 'Till' })
    const address = String(body['address'])
    await open(`/wallets/${address}`, 'Till')
    const shown = page.getByRole('region', { name: 'faucet commands' })
    const [, ...calls] = ((await shown.textContent()) ?? '').split('\n')
    expect(await barriers(page)).toEqual([])
    const env = { PATH: process.env['PATH'], FLORIN_FAUCET_URL: florin.info.faucet.url }
    for (const call of calls) {
      const { stdout } = await promisify(execFile)('sh', ['-c', call], { env })
      expect(JSON.parse(stdout)).toMatchObject({ success: true, address })
    }
    // A deposit is an event, and what it makes old is read again.
    await page.getByText('1,000').first().waitFor()
    await shown.waitFor({ state: 'detached' })
  })

  test('has room for a long name on a narrow screen', async () => {
    const { page } = owner
    const client = openClient(florin.baseUrl, florin.info.apiKeys.enterprise)
    const label = 'A label as long as anybody may want to give to one of their wallets, x'
    expect((await client.post('/wallets', { family: 'evm', label })).status).toBe(200)
    await page.setViewportSize({ width: 390, height: 844 })
    await open('/first-payment', 'Make a payment')
    await page.getByText(label, { exact: true }).waitFor()
    expect(await sidewaysPixels(page)).toBe(0)
    await page.setViewportSize({ width: 1440, height: 900 })
  })

  test('does not say that there is nothing while that is not known', async () => {
    const { page } = owner
    const { promise: isLooked, resolve: looked } = Promise.withResolvers<void>()
    await page.route(/api\/(operator\/lanes|wallets)/, async (route) => {
      await isLooked
      await route.continue()
    })
    await open('/first-payment', 'Make a payment')
    await page.getByRole('heading', { name: '3. The payment' }).waitFor()
    expect(await page.getByText('It begins with a wallet').count()).toBe(0)
    await open('/system', 'System')
    await page.getByRole('heading', { name: 'Frozen lanes' }).waitFor()
    expect(await page.getByText('No lane is frozen').count()).toBe(0)
    looked()
    await page.getByText('No lane is frozen').waitFor()
  })

  test('of webhooks has the button that makes one, and of events and settlements what makes some', async () => {
    const { page } = owner
    await open('/webhooks', 'Webhooks')
    const empty = page.getByText('No webhooks yet').locator('..')
    await empty.getByRole('button', { name: 'Create webhook' }).click()
    await page.getByRole('dialog', { name: 'Create a webhook' }).waitFor()
    await page.keyboard.press('Escape')
    const nothing = (route: Route) =>
      route.fulfill({ json: { events: [], nextCursor: null, hasMore: false } })
    await page.route(/api\/events(\?|$)/, nothing)
    await open('/x402', 'x402')
    await page.getByText('npx florin paywall --port 4100').waitFor()
    await page.getByRole('link', { name: 'how to sell' }).waitFor()
    expect(await barriers(page)).toEqual([])
    await open('/events', 'Events')
    await page.getByText('Nothing happened yet').waitFor()
    await page.getByRole('link', { name: 'Make a payment' }).click()
    await page.getByRole('heading', { level: 1, name: 'Make a payment' }).waitFor()
    await page.unroute(/api\/events(\?|$)/)
  })

  test('of payments leads to the first one', async () => {
    const { page } = owner
    await page.route(/api\/payments(\?|$)/, async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), payments: [] } })
    })
    await open('/payments', 'Payments')
    await page.getByText('No payments yet').waitFor()
    await page.getByRole('link', { name: 'Make a payment' }).click()
    await page.getByRole('heading', { level: 1, name: 'Make a payment' }).waitFor()
  })
})

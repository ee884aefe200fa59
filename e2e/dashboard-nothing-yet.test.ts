import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { until } from '@florin/server/kernel/until.ts'
import type { Route } from 'playwright-core'
import { barriers, sidewaysPixels } from './actors/browser.ts'
import { openClient } from './actors/client.ts'
import { NO_CHROMIUM, startDashboard } from './actors/dashboard.ts'

const WAIT = { seconds: 60 }

describe.skipIf(NO_CHROMIUM)('a page with nothing to show yet (skipped without a Chromium)', () => {
  const dashboard = startDashboard()

  test('of an empty wallet in a sandbox gives the commands that fill it, and they do', async () => {
    const { page } = dashboard.owner
    const client = openClient(dashboard.florin.baseUrl, dashboard.florin.info.apiKeys.enterprise)
    const { body } = await client.post('/wallets', { family: 'evm', label: 'Till' })
    const address = String(body['address'])
    await dashboard.open(page, `/wallets/${address}`, 'Till')
    const shown = page.getByRole('region', { name: 'faucet commands' })
    const [, ...calls] = ((await shown.textContent()) ?? '').split('\n')
    expect(await barriers(page)).toEqual([])
    const areAllSettled = async () => {
      const { payments } = (await client.get(`/payment/history/${address}`)).body
      return Array.isArray(payments) && payments.every(({ status }) => status === 'settled')
    }
    const env = { PATH: process.env['PATH'], FLORIN_FAUCET_URL: dashboard.florin.info.faucet.url }
    for (const call of calls) {
      const { stdout } = await promisify(execFile)('sh', ['-c', call], { env })
      expect(JSON.parse(stdout)).toMatchObject({ success: true, address })
    }
    // A deposit is an event, and what it makes old is read again.
    await page.getByText('1,000').first().waitFor()
    await shown.waitFor({ state: 'detached' })
    // Else it happens on a page that is to show that nothing has.
    await until('nothing more happens to it', areAllSettled, WAIT)
  })

  test('has room for a long name on a narrow screen', async () => {
    const { page } = dashboard.owner
    const client = openClient(dashboard.florin.baseUrl, dashboard.florin.info.apiKeys.enterprise)
    const label = 'A label as long as anybody may want to give to one of their wallets, x'
    expect((await client.post('/wallets', { family: 'evm', label })).status).toBe(200)
    await page.setViewportSize({ width: 390, height: 844 })
    await dashboard.open(page, '/first-payment', 'Make a payment')
    await page.getByText(label, { exact: true }).waitFor()
    expect(await sidewaysPixels(page)).toBe(0)
    await page.setViewportSize({ width: 1440, height: 900 })
  })

  test('does not say that there is nothing while that is not known', async () => {
    const { page } = dashboard.owner
    const { promise: isLooked, resolve: looked } = Promise.withResolvers<void>()
    await page.route(/api\/(operator\/lanes|wallets)/, async (route) => {
      await isLooked
      await route.continue()
    })
    await dashboard.open(page, '/first-payment', 'Make a payment')
    await page.getByRole('heading', { name: '3. The payment' }).waitFor()
    expect(await page.getByText('It begins with a wallet').count()).toBe(0)
    await dashboard.open(page, '/system', 'System')
    await page.getByRole('heading', { name: 'Frozen lanes' }).waitFor()
    expect(await page.getByText('No lane is frozen').count()).toBe(0)
    looked()
    await page.getByText('No lane is frozen').waitFor()
  })

  test('of webhooks has the button that makes one, once, and of events and settlements what makes some', async () => {
    const { page } = dashboard.owner
    await dashboard.open(page, '/webhooks', 'Webhooks')
    await page.getByText('No webhooks yet').waitFor()
    const create = page.getByRole('button', { name: 'Create webhook' })
    expect(await create.count()).toBe(1)
    await create.click()
    await page.getByRole('dialog', { name: 'Create a webhook' }).waitFor()
    await page.keyboard.press('Escape')
    const nothing = (route: Route) =>
      route.fulfill({ json: { events: [], nextCursor: null, hasMore: false } })
    await page.route(/api\/events(\?|$)/, nothing)
    await dashboard.open(page, '/x402', 'x402')
    await page.getByText('npx florin paywall --port 4100').waitFor()
    await page.getByRole('link', { name: 'how to sell' }).waitFor()
    expect(await barriers(page)).toEqual([])
    await dashboard.open(page, '/events', 'Events')
    await page.getByText('Nothing happened yet').waitFor()
    await page.getByRole('link', { name: 'Make a payment' }).click()
    await page.getByRole('heading', { level: 1, name: 'Make a payment' }).waitFor()
    await page.unroute(/api\/events(\?|$)/)
  })

  test('of payments leads to the first one', async () => {
    const { page } = dashboard.owner
    await page.route(/api\/payments(\?|$)/, async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), payments: [] } })
    })
    await dashboard.open(page, '/payments', 'Payments')
    await page.getByText('No payments yet').waitFor()
    await page.getByRole('link', { name: 'Make a payment' }).click()
    await page.getByRole('heading', { level: 1, name: 'Make a payment' }).waitFor()
  })
})

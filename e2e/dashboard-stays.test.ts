import { until } from '@florin/server/kernel/until.ts'
import type { Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { barriers, sidewaysPixels, visit } from './actors/browser.ts'
import type { Visit } from './actors/browser.ts'
import { openClient } from './actors/client.ts'
import { NO_CHROMIUM, startDashboard } from './actors/dashboard.ts'

const WAIT = { seconds: 30 }
const WIDE = { width: 1280, height: 900 }
const NARROW = { width: 390, height: 844 }

describe.skipIf(NO_CHROMIUM)('what cannot be read anew (skipped without a Chromium)', () => {
  const dashboard = startDashboard()
  let reader: Visit | undefined
  beforeAll(async () => {
    reader = await visit(dashboard.browser, {
      storageState: await dashboard.owner.context.storageState(),
    })
  })
  afterAll(async () => {
    await reader?.context.close()
  })
  const there = (): Visit => {
    if (reader === undefined) throw new Error('the reader is there in tests alone')
    return reader
  }
  const pay = async () => {
    const [payer, recipient] = dashboard.florin.info.wallets
    const client = openClient(dashboard.florin.baseUrl, dashboard.florin.info.apiKeys.enterprise)
    const order = { walletAddress: payer?.address, recipientAddress: recipient?.address }
    const { body } = await client.post('/payment/send', { ...order, amount: '0.5' })
    return String(body['paymentId'])
  }
  const note = (page: Page) => page.getByText('It could not be read anew since then').first()

  test('stays, is said to be of when it was read, and goes on: lists by events, by polling, and what is on a page of its own', async () => {
    const { page, complaints } = there()
    const paymentId = await pay()
    for (const [path, heading, caption] of [
      // By events.
      ['/payments', 'Payments', 'Payments'],
      ['/wallets', 'Wallets', 'Wallets'],
      // By polling.
      ['/trading', 'Trading', 'Holdings'],
      ['/usage', 'Usage and plan', 'Use by key'],
      ['/', 'Overview', 'Confirmed volume by asset'],
    ] as const) {
      await dashboard.open(page, path, heading)
      await page.getByText('Live', { exact: true }).waitFor()
      const table = page.getByRole('table', { name: caption })
      await table.waitFor()
      await page.waitForLoadState('networkidle')
      const rows = await table.getByRole('row').count()
      await page.route(READS, fail)
      await pay()
      await note(page).waitFor()
      expect([path, await table.getByRole('row').count()]).toEqual([path, rows])
      for (const size of [NARROW, WIDE]) {
        await page.setViewportSize(size)
        // A chart takes its new width a moment later.
        await until(`${path} fits`, async () => (await sidewaysPixels(page)) === 0, WAIT)
        expect([path, await barriers(page)]).toEqual([path, []])
      }
      await page.unroute(READS)
      // No event comes any more: what could not be read is tried again by itself.
      await note(page).waitFor({ state: 'detached' })
    }

    await dashboard.open(page, `/payments/${paymentId}`, 'Payment')
    const story = page.getByRole('list', { name: /What happened/ })
    await story.waitFor()
    await page.route(READS, fail)
    await pay()
    await note(page).waitFor()
    expect(await story.count()).toBe(1)
    await page.unroute(READS)
    await note(page).waitFor({ state: 'detached' })
    expect(complaints).toEqual([])
  })
})

const READS = /\/api\/(?!session)/

async function fail(route: Route): Promise<void> {
  if (route.request().method() !== 'GET') return route.continue()
  const error = { code: 'NETWORK_ERROR', message: 'It cannot be asked now.', requestId: 'req_1' }
  return route.fulfill({ status: 503, json: { success: false, error } })
}

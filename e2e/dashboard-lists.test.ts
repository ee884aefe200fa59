import { FURTHER_PAGES_MAX } from '@florin/dashboard/src/api/loaded-pages.ts'
import { until } from '@florin/server/kernel/until.ts'
import type { Page, Request, WebSocketRoute } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { barriers, visit } from './actors/browser.ts'
import { openClient } from './actors/client.ts'
import { NO_CHROMIUM, startDashboard } from './actors/dashboard.ts'

const WAIT = { seconds: 60 }
const PAGES = 8
const PAGE_SIZE = 50
const ADDRESS = `0x${'0123456789'.repeat(4)}`

describe.skipIf(NO_CHROMIUM)('what is long (skipped without a Chromium in PATH)', () => {
  const dashboard = startDashboard()

  test('a list while payments flow is refreshed by a few requests, and neither moves, loses nor doubles what is read', async () => {
    const { page, context } = await visit(dashboard.browser, {
      storageState: await dashboard.owner.context.storageState(),
    })
    await page.addInitScript(COUNT_ROWS_DRAWN)
    const story = await playPayments(page)
    await dashboard.open(page, '/payments', 'Payments')
    await page.getByText('Live', { exact: true }).waitFor()
    for (let count = 1; count < PAGES; count += 1) {
      await page.getByRole('button', { name: 'Show more' }).click()
      await until(
        'one page more is shown',
        async () => (await shownIds(page)).length === (count + 1) * PAGE_SIZE,
        WAIT,
      )
    }
    const read = row(page, idOf(1_719))
    await read.scrollIntoViewIfNeeded()
    const before = await read.boundingBox()

    story.asked.length = 0
    await page.evaluate('globalThis.timesSaid = 0')
    story.comesIn(3)
    story.becomes(idOf(1_719), 'settled')
    story.tell('payment', idOf(1_719), 'settled')
    story.tell('payment', idOf(2_002), 'pending')
    await read.getByText('settled').waitFor()
    await row(page, idOf(2_002)).waitFor({ state: 'attached' })
    await page.waitForLoadState('networkidle')
    expect(story.asked.length).toBeLessThanOrEqual(1 + FURTHER_PAGES_MAX)
    // Three rows that came in, one that changed.
    expect(await page.evaluate<number>('globalThis.timesSaid')).toBe(4)
    expect(await shownIds(page)).toEqual(story.ids.slice(0, PAGES * PAGE_SIZE + 3))
    expect((await read.boundingBox())?.y).toBe(before?.y)
    // Some hundred times are shown, by one clock; what is read again by and by has its own.
    expect(await page.evaluate<number>('globalThis.clocksMade')).toBeLessThan(10)

    // More than a page at once: what lies between is read by and by.
    story.asked.length = 0
    story.comesIn(120)
    story.tell('payment', idOf(2_122), 'pending')
    await until(
      'all of them are shown',
      async () => (await shownIds(page)).length === PAGES * PAGE_SIZE + 123,
      WAIT,
    )
    expect(await shownIds(page)).toEqual(story.ids.slice(0, PAGES * PAGE_SIZE + 123))
    expect(story.asked.length).toBeLessThanOrEqual(4 * (1 + FURTHER_PAGES_MAX))
    expect((await read.boundingBox())?.y).toBe(before?.y)
    await context.close()
  })

  test('for a payment’s deliveries so many webhooks are looked through, and more when asked', async () => {
    const { page } = dashboard.owner
    const [payer, recipient] = dashboard.florin.info.wallets
    const client = openClient(dashboard.florin.baseUrl, dashboard.florin.info.apiKeys.enterprise)
    const order = { walletAddress: payer?.address, recipientAddress: recipient?.address }
    const { body } = await client.post('/payment/send', { ...order, amount: '0.5' })
    const paymentId = String(body['paymentId'])
    const webhooks = Array.from({ length: 12 }, (_, number) => ({
      webhookId: `wh_${number}`,
      url: `https://shop.example/${number}`,
      types: number === 0 ? ['webhook'] : [],
    }))
    let asked = 0
    await page.route(/api\/webhooks$/, (route) => route.fulfill({ json: { webhooks } }))
    await page.route(/api\/webhooks\/wh_\d+\/deliveries/, async (route) => {
      asked += 1
      const { pathname, searchParams } = new URL(route.request().url())
      const isOfPayment = searchParams.get('paymentId') === paymentId
      const deliveries = isOfPayment && pathname.includes('wh_11') ? [delivery(paymentId)] : []
      // Of one it looked through as many as it does.
      const nextCursor = pathname.includes('wh_1/') ? 'dlv_1.1' : null
      await route.fulfill({ json: { deliveries, nextCursor } })
    })
    await dashboard.open(page, `/payments/${paymentId}`, 'Payment')
    await page.getByText('6 more webhooks were not looked through.').waitFor()
    expect(asked).toBe(5)
    await page.getByText('among the last 10,000 deliveries of the first 5 webhooks.').waitFor()
    await page.getByRole('button', { name: 'Look through 5 more' }).click()
    await page.getByText('1 more webhook was not looked through.').waitFor()
    await page.getByRole('button', { name: 'Look through 1 more' }).click()
    await page.getByRole('link', { name: 'https://shop.example/11' }).waitFor()
    expect(await page.getByText('not looked through').count()).toBe(0)
    expect(await barriers(page)).toEqual([])
    await page.unroute(/api\/webhooks$/)
    await page.unroute(/api\/webhooks\/wh_\d+\/deliveries/)
  })
})

/** Each row says its time whenever it is drawn, and nothing else of the page does; the clock of the times themselves stands still. */
const COUNT_ROWS_DRAWN = `{
  const say = Date.prototype.toISOString
  Date.prototype.toISOString = function () {
    globalThis.timesSaid += 1
    return say.call(this)
  }
  const every = globalThis.setInterval
  globalThis.clocksMade = 0
  globalThis.setInterval = (...given) => {
    if (given[1] !== 10000) return every(...given)
    globalThis.clocksMade += 1
    return 0
  }
}`

const delivery = (paymentId: string) => ({
  ...{ deliveryId: 'del_1', eventId: 'evt_1', type: 'payment', status: 'waiting', log: [] },
  ...{ redeliveryOf: null, attempts: 0, nextAttemptAt: null, createdAt: 1, endedAt: null },
  event: { data: { paymentId, status: 'confirmed' } },
})

const idOf = (number: number) => `pay_${String(number).padStart(21, '0')}`
const row = (page: Page, id: string) =>
  page.getByRole('row').filter({ has: page.locator(`a[href$="/payments/${id}"]`) })
const shownIds = async (page: Page) => {
  const links = page.getByRole('table').locator('a[href*="/payments/pay_"]')
  const paths = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
  return paths.map((path) => path.slice(path.lastIndexOf('/') + 1))
}

/** A list that this test tells, and the socket that tells of it. */
async function playPayments(page: Page) {
  const payments = Array.from({ length: 700 }, (_, index) => payment(1_999 - index))
  const asked: Request[] = []
  let socket: WebSocketRoute | undefined
  let told = 0
  await page.route(/api\/payments(\?|$)/, async (route) => {
    asked.push(route.request())
    const cursor = new URL(route.request().url()).searchParams.get('cursor')
    const from = cursor === null ? 0 : payments.findIndex((each) => each.paymentId === cursor) + 1
    const shown = payments.slice(from, from + PAGE_SIZE)
    const nextCursor = shown.at(-1)?.paymentId ?? null
    await route.fulfill({
      json: { payments: shown, hasMore: nextCursor !== null, nextCursor, lookedBackTo: null },
    })
  })
  await page.routeWebSocket(/\/api\/data/, (opened) => {
    opened.connectToServer()
    socket = opened
  })
  return {
    asked,
    get ids() {
      return payments.map(({ paymentId }) => paymentId)
    },
    comesIn: (count: number) => {
      for (let each = 0; each < count; each += 1) {
        const newest = payments[0]?.createdAt ?? 0
        payments.unshift(payment(newest / 1_000 + 1))
      }
    },
    becomes: (id: string, status: string) => {
      for (const each of payments) if (each.paymentId === id) each.status = status
    },
    tell: (type: string, paymentId: string, status: string) => {
      told += 1
      const event = { id: `evt_${told}`, type, channel: 'payments', sequence: 9_000 + told }
      const data = { paymentId, status }
      socket?.send(JSON.stringify({ ...event, data, timestamp: told }))
    },
  }
}

function payment(number: number) {
  return {
    paymentId: idOf(number),
    type: 'sent',
    status: 'confirmed',
    network: 'eip155:84532',
    asset: 'native',
    amount: 1,
    amountBaseUnits: '1000000000000000000',
    sender: ADDRESS,
    recipient: ADDRESS,
    createdAt: number * 1_000,
  }
}

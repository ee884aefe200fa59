import type { Browser, Page, WebSocketRoute } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  barriers,
  chromiumPath,
  openDashboard,
  sidewaysPixels,
  startBrowser,
  visit,
} from './actors/browser.ts'
import type { Visit } from './actors/browser.ts'
import { startFlorin } from './actors/florin.ts'
import type { FlorinHandle } from './actors/florin.ts'

const MISSING = chromiumPath() === undefined
const START_MILLISECONDS = 300_000

describe.skipIf(MISSING)('a page whose service is away (skipped without a Chromium)', () => {
  let florin: FlorinHandle
  let browser: Browser
  beforeAll(async () => {
    ;[florin, browser] = await Promise.all([startFlorin(), startBrowser()])
  }, START_MILLISECONDS)
  afterAll(async () => {
    await browser?.close()
    await florin?.discard()
  })

  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })
  const follow = async ({ page }: Visit, name: string) => {
    await page.getByRole('link', { name, exact: true }).click()
    await heading(page, name).waitFor()
  }

  test('without any network asks and pays all the same, as the service may be on this machine', async () => {
    const visitor = await openDashboard(florin, browser)
    const { context, page } = visitor
    await page.evaluate(`window.dispatchEvent(new Event('offline'))`)
    await follow(visitor, 'Wallets')
    await page.getByRole('table', { name: 'Wallets' }).waitFor()
    await follow(visitor, 'Overview')
    await page.goto(`${florin.baseUrl}/dashboard/first-payment`)
    await page.getByRole('button', { name: 'Send payment' }).waitFor()
    await page.evaluate(`window.dispatchEvent(new Event('offline'))`)
    await page.getByRole('button', { name: 'Send payment' }).click()
    const story = page.getByRole('list', { name: 'What happened to the payment' })
    await story.getByText('Sent to the network').waitFor()
    await context.close()
  })

  test('stays in the dashboard, also where the code of the next page does not arrive, and goes on', async () => {
    const visitor = await openDashboard(florin, browser)
    const { context, page } = visitor
    await context.route('**/*', (route) => route.abort('connectionrefused'))
    await page.getByRole('link', { name: 'Wallets', exact: true }).click()
    await page.getByRole('alert').getByText('NO_ANSWER').waitFor()
    expect(await page.getByRole('link', { name: 'Overview', exact: true }).count()).toBe(1)
    await context.unroute('**/*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await heading(page, 'Wallets').waitFor()
    await page.getByRole('table', { name: 'Wallets' }).waitFor()
    await context.close()
  })

  test('says so, also on a narrow screen, and reads again what could not be read', async () => {
    const { context, page } = await visit(browser, NARROW)
    const sockets: WebSocketRoute[] = []
    await context.routeWebSocket(/api\/data/, (socket) => {
      socket.connectToServer()
      sockets.push(socket)
    })
    await page.goto(florin.info.dashboardUrl)
    await heading(page, 'Overview').waitFor()
    await page.goto(`${florin.baseUrl}/dashboard/payments`)
    await page.getByRole('table').waitFor()
    const notice = page.getByText('No connection to the service since')
    await context.route('**/*', (route) => route.abort('connectionrefused'))
    for (const socket of sockets) await socket.close()
    await page.getByLabel('Type').selectOption('sent')
    await notice.waitFor()
    await page.getByRole('alert').getByText('NO_ANSWER').waitFor()
    expect(await sidewaysPixels(page)).toBe(0)
    expect(await barriers(page)).toEqual([])
    await context.unroute('**/*')
    await notice.waitFor({ state: 'detached' })
    await page.getByRole('alert').waitFor({ state: 'detached' })
    await context.close()
  })
})

const NARROW = { viewport: { width: 390, height: 844 } }

import type { Page, WebSocketRoute } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { barriers, openDashboard, sidewaysPixels, visit } from './actors/browser.ts'
import type { Visit } from './actors/browser.ts'
import { NO_CHROMIUM, startDashboard } from './actors/dashboard.ts'

describe.skipIf(NO_CHROMIUM)('a page whose service is away (skipped without a Chromium)', () => {
  const dashboard = startDashboard()

  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })
  const follow = async ({ page }: Visit, name: string) => {
    await page.getByRole('link', { name, exact: true }).click()
    await heading(page, name).waitFor()
  }

  test('without any network asks and pays all the same, as the service may be on this machine', async () => {
    const visitor = await openDashboard(dashboard.florin, dashboard.browser)
    const { context, page } = visitor
    await page.evaluate(`window.dispatchEvent(new Event('offline'))`)
    await follow(visitor, 'Wallets')
    await page.getByRole('table', { name: 'Wallets' }).waitFor()
    await follow(visitor, 'Overview')
    await page.goto(`${dashboard.florin.baseUrl}/dashboard/first-payment`)
    await page.getByRole('button', { name: 'Send payment' }).waitFor()
    await page.evaluate(`window.dispatchEvent(new Event('offline'))`)
    await page.getByRole('button', { name: 'Send payment' }).click()
    const story = page.getByRole('list', { name: 'What happened to the payment' })
    await story.getByText('Sent to the network').waitFor()
    await context.close()
  })

  test('stays in the dashboard, also where the code of the next page does not arrive, and goes on', async () => {
    const visitor = await openDashboard(dashboard.florin, dashboard.browser)
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
    const { context, page } = await visit(dashboard.browser, NARROW)
    const sockets: WebSocketRoute[] = []
    await context.routeWebSocket(/api\/data/, (socket) => {
      socket.connectToServer()
      sockets.push(socket)
    })
    await page.goto(dashboard.florin.info.dashboardUrl)
    await heading(page, 'Overview').waitFor()
    await page.goto(`${dashboard.florin.baseUrl}/dashboard/payments`)
    await page.getByRole('table').waitFor()
    const notice = page.getByText('No connection to the service since')
    await context.route('**/*', (route) => route.abort('connectionrefused'))
    for (const socket of sockets) await socket.close()
    await page.getByRole('button', { name: 'Filters' }).click()
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

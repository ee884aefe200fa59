import { until } from '@florin/server/kernel/until.ts'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { barriers, openPage, sidewaysPixels, visit } from './actors/browser.ts'
import { NO_CHROMIUM, startDashboard } from './actors/dashboard.ts'

const WAIT = { seconds: 90 }
const NARROW = { viewport: { width: 375, height: 812 }, colorScheme: 'dark' as const }

describe.skipIf(NO_CHROMIUM)('the Trading page (skipped without a Chromium in PATH)', () => {
  const dashboard = startDashboard()

  const open = async (page: Page) => {
    await until(
      'the market was seen',
      async () => {
        await page.goto(`${dashboard.florin.baseUrl}/dashboard/trading`)
        await page.getByRole('heading', { level: 1, name: 'Trading' }).waitFor()
        await until(
          'it is read',
          async () =>
            (await page.getByRole('table', { name: 'Tokens' }).count()) > 0 ||
            (await page.getByText('No market was seen yet').count()) > 0,
          WAIT,
        )
        return (await page.getByRole('button', { name: 'FERN', exact: true }).count()) > 0
      },
      WAIT,
    )
    await page.getByRole('button', { name: 'FERN', exact: true }).click()
    await page.getByRole('heading', { name: 'Trade FERN' }).waitFor()
  }

  test('a token is bought and sold, and holdings, candles, live trades and history show it', async () => {
    const { page, complaints } = dashboard.owner
    await open(page)
    await page.getByLabel('Amount in ETH').fill('0.25')
    await page.getByTestId('quote').getByText('uniswap-v2').waitFor()
    await page.getByRole('button', { name: 'Buy FERN' }).click()

    const trades = page.getByRole('table', { name: 'Trades of this wallet' })
    await trades.getByText('Bought FERN').waitFor()
    await page.getByRole('table', { name: 'Live trades' }).getByText('buy').waitFor()
    await page.getByRole('table', { name: 'Holdings' }).getByText('FERN').waitFor()
    await until(
      'the candle is drawn',
      async () => (await page.getByText(/candles? of 1m/).count()) > 0,
      WAIT,
    )

    await page.getByRole('button', { name: 'Sell', exact: true }).click()
    await page.getByLabel('Amount in FERN').fill('50%')
    await page.getByRole('button', { name: 'Sell FERN' }).click()
    await trades.getByText('Sold FERN').waitFor()
    await page.getByRole('table', { name: 'Live trades' }).getByText('sell').waitFor()
    expect(complaints).toEqual([])
    expect(await barriers(page)).toEqual([])
  })

  test('a trade leads to its payment, which says that it paid for one, and leads back', async () => {
    const { page } = dashboard.owner
    await dashboard.open(page, '/payments', 'Payments')
    const paid = page.getByRole('row').filter({ hasText: 'Sent for a trade' })
    await paid.getByRole('link').first().click()
    const trade = page.getByRole('region', { name: 'Trade', exact: true })
    await trade.getByText(/^trd_/).waitFor()
    await trade.getByText('uniswap-v2').waitFor()
    await page.getByText('Sent for a trade').waitFor()
    expect(await barriers(page)).toEqual([])
    await trade.getByRole('link', { name: 'FERN' }).click()
    await page.getByRole('heading', { name: 'Trade FERN' }).waitFor()
    await page
      .getByRole('table', { name: 'Trades of this wallet' })
      .getByRole('link', { name: 'Bought FERN' })
      .click()
    await page.getByRole('heading', { level: 1, name: 'Payment', exact: true }).waitFor()
    await trade.getByText(/^trd_/).waitFor()
  })

  test('what cannot be had is said at the form, and nothing is sent', async () => {
    const { page } = dashboard.owner
    await open(page)
    const sales = page.getByText('Sold FERN')
    // The history is read after the page is there, and has the sale of before.
    await sales.first().waitFor()
    const sold = await sales.count()
    await page.getByRole('button', { name: 'Sell', exact: true }).click()
    await page.getByLabel('Amount in FERN').fill('999999')
    await page.getByRole('button', { name: 'Sell FERN' }).click()
    await page.getByRole('alert').first().waitFor()
    expect(await sales.count()).toBe(sold)
  })

  test('it fits a narrow screen in the dark', async () => {
    const narrow = await visit(dashboard.browser, NARROW)
    const { page, context, complaints } = narrow
    await openPage(narrow, dashboard.florin.info.dashboardUrl, 'Overview')
    await open(page)
    await page.getByTestId('quote').waitFor()
    expect(await sidewaysPixels(page)).toBe(0)
    expect(await barriers(page)).toEqual([])
    expect(complaints).toEqual([])
    await context.close()
  })
})

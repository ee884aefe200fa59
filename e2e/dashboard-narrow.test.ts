import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { barriers, sidewaysPixels, visit } from './actors/browser.ts'
import { openClient } from './actors/client.ts'
import { NO_CHROMIUM, startDashboard } from './actors/dashboard.ts'

const NARROW = { viewport: { width: 390, height: 844 } }
/** A row's card as it was, a line for each column, was 150 and more. */
const CARD_PIXELS_MAX = 140

describe.skipIf(NO_CHROMIUM)('lists on a narrow screen (skipped without a Chromium)', () => {
  const dashboard = startDashboard()
  let page: Page
  beforeAll(async () => {
    const { owner, browser } = dashboard
    const storageState = await owner.context.storageState()
    page = (await visit(browser, { ...NARROW, storageState })).page
  })

  test('have their filters behind one button, which says how many are set and stays as it was left', async () => {
    const { florin } = dashboard
    const [payer, recipient] = florin.info.wallets
    const sent = await openClient(florin.baseUrl, florin.info.apiKeys.enterprise).post(
      '/payment/send',
      { walletAddress: payer?.address, recipientAddress: recipient?.address, amount: '0.5' },
    )
    expect(sent.status).toBe(200)
    const type = page.getByLabel('Type')
    await dashboard.open(page, '/payments', 'Payments')
    const button = page.getByRole('button', { name: 'Filters', exact: true })
    expect(await button.getAttribute('aria-expanded')).toBe('false')
    expect(await type.isVisible()).toBe(false)
    await page.getByRole('table').waitFor()
    const { y = Infinity } = (await page.getByRole('table').boundingBox()) ?? {}
    expect(y).toBeLessThan(NARROW.viewport.height / 2)
    await button.press('Enter')
    expect(await button.getAttribute('aria-expanded')).toBe('true')
    await type.selectOption('sent')
    await page.getByLabel('Asset').selectOption('ETH')
    const set = page.getByRole('button', { name: 'Filters (2 set)' })
    await set.waitFor()
    expect(await type.isVisible()).toBe(true)
    expect(await barriers(page)).toEqual([])
    await page.getByRole('table').getByRole('link').first().click()
    await page.getByRole('heading', { level: 1, name: 'Payment', exact: true }).waitFor()
    await page.goBack()
    await set.waitFor()
    expect(await type.inputValue()).toBe('sent')
    await set.press('Enter')
    expect(await type.isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Clear filters' }).press('Enter')
    await button.waitFor()
    // Not nowhere: that is where a keyboard would begin at the top.
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Filters')

    await dashboard.open(page, '/audit-log?action=session.', 'Audit log')
    await page.getByRole('button', { name: 'Filters (1 set)' }).press('Enter')
    expect(await page.getByLabel('What').inputValue()).toBe('session.')
    expect(await barriers(page)).toEqual([])
  })

  test('of wallets, keys, tokens, accounts and changes have small cards, whose values say what they are', async () => {
    for (const [path, heading, caption, says] of [
      ['/wallets', 'Wallets', 'Wallets', /nothing to spend|USDC/],
      ['/keys', 'API keys', 'API keys', /plan standard/],
      ['/usage', 'Usage and plan', 'Use by key', /of 100 this minute/],
      ['/accounts', 'Accounts', 'Accounts', /\d members?, \d keys?, \d wallets?/],
      ['/audit-log', 'Audit log', 'Audit log', /in acct_/],
      ['/trading', 'Trading', 'Tokens', /volume /],
      ['/settings', 'Settings', 'Members', /seen/],
      ['/settings?tab=Sign-in', 'Settings', 'Sessions', /from .*, signed in by/],
      ['/x402', 'x402', 'Supported kinds', /x402 v2.*fees by/s],
      ['/system', 'System', 'Fee payers', /\d under way/],
      [
        `/wallets/${dashboard.florin.info.wallets[0]?.address}`,
        'sandbox 1',
        'Balances',
        /to spend/,
      ],
    ] as const) {
      await dashboard.open(page, path, heading)
      const rows = page.getByRole('table', { name: caption }).locator('tbody').getByRole('row')
      await rows.filter({ hasText: says }).first().waitFor()
      const heights = await Promise.all(
        (await rows.all()).map(async (row) => (await row.boundingBox())?.height ?? Infinity),
      )
      // A name that is long in the fonts of this machine takes a line more.
      expect([path, Math.min(...heights) <= CARD_PIXELS_MAX]).toEqual([path, true])
      expect([path, await sidewaysPixels(page)]).toEqual([path, 0])
      expect([path, await barriers(page)]).toEqual([path, []])
    }
  })

  test('of a tablet need no scrolling to the side for what is pressed in them', async () => {
    const storageState = await dashboard.owner.context.storageState()
    const { context, page: middling } = await visit(dashboard.browser, {
      viewport: { width: 768, height: 1024 },
      storageState,
    })
    for (const [path, heading, caption] of [
      ['/payments', 'Payments', 'Payments'],
      ['/wallets', 'Wallets', 'Wallets'],
      ['/keys', 'API keys', 'API keys'],
      ['/accounts', 'Accounts', 'Accounts'],
      ['/audit-log', 'Audit log', 'Audit log'],
      [`/wallets/${dashboard.florin.info.wallets[0]?.address}`, 'sandbox 1', 'Balances'],
      ['/settings?tab=Sign-in', 'Settings', 'Sessions'],
      ['/x402', 'x402', 'Supported kinds'],
      ['/system', 'System', 'Fee payers'],
    ] as const) {
      await dashboard.open(middling, path, heading)
      const table = middling.getByRole('table', { name: caption })
      await table.waitFor()
      const over = await table.evaluate(({ parentElement }) =>
        parentElement === null ? Infinity : parentElement.scrollWidth - parentElement.clientWidth,
      )
      expect([path, over]).toEqual([path, 0])
      expect([path, await sidewaysPixels(middling)]).toEqual([path, 0])
    }
    await context.close()
  })
})

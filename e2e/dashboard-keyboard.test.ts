import { PAGES } from '@florin/dashboard/src/app/pages.ts'
import { until } from '@florin/server/kernel/until.ts'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { barriers, sidewaysPixels, visit } from './actors/browser.ts'
import { openClient } from './actors/client.ts'
import { NO_CHROMIUM, startDashboard } from './actors/dashboard.ts'

const WAIT = { seconds: 60 }
/** A page has fewer; whoever goes round for ever is stopped. */
const STOPS_MAX = 90

describe.skipIf(NO_CHROMIUM)('by keyboard alone (skipped without a Chromium in PATH)', () => {
  const dashboard = startDashboard()

  const open = async (page: Page, path: string) => {
    await page.goto(`${dashboard.florin.baseUrl}/dashboard${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await until(
      'nothing is on its way',
      async () => (await page.locator('.animate-pulse').count()) === 0,
      WAIT,
    )
  }
  const focused = (page: Page) => page.evaluate<Stop | null>(FOCUSED)
  const named = (name: string) => expect.objectContaining({ name })

  test('every stop of every page has a name, is in sight and shows that it has the focus', async () => {
    const { page } = dashboard.owner
    for (const { path } of PAGES.filter((row) => !row.path.includes('$'))) {
      await open(page, path)
      const stops: Stop[] = []
      for (let count = 0; count < STOPS_MAX; count += 1) {
        await page.keyboard.press('Tab')
        const stop = await focused(page)
        if (stop === null) break
        stops.push(stop)
      }
      expect([path, stops[0]?.name]).toEqual([path, 'Skip to the page'])
      const poor = stops.filter((stop) => stop.name === '' || !stop.isInSight || !stop.isMarked)
      expect([path, poor]).toEqual([path, []])
    }
  })

  test('a dialog keeps the focus, closes with Escape, and gives it back', async () => {
    const { page } = dashboard.owner
    await open(page, '/keys')
    await page.getByRole('button', { name: 'Generate key' }).focus()
    await page.keyboard.press('Enter')
    expect(await focused(page)).toMatchObject({ name: 'Name', isInDialog: true })
    for (let count = 0; count < 20; count += 1) {
      await page.keyboard.press('Tab')
      // Between the last stop and the first one lies the window of the browser.
      expect((await focused(page))?.isInDialog ?? true).toBe(true)
    }
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await focused(page)).toEqual(named('Generate key'))
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Cancel' }).press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await focused(page)).toEqual(named('Generate key'))
  })

  test('a link leads to the heading of its page, and the next stop is in the page', async () => {
    const { page } = dashboard.owner
    await open(page, '/')
    await page.getByRole('link', { name: 'Webhooks', exact: true }).press('Enter')
    await until('it is there', async () => (await focused(page))?.name === 'Webhooks', WAIT)
    expect(await focused(page)).toMatchObject({ tag: 'h1' })
    await page.keyboard.press('Tab')
    expect(await focused(page)).toEqual(named('Create webhook'))
  })

  test('whoever deletes a row goes on at the next one, and at the heading where none is left', async () => {
    const { page } = dashboard.owner
    const client = openClient(dashboard.florin.baseUrl, dashboard.florin.info.apiKeys.enterprise)
    for (const name of ['First', 'Second', 'Third']) {
      expect((await client.post('/keys', { name, scopes: ['read'] })).status).toBe(200)
    }
    await open(page, '/keys')
    const remove = async (name: string) => {
      await page.getByRole('button', { name: `Delete key ${name}` }).press('Enter')
      await page.getByRole('button', { name: 'Delete key', exact: true }).press('Enter')
      await page.getByRole('row').filter({ hasText: name }).waitFor({ state: 'detached' })
    }
    await remove('Second')
    expect(await focused(page)).toEqual(named('Delete key Third'))
    await remove('Third')
    expect(await focused(page)).toEqual(named('Delete key First'))
    await page.route(/api\/keys$/, async (route) => {
      const response = await route.fetch()
      const { keys, ...rest } = (await response.json()) as { keys: { name: string }[] }
      await route.fulfill({ json: { ...rest, keys: keys.filter(({ name }) => name === 'First') } })
    })
    await open(page, '/keys')
    await remove('First')
    await page.getByText('No keys yet').waitFor()
    expect(await focused(page)).toEqual(named('API keys'))
    await page.unroute(/api\/keys$/)
  })

  test('a key can be found by the id that an audit entry names it by', async () => {
    const { page } = dashboard.owner
    const client = openClient(dashboard.florin.baseUrl, dashboard.florin.info.apiKeys.enterprise)
    const { body } = await client.post('/keys', { name: 'Till', scopes: ['read'] })
    const keyId = String(body['keyId'])
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 900 })
      await open(page, '/keys')
      const row = page.getByRole('row').filter({ hasText: 'Till' })
      expect(await row.getByTitle(keyId).isVisible()).toBe(true)
      await row.getByRole('button', { name: 'Copy id of key Till' }).press('Enter')
      const copied = () => page.evaluate('navigator.clipboard.readText()')
      await until('it is copied', async () => (await copied()) === keyId, WAIT)
      expect([width, await sidewaysPixels(page)]).toEqual([width, 0])
      expect([width, await barriers(page)]).toEqual([width, []])
    }
    await page.setViewportSize({ width: 1440, height: 900 })
  })

  test('whoever deletes a passkey goes on at the next one, too', async () => {
    const { page } = dashboard.owner
    const passkeys = ['Laptop', 'Phone', 'Key ring'].map((name) => ({
      ...{ passkeyId: `psk_${name}`, name, createdAt: 1, lastUsedAt: null },
    }))
    await page.route(/api\/me\/passkeys$/, (route) => route.fulfill({ json: { passkeys } }))
    await page.route(/api\/me\/passkeys\/psk_/, async (route) => {
      const name = decodeURIComponent(route.request().url()).split('psk_')[1]
      const place = passkeys.findIndex((each) => each.name === name)
      await route.fulfill({ json: { success: true, ...passkeys.splice(place, 1)[0] } })
    })
    await open(page, '/settings?tab=Sign-in')
    const remove = async (name: string) => {
      const button = page.getByRole('button', { name: `Delete passkey ${name}` })
      await button.press('Enter')
      await page.getByRole('button', { name: 'Delete passkey', exact: true }).press('Enter')
      await button.waitFor({ state: 'detached' })
    }
    await remove('Phone')
    expect(await focused(page)).toEqual(named('Delete passkey Key ring'))
    await remove('Key ring')
    expect(await focused(page)).toEqual(named('Delete passkey Laptop'))
    await remove('Laptop')
    await page.getByText('None yet.').waitFor()
    expect(await focused(page)).toEqual(named('Settings'))
    await page.unroute(/api\/me\/passkeys$/)
    await page.unroute(/api\/me\/passkeys\/psk_/)
  })

  test('the menu of a narrow screen closes with Escape and gives the focus back', async () => {
    const { context, page } = await visit(dashboard.browser, {
      viewport: { width: 390, height: 844 },
      storageState: await dashboard.owner.context.storageState(),
    })
    await open(page, '/wallets')
    await page.getByRole('button', { name: 'Open menu' }).press('Enter')
    await page.keyboard.press('Tab')
    expect(await focused(page)).toEqual(named('Overview'))
    await page.keyboard.press('Escape')
    expect(await page.getByRole('link', { name: 'Overview' }).isVisible()).toBe(false)
    expect(await focused(page)).toEqual(named('Open menu'))
    await context.close()
  })
})

interface Stop {
  readonly tag: string
  readonly name: string
  readonly isInSight: boolean
  readonly isMarked: boolean
  readonly isInDialog: boolean
}

/** What has the focus; null: nothing of the page. A part of a date that has it is marked by the browser itself. */
const FOCUSED = `(() => {
  const element = document.activeElement
  if (element === null || element === document.body) return null
  const { outlineStyle } = getComputedStyle(element)
  const { top, bottom, width } = element.getBoundingClientRect()
  const label = element.labels?.[0]?.textContent
  return {
    tag: element.tagName.toLowerCase(),
    name: element.getAttribute('aria-label') ?? label ?? element.textContent.trim(),
    isInSight: bottom > 0 && top < innerHeight && width > 0,
    isMarked: outlineStyle !== 'none' || element.type === 'date',
    isInDialog: element.closest('dialog') !== null,
  }
})()`

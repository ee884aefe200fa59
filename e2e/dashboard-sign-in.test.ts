import { until } from '@florin/server/kernel/until.ts'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { barriers, openDashboard, sidewaysPixels } from './actors/browser.ts'
import { NO_CHROMIUM, startDashboard } from './actors/dashboard.ts'

const NARROW = { width: 390, height: 844 }
const WIDE = { width: 1280, height: 900 }
const WAIT = { seconds: 60 }

describe.skipIf(NO_CHROMIUM)('how one signs in (skipped without a Chromium in PATH)', () => {
  const dashboard = startDashboard()
  const open = (page: Page) => dashboard.open(page, '/settings?tab=Sign-in', 'Settings')

  test('a passkey is deleted once that was asked, and the last way in is called so', async () => {
    const { page } = dashboard.owner
    const passkeys = ['Laptop', 'Phone'].map((name) => ({
      ...{ passkeyId: `psk_${name}`, name, createdAt: 1, lastUsedAt: null, synced: false },
    }))
    let deleted = 0
    await page.route(/api\/me\/passkeys$/, (route) => route.fulfill({ json: { passkeys } }))
    await page.route(/api\/me\/passkeys\/psk_/, async (route) => {
      deleted += 1
      const place = passkeys.findIndex(({ passkeyId }) => route.request().url().endsWith(passkeyId))
      const [gone] = passkeys.splice(place, 1)
      await route.fulfill({ json: { passkeyId: gone?.passkeyId, deletedAt: 1 } })
    })
    await open(page)
    const dialog = page.getByRole('dialog', { name: 'Delete this passkey?' })
    const ask = (name: string) =>
      page.getByRole('button', { name: `Delete passkey ${name}` }).click()
    await ask('Phone')
    await dialog.getByText('Sessions that it opened go on').waitFor()
    expect(await dialog.getByText('only way to sign in').count()).toBe(0)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    // Else its own word of the name may still be there.
    await dialog.waitFor({ state: 'detached' })
    expect([deleted, await page.getByText('Phone', { exact: true }).count()]).toEqual([0, 1])
    await ask('Phone')
    await dialog.getByRole('button', { name: 'Delete passkey' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('Phone', { exact: true }).waitFor({ state: 'detached' })
    expect(deleted).toBe(1)

    await ask('Laptop')
    await dialog.getByText('It is your only way to sign in').waitFor()
    await dialog.getByText('only the link that').waitFor()
    for (const size of [WIDE, NARROW]) {
      await page.setViewportSize(size)
      expect(await sidewaysPixels(page)).toBe(0)
      expect(await barriers(page)).toEqual([])
    }
    await page.setViewportSize(WIDE)
    await page.unroute(/api\/me\/passkeys$/)
    await page.unroute(/api\/me\/passkeys\/psk_/)
  })

  test('a session ends once that was asked: that of another browser, and that of this page', async () => {
    const { page } = dashboard.owner
    await page.unrouteAll()
    const other = await openDashboard(dashboard.florin, dashboard.browser)
    await open(page)
    const ends = page.getByRole('button', { name: 'End session' })
    await until('both are shown', async () => (await ends.count()) === 2, WAIT)
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: /^End session of .*[^e]$/ }).click()
    await dialog.getByText('That browser is signed out within a second').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect((await other.page.request.get(`${dashboard.florin.baseUrl}/session`)).status()).toBe(200)
    await page.getByRole('button', { name: /^End session of .*[^e]$/ }).click()
    await dialog.getByRole('button', { name: 'End session' }).click()
    await until('one is left', async () => (await ends.count()) === 1, WAIT)
    await other.context.close()

    await page.getByRole('button', { name: /^End session of .*, this one$/ }).click()
    await dialog.getByText('You are signed out here at once').waitFor()
    await dialog.getByText('You have no password and no passkey').waitFor()
    for (const size of [NARROW, WIDE]) {
      await page.setViewportSize(size)
      expect(await sidewaysPixels(page)).toBe(0)
      expect(await barriers(page)).toEqual([])
    }
    await dialog.getByRole('button', { name: 'End session' }).click()
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
    expect(dashboard.owner.complaints).toEqual([])
  })
})

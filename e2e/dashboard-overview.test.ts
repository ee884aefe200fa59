import { until } from '@florin/server/kernel/until.ts'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { barriers, visit } from './actors/browser.ts'
import { openClient } from './actors/client.ts'
import { NO_CHROMIUM, startDashboard } from './actors/dashboard.ts'

const WAIT = { seconds: 60 }

describe.skipIf(NO_CHROMIUM)('the overview (skipped without a Chromium in PATH)', () => {
  const dashboard = startDashboard()

  const [pressed, released] = ['true', 'false']
  const isPressed = (page: Page, name: string) =>
    page.getByRole('button', { name, exact: true }).getAttribute('aria-pressed')

  test('of the first hour shows it by the minute, what was sent beside what it was given', async () => {
    const { page, complaints } = dashboard.owner
    const [payer, recipient] = dashboard.florin.info.wallets
    const client = openClient(dashboard.florin.baseUrl, dashboard.florin.info.apiKeys.enterprise)
    const order = { walletAddress: payer?.address, recipientAddress: recipient?.address }
    const sent = await client.post('/payment/send', { ...order, amount: 2.5, asset: 'USDC' })
    expect(sent.status).toBe(200)
    await page.reload()
    const payments = page.getByRole('region', { name: 'Payments', exact: true })
    const volume = page.getByRole('region', { name: 'Volume', exact: true })
    await volume.getByText('2.5 sent in all').waitFor()
    expect(await isPressed(page, '1 hour')).toBe(pressed)
    expect(await isPressed(page, 'Sent')).toBe(pressed)
    for (const [chart, tone] of [
      [payments, 'good'],
      [volume, 'brand'],
    ] as const) {
      // A single value is as high as the chart, and not a dot in it.
      await until(
        'a bar is drawn',
        async () => (await chart.locator('canvas').evaluate(HIGHEST, tone)) > 80,
        WAIT,
      )
    }
    // The figures of a minute, by the keys and by the pointer.
    const chart = volume.getByRole('slider')
    await chart.press('End')
    const isReached = async () =>
      (await chart.getAttribute('aria-valuetext'))?.endsWith(': Sent 2.5 USDC') ?? false
    for (let minute = 0; minute < 60 && !(await isReached()); minute += 1) {
      await chart.press('ArrowLeft')
    }
    expect(await isReached()).toBe(true)
    await chart.getByText('2.5 USDC').waitFor()
    await chart.press('Escape')
    expect(await chart.getByText(' USDC').count()).toBe(0)
    const { x = 0, y = 0, width = 0, height = 0 } = (await chart.boundingBox()) ?? {}
    await page.mouse.move(x + width / 2, y + height / 2)
    await chart.getByText(/^\d+ \w+, \d\d:\d\d to \d\d:\d\d .+$/).waitFor()
    await chart.getByText('0 USDC').waitFor()
    await page.mouse.move(0, 0)
    await page.getByRole('button', { name: 'Received', exact: true }).click()
    expect(await isPressed(page, 'Sent')).toBe(released)
    await page.getByRole('button', { name: '24 hours' }).click()
    await volume.getByText('2.5 sent in all').waitFor()
    expect(await isPressed(page, '1 hour')).toBe(released)
    expect(await barriers(page)).toEqual([])
    // A table that is wider than its place is scrolled by keyboard, too.
    const long = await client.post('/payment/send', { ...order, amount: '0.100000000000000001' })
    expect(long.status).toBe(200)
    await page.setViewportSize({ width: 660, height: 900 })
    const sums = page.getByRole('group', { name: 'Confirmed volume by asset' })
    await sums.focus()
    await page.keyboard.press('ArrowRight')
    await until('it has moved', () => sums.evaluate(({ scrollLeft }) => scrollLeft > 0), WAIT)
    expect(await barriers(page)).toEqual([])
    expect(complaints).toEqual([])
    await page.setViewportSize({ width: 1440, height: 900 })
  })

  test('has a sister in Usage whose chart stays as it is drawn while the rest is read anew', async () => {
    const { page } = dashboard.owner
    let asked = 0
    // Days that are as they were, and a key that is used.
    await page.route(/api\/usage$/, async (route) => {
      asked += 1
      const { keys, ...rest } = (await (await route.fetch()).json()) as { keys: object[] }
      const days = [{ day: '2026-01-01', requests: 7 }]
      await route.fulfill({
        json: { ...rest, days, keys: keys.map((key) => ({ ...key, used: asked })) },
      })
    })
    await dashboard.open(page, '/usage', 'Usage and plan')
    const chart = page.getByRole('slider')
    const drawn = await chart.locator('canvas').elementHandle()
    await page
      .getByText(/^2( of|,)/)
      .first()
      .waitFor()
    expect(await drawn?.evaluate((canvas) => canvas.isConnected)).toBe(true)
    await page.unroute(/api\/usage$/)
  })

  test('and Usage show the same days in UTC wherever the reader is', async () => {
    const storageState = await dashboard.owner.context.storageState()
    const days = Array.from({ length: 30 }, (_, index) => ({
      day: new Date(Date.UTC(2026, 9, 10 + index)).toISOString().slice(0, 10),
      requests: index + 1,
    }))
    const seen = async (timezoneId: string) => {
      const { context, page } = await visit(dashboard.browser, { storageState, timezoneId })
      await page.addInitScript(KEEP_TEXTS)
      await page.route(/api\/usage$/, async (route) => {
        const rest = (await (await route.fetch()).json()) as object
        await route.fulfill({ json: { ...rest, days } })
      })
      const read = async () => {
        const chart = page.getByRole('slider').first()
        await chart.locator('canvas').waitFor()
        await chart.press('End')
        await chart.press('ArrowLeft')
        const told = (await chart.getAttribute('aria-valuetext'))?.split(':')[0]
        const zone = await chart.getByText('UTC', { exact: true }).count()
        return { told, zone, axis: await page.evaluate<string[]>(TEXTS_KEPT) }
      }
      await dashboard.open(page, '/usage', 'Usage and plan')
      const usage = await read()
      expect(await barriers(page)).toEqual([])
      await dashboard.open(page, '/', 'Overview')
      await page.getByRole('button', { name: '30 days' }).click()
      await page.getByRole('slider', { name: /^Payments over time/ }).waitFor()
      await until(
        'the days are drawn',
        async () => (await read()).told?.endsWith('in UTC') ?? false,
        WAIT,
      )
      const overview = await read()
      await context.close()
      return { usage, overview: { told: overview.told, zone: overview.zone } }
    }
    const [utc, auckland, losAngeles] = [
      await seen('UTC'),
      await seen('Pacific/Auckland'),
      await seen('America/Los_Angeles'),
    ]
    expect(utc.usage.told).toBe('7 Nov in UTC')
    expect(utc.usage.zone).toBe(1)
    expect(utc.usage.axis.length).toBeGreaterThan(3)
    expect(auckland).toEqual(utc)
    expect(losAngeles).toEqual(utc)
  })
})

/** Keeps what is written on a canvas, and where: the axis of a chart is nowhere else. */
const KEEP_TEXTS = `{
  const write = CanvasRenderingContext2D.prototype.fillText
  globalThis.textsKept = new Set()
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
    globalThis.textsKept.add(text + ' at ' + Math.round(x))
    return write.call(this, text, x, y)
  }
}`
const TEXTS_KEPT = '[...globalThis.textsKept].sort()'

/** Pixels that a colour of the palette is high in a column of a canvas, at most. */
const HIGHEST = (canvas: unknown, tone: string): number => {
  if (!(canvas instanceof HTMLCanvasElement)) return 0
  const probe = document.createElement('span')
  probe.style.color = `var(--color-${tone})`
  document.body.append(probe)
  const wanted = getComputedStyle(probe).color.match(/\d+/g)?.map(Number) ?? []
  probe.remove()
  const { width, height } = canvas
  const data = canvas.getContext('2d')?.getImageData(0, 0, width, height).data ?? []
  const columns = Array.from({ length: width }, () => 0)
  for (let at = 0; at < data.length; at += 4) {
    const isTone = wanted.every((channel, index) => data[at + index] === channel)
    const column = (at / 4) % width
    if (isTone) columns[column] = (columns[column] ?? 0) + 1
  }
  return Math.max(...columns)
}

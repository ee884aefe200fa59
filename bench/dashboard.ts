import { until } from '@florin/server/kernel/until.ts'
import { chromiumPath, startBrowser, visit } from '../e2e/actors/browser.ts'
import { startFlorin } from '../e2e/actors/florin.ts'
import type { Bench } from './bench.ts'
import { median } from './figures.ts'

const LOADS = 7
const GOAL_SECONDS = 1.5
const BUILT_SECONDS_MAX = 120

/** The dashboard in a browser that has never seen it: from the address to Overview's figures and links that can be pressed. */
export const dashboard: Bench = {
  name: 'dashboard',
  about: `a cold load of Overview in a real browser, median of ${LOADS}`,
  run: async ({ note, defer }) => {
    if (chromiumPath() === undefined) {
      note('left out: there is no Chromium in PATH')
      return []
    }
    const florin = await startFlorin()
    defer(() => florin.discard())
    const browser = await startBrowser()
    defer(() => browser.close())
    const page = `${florin.baseUrl}/dashboard`
    await until('the dashboard is built', async () => (await fetch(page)).status === 200, {
      seconds: BUILT_SECONDS_MAX,
    })
    const seconds: number[] = []
    for (let count = 0; count < LOADS; count += 1) {
      // A context of its own: no cache, no session.
      const { context, page: seen } = await visit(browser)
      const began = performance.now()
      await seen.goto(florin.info.dashboardUrl, { waitUntil: 'commit' })
      await seen.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
      await seen.getByText('Success rate').first().waitFor()
      await seen.getByRole('link', { name: 'Payments', exact: true }).click({ trial: true })
      seconds.push((performance.now() - began) / 1000)
      await context.close()
    }
    const middle = median(seconds)
    return [
      {
        bench: 'dashboard',
        what: `Overview, cold, sign-in by link included, median of ${LOADS}`,
        value: `${middle.toFixed(2)} s`,
        goal: { text: `< ${GOAL_SECONDS} s`, isMet: middle < GOAL_SECONDS },
        more: { seconds },
      },
    ]
  },
}

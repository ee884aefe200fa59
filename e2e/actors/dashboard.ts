import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { chromiumPath, openDashboard, startBrowser } from './browser.ts'
import type { Visit } from './browser.ts'
import { startFlorin } from './florin.ts'
import type { FlorinHandle, FlorinOptions } from './florin.ts'

/** There is no Chromium in PATH: tests of the dashboard are skipped, and say so. */
export const NO_CHROMIUM = chromiumPath() === undefined
/** A build, a first start and a browser, one after the other on a busy machine. */
const START_MILLISECONDS = 300_000

/** What tests of the dashboard begin with; there as soon as they run. */
export interface Dashboard {
  readonly florin: FlorinHandle
  readonly browser: Browser
  /** The window of whoever runs the installation, and owns its account. */
  readonly owner: Visit
  /** Opens a page below /dashboard and waits for its heading. */
  open(page: Page, path: string, heading: string): Promise<void>
}

/** Within a `describe`: starts an installation and a browser before its tests, opens the dashboard, and ends them after. */
export function startDashboard(options?: FlorinOptions): Dashboard {
  let florin: FlorinHandle | undefined
  let browser: Browser | undefined
  let owner: Visit | undefined
  beforeAll(async () => {
    // Each by itself: what has started is ended below, also where the other did not.
    await Promise.all([
      startFlorin(options).then((started) => (florin = started)),
      startBrowser().then((started) => (browser = started)),
    ])
    owner = await openDashboard(there(florin), there(browser))
  }, START_MILLISECONDS)
  afterAll(async () => {
    await browser?.close()
    await florin?.discard()
  })
  return {
    get florin() {
      return there(florin)
    },
    get browser() {
      return there(browser)
    },
    get owner() {
      return there(owner)
    },
    open: async (page, path, heading) => {
      await page.goto(`${there(florin).baseUrl}/dashboard${path}`)
      await page.getByRole('heading', { level: 1, name: heading }).waitFor()
    },
  }
}

function there<Thing>(thing: Thing | undefined): Thing {
  if (thing === undefined) throw new Error('the dashboard is there in tests alone')
  return thing
}

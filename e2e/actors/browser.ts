import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { chromium } from 'playwright-core'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { until } from '@florin/server/kernel/until.ts'
import type { FlorinHandle } from './florin.ts'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome']
const WAIT_MILLISECONDS = 30_000
const BUILD_SECONDS = 90
const BUILD = fileURLToPath(import.meta.resolve('@florin/dashboard/build/main.ts'))
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/** Where a Chromium is, undefined when there is none in PATH: then its tests are skipped and say so. */
export function chromiumPath(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/**
 * Starts a real Chromium without a window, for a dashboard that is built: `florin up` builds it behind everything else, which on a
 * busy machine takes its time. It ends with this process.
 */
export async function startBrowser(): Promise<Browser> {
  await promisify(execFile)(process.execPath, [BUILD])
  const executablePath = chromiumPath()
  if (executablePath === undefined) throw new Error('there is no Chromium in PATH')
  const root = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  return await chromium.launch({
    executablePath,
    args: [...root, '--disable-dev-shm-usage'],
    timeout: WAIT_MILLISECONDS * 2,
  })
}

export interface Visit {
  readonly context: BrowserContext
  readonly page: Page
  /** What the browser complained about: errors of scripts, and what the page's own rules refused. */
  readonly complaints: readonly string[]
}

/** A visitor with a browser of its own: nothing is shared with others. */
export async function visit(
  browser: Browser,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options })
  context.setDefaultTimeout(WAIT_MILLISECONDS)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    // A refusal of the API is not a fault of the page.
    const isRefusal = message.text().startsWith('Failed to load resource')
    if (message.type() === 'error' && !isRefusal) complaints.push(message.text())
  })
  return { context, page, complaints }
}

/** What axe finds that keeps people out: its rules of WCAG 2 A and AA, serious and critical findings. */
export async function barriers(page: Page): Promise<readonly string[]> {
  // Handed over by the test and not by the page, whose rules would refuse it.
  await page.evaluate(await readFile(AXE, 'utf8'))
  const found = await page.evaluate<{
    violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[]
  }>(`axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] })`)
  return found.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
    )
}

/** Pixels by which the page is wider than its window; 0 unless somebody has to scroll sideways. */
export async function sidewaysPixels(page: Page): Promise<number> {
  return await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  )
}

/** Opens a page and waits for its heading. @throws with what the page shows instead, and what it complained about */
export async function openPage(
  { page, complaints }: Visit,
  url: string,
  heading: string,
): Promise<void> {
  await page.goto(url)
  const title = page.getByRole('heading', { level: 1, name: heading })
  await title.waitFor().catch(async (reason: unknown) => {
    const shown = await page
      .locator('body')
      .innerText()
      .catch(() => 'nothing')
    const { pathname } = new URL(page.url())
    throw new Error(`${pathname} shows: ${shown} (${complaints.join('; ')})`, { cause: reason })
  })
}

/** Waits until a `florin up` has its dashboard built, and opens it by the link of its start in a browser of its own. */
export async function openDashboard(
  { baseUrl, info }: Pick<FlorinHandle, 'baseUrl' | 'info'>,
  browser: Browser,
): Promise<Visit> {
  await until(
    'the dashboard is built',
    async () => (await fetch(`${baseUrl}/dashboard`)).status === 200,
    { seconds: BUILD_SECONDS },
  )
  const owner = await visit(browser)
  await openPage(owner, info.dashboardUrl, 'Overview')
  return owner
}

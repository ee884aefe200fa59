import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { barriers, chromiumPath, openDashboard, openPage, startBrowser } from './actors/browser.ts'
import type { Visit } from './actors/browser.ts'
import { openClient } from './actors/client.ts'
import { startFlorin } from './actors/florin.ts'
import type { FlorinHandle } from './actors/florin.ts'

const MISSING = chromiumPath() === undefined
const SOLANA = 'Solana Devnet (Florin sandbox)'

describe.skipIf(MISSING)('networks and lanes (skipped without a Chromium in PATH)', () => {
  let florin: FlorinHandle
  let browser: Browser
  let owner: Visit
  beforeAll(async () => {
    ;[florin, browser] = await Promise.all([startFlorin(), startBrowser()])
    owner = await openDashboard(florin, browser)
  })
  afterAll(async () => {
    await browser?.close()
    await florin?.discard()
  })

  const open = (path: string, heading: string) =>
    openPage(owner, `${florin.baseUrl}/dashboard${path}`, heading)

  test('the volume names its networks, and shows their ids on the pointer', async () => {
    const { page } = owner
    const [payer, recipient] = florin.info.wallets.filter(({ family }) => family === 'solana')
    const client = openClient(florin.baseUrl, florin.info.apiKeys.enterprise)
    const sent = await client.post('/payment/send', {
      ...{ walletAddress: payer?.address, recipientAddress: recipient?.address, amount: 1 },
      waitFor: 'confirmed',
    })
    expect(sent.status).toBe(200)
    await open('/', 'Overview')
    const volume = page.getByRole('table', { name: 'Confirmed volume by asset' })
    const network = volume.getByText(SOLANA).first()
    await network.waitFor()
    expect(await network.getAttribute('title')).toBe(florin.info.networks.solana.network)
    expect(await page.getByText('solana:').count()).toBe(0)
  })

  test('the lane of a key that has not signed yet is frozen after a question, and released without one', async () => {
    const { page } = owner
    await open('/system', 'System')
    const payers = page.getByRole('table', { name: 'Fee payers' })
    const row = payers.getByRole('row').filter({ hasText: SOLANA }).first()
    const dialog = page.getByRole('dialog')
    await row.getByText('signs', { exact: true }).waitFor()
    const freeze = row.getByRole('button', { name: 'Freeze lane' })
    await freeze.click()
    await dialog.getByText(`signs nothing new on ${SOLANA}`).waitFor()
    expect(await barriers(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('No lane is frozen').waitFor()

    await freeze.click()
    await dialog.getByRole('button', { name: 'Freeze lane' }).click()
    await row.getByText('frozen', { exact: true }).waitFor()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('table', { name: 'Frozen lanes' }).getByText(SOLANA).waitFor()
    expect(await barriers(page)).toEqual([])

    await row.getByRole('button', { name: 'Release lane' }).click()
    await row.getByText('signs', { exact: true }).waitFor()
    expect(await dialog.count()).toBe(0)
    expect(owner.complaints).toEqual([])
  })
})

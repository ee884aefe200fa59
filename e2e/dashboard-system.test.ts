import { describe, expect, test } from 'vitest'
import { barriers } from './actors/browser.ts'
import { openClient } from './actors/client.ts'
import { NO_CHROMIUM, startDashboard } from './actors/dashboard.ts'

const SOLANA = 'Solana Devnet (Florin sandbox)'

describe.skipIf(NO_CHROMIUM)('networks and lanes (skipped without a Chromium in PATH)', () => {
  const dashboard = startDashboard()

  test('the volume names its networks, and shows their ids on the pointer', async () => {
    const { page } = dashboard.owner
    const [payer, recipient] = dashboard.florin.info.wallets.filter(
      ({ family }) => family === 'solana',
    )
    const client = openClient(dashboard.florin.baseUrl, dashboard.florin.info.apiKeys.enterprise)
    const sent = await client.post('/payment/send', {
      ...{ walletAddress: payer?.address, recipientAddress: recipient?.address, amount: 1 },
      waitFor: 'confirmed',
    })
    expect(sent.status).toBe(200)
    await dashboard.open(page, '/', 'Overview')
    const volume = page.getByRole('table', { name: 'Confirmed volume by asset' })
    const network = volume.getByText(SOLANA).first()
    await network.waitFor()
    expect(await network.getAttribute('title')).toBe(dashboard.florin.info.networks.solana.network)
    expect(await page.getByText('solana:').count()).toBe(0)
  })

  test('the lane of a key that has not signed yet is frozen after a question, and released without one', async () => {
    const { page } = dashboard.owner
    await dashboard.open(page, '/system', 'System')
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
    expect(dashboard.owner.complaints).toEqual([])
  })
})

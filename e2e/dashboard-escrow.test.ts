import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { USDC_ADDRESS } from '@florin/sandbox/evm/chain-facts.ts'
import { asked, openChannel } from './actors/batch-channel.ts'
import { barriers, sidewaysPixels, visit } from './actors/browser.ts'
import { openClient } from './actors/client.ts'
import { NO_CHROMIUM, startDashboard } from './actors/dashboard.ts'

const NARROW = { viewport: { width: 375, height: 812 }, colorScheme: 'dark' as const }

describe.skipIf(NO_CHROMIUM)('calls to the escrow (skipped without a Chromium in PATH)', () => {
  const dashboard = startDashboard()

  test('appear by themselves, and go on to their end', async () => {
    const { baseUrl, info } = dashboard.florin
    const client = openClient(baseUrl, info.apiKeys.enterprise)
    const settle = async (body: ReturnType<typeof asked>) => {
      expect((await client.post('/x402/settle', body)).body).toMatchObject({ success: true })
    }
    const { page } = dashboard.owner
    await dashboard.open(page, '/x402', 'x402')
    await page.getByText('Nothing was sent to the escrow yet').waitFor()

    const payer = privateKeyToAccount(generatePrivateKey())
    const order = {
      walletAddress: info.wallets.find(({ family }) => family === 'evm')?.address,
      recipientAddress: payer.address,
      ...{ amount: '1', asset: 'USDC' },
    }
    expect((await client.post('/payment/send', order)).status).toBe(200)
    const channel = openChannel(payer, USDC_ADDRESS)
    await settle(asked(await channel.deposit('eip3009'), channel.terms()))
    await settle(asked(await channel.claim([await channel.row(3_000n)]), channel.managerTerms()))

    const rows = page.getByRole('table', { name: 'Escrow calls' }).locator('tbody').getByRole('row')
    await rows.filter({ hasText: 'Claim' }).getByText('settled').waitFor()
    const said = (await rows.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '))
    expect(said).toMatchObject([
      expect.stringMatching(/^Claim settled 0 ?\.003 USDC 0x/),
      expect.stringMatching(/^Deposit (settled|confirmed) 0 ?\.01 USDC 0x/),
    ])
    expect(await barriers(page)).toEqual([])

    await dashboard.open(page, '/events?type=escrowCall', 'Events')
    await page.getByText('A claim of vouchers is settled').waitFor()
    expect(await barriers(page)).toEqual([])

    const { context, page: narrow } = await visit(dashboard.browser, {
      ...NARROW,
      storageState: await dashboard.owner.context.storageState(),
    })
    await dashboard.open(narrow, '/x402', 'x402')
    await narrow.getByRole('heading', { name: 'Escrow calls' }).scrollIntoViewIfNeeded()
    await narrow.getByText('Deposit').waitFor()
    expect(await sidewaysPixels(narrow)).toBe(0)
    expect(await barriers(narrow)).toEqual([])
    await context.close()
  })
})

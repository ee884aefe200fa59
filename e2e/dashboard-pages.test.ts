import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import { dataPaths } from '@florin/cli/data-paths.ts'
import { testPayer } from '@florin/server/chains/evm/test-payer.ts'
import { until } from '@florin/server/kernel/until.ts'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { barriers, openPage, sidewaysPixels, visit } from './actors/browser.ts'
import { openClient } from './actors/client.ts'
import type { Client } from './actors/client.ts'
import { NO_CHROMIUM, startDashboard } from './actors/dashboard.ts'

const EVM = 'eip155:84532'
const WAIT = { seconds: 60 }
const NARROW = { viewport: { width: 375, height: 812 }, colorScheme: 'dark' as const }
const SMALLEST = '0.100000000000000001'

describe.skipIf(NO_CHROMIUM)('pages of the dashboard (skipped without a Chromium in PATH)', () => {
  const dashboard = startDashboard({ faults: true })
  let hook: Server
  let client: Client
  let payer = ''
  let recipient = ''
  beforeAll(() => {
    hook = createServer((request, response) => {
      request.resume().on('end', () => response.end('thank you'))
    }).listen(0, '127.0.0.1')
    client = openClient(dashboard.florin.baseUrl, dashboard.florin.info.apiKeys.enterprise)
    const wallets = dashboard.florin.info.wallets.filter(({ family }) => family === 'evm')
    payer = wallets[0]?.address ?? ''
    recipient = wallets[1]?.address ?? ''
  })
  afterAll(() => {
    hook?.closeAllConnections()
    hook?.close()
  })

  const pay = async (amount: string, resource: string) => {
    const order = { walletAddress: payer, recipientAddress: recipient, amount, resource }
    const { status, body } = await client.post('/payment/send', order)
    expect(status).toBe(200)
    return String(body['paymentId'])
  }
  /** A payment for a resource that its seller describes, signed elsewhere and settled here. */
  const settleListed = async (
    url: string,
    description: string,
    beforeSettling?: () => Promise<void>,
  ) => {
    const { body } = await client.get('/networks')
    const usdc = (
      body['networks'] as { network: string; assets: { symbol: string; asset: string }[] }[]
    )
      .find(({ network }) => network === EVM)
      ?.assets.find(({ symbol }) => symbol === 'USDC')
    const asset = {
      symbol: 'USDC',
      asset: usdc?.asset ?? '',
      decimals: 6,
      takesCommitment: true,
      domain: { name: 'USDC', version: '2' },
    }
    const buyer = testPayer()
    const order = {
      walletAddress: payer,
      recipientAddress: buyer.address,
      amount: '1',
      asset: 'USDC',
    }
    expect((await client.post('/payment/send', { ...order, waitFor: 'confirmed' })).status).toBe(
      200,
    )
    const amount = 10_000n
    const payload = await buyer.authorize({ asset, to: testPayer().address, amount })
    const { authorization } = payload as { authorization: { to: string } }
    const accepted = {
      ...{ scheme: 'exact', network: EVM, asset: asset.asset, amount: `${amount}` },
      ...{ payTo: authorization.to, maxTimeoutSeconds: 60, extra: asset.domain },
    }
    const info = { input: { type: 'http', method: 'GET' } }
    const extensions = { bazaar: { info, schema: { type: 'object' } } }
    const resource = { url, description }
    await beforeSettling?.()
    const settled = await client.post('/x402/settle', {
      x402Version: 2,
      paymentPayload: { x402Version: 2, accepted, payload, resource, extensions },
      paymentRequirements: accepted,
    })
    expect(settled.body).toMatchObject({ success: true })
  }
  /** A fault of the EVM chain, carried out. */
  const fault = async (kind: 'stop-blocks' | 'resume-blocks') => {
    const { faults } = dataPaths(dashboard.florin.dataDirectory)
    const { adminUrl } = JSON.parse(await readFile(faults, 'utf8')) as { adminUrl: string }
    const answer = await fetch(`${adminUrl}/faults`, {
      method: 'POST',
      body: JSON.stringify({ kind }),
    })
    expect(answer.status).toBe(200)
  }
  const rows = (page: Page) => page.getByRole('table').getByRole('row')
  /** The label of the field that has the focus. */
  const focused = (page: Page) =>
    page.evaluate(`document.activeElement?.labels?.[0]?.textContent ?? null`)

  test('payments come in by themselves, are narrowed, searched and opened', async () => {
    const { page } = dashboard.owner
    await dashboard.open(page, '/payments', 'Payments')
    await page.getByText('Live', { exact: true }).waitFor()
    const resource = 'https://shop.example/orders/7'
    const paymentId = await pay(SMALLEST, resource)
    const link = page.locator(`a[href$="/payments/${paymentId}"]`)
    await link.waitFor()
    await page.getByLabel('Type').selectOption('sent')
    await page.getByLabel('Asset').selectOption('ETH')
    await page.getByLabel('Wallet').selectOption(payer)
    await link.waitFor()
    await page.getByLabel('Asset').selectOption('USDC')
    await link.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await link.waitFor()
    for (const search of [paymentId, resource]) {
      await page.getByLabel('Search').fill(search)
      await page.getByRole('button', { name: 'Search' }).click()
      await until('one is left', async () => [2, 3].includes(await rows(page).count()), WAIT)
      await link.waitFor()
    }
    await page.getByLabel('Search').fill('what is this')
    await page.getByLabel('Search').press('Enter')
    await page.getByText('must be the id of a payment').waitFor()
    expect(await focused(page)).toBe('Search')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await link.click()
    await page.getByRole('heading', { level: 1, name: 'Payment' }).waitFor()
    const story = page.getByRole('list', { name: 'What happened to the payment' })
    await story.getByText('Confirmed on chain').waitFor()
    await page.getByText(SMALLEST.replace('0.', '.')).waitFor()
    expect(await barriers(page)).toEqual([])
    expect(dashboard.owner.complaints).toEqual([])
  })

  test('a file of what is narrowed has the amounts of the API, to the base unit', async () => {
    const { page } = dashboard.owner
    await pay(SMALLEST, 'https://shop.example/csv')
    await dashboard.open(page, `/payments?type=sent&wallet=${payer}`, 'Payments')
    await page.getByRole('table').waitFor()
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export CSV' }).click()
    const [head, ...lines] = (await readFile(await (await saved).path(), 'utf8')).split('\r\n')
    expect(head).toMatch(/^paymentId,createdAt,type,status,amount,asset,amountBaseUnits,/)
    const asked = `${dashboard.florin.baseUrl}/payments?type=sent&walletAddress=${payer}&limit=500`
    const authorization = `Bearer ${dashboard.florin.info.apiKeys.enterprise}`
    const text = await (await fetch(asked, { headers: { authorization } })).text()
    const listed = [
      ...text.matchAll(/"paymentId":"(\w+)".*?"amount":([\d.]+),"amountBaseUnits":"(\d+)"/g),
    ]
    expect(listed.length).toBeGreaterThan(0)
    const cells = lines.filter((line) => line !== '').map((line) => line.split(','))
    expect(cells.map((row) => [row[0], row[4], row[6]])).toEqual(
      listed.map(([, id, amount, base]) => [id, amount, base]),
    )
    expect(cells.some((row) => row[4] === SMALLEST)).toBe(true)
  })

  test('a wallet is made, shows where it is paid, gets a policy and is deleted', async () => {
    const { page } = dashboard.owner
    await dashboard.open(page, '/wallets', 'Wallets')
    await page.getByRole('button', { name: 'Create wallet' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Label').fill('Till')
    await dialog.getByRole('button', { name: 'Create wallet' }).click()
    await page.getByRole('heading', { level: 1, name: 'Till' }).waitFor()
    const address = /0x\w{40}/.exec(page.url())?.[0] ?? ''
    await page.getByRole('img', { name: `QR code of the address ${address}` }).waitFor()
    await page.getByRole('button', { name: 'Edit policy' }).click()
    await dialog.getByRole('group', { name: 'ETH' }).getByLabel('Per day').fill('2.5')
    await dialog.getByRole('button', { name: 'Save policy' }).click()
    const budget = page.getByRole('meter', { name: /^Budget of ETH on .* in any day$/ })
    expect(await budget.getAttribute('aria-valuetext')).toBe('0 spent, 0 held, 2.5 left of 2.5 ETH')
    const { body } = await client.get(`/wallets/${address}`)
    expect(body['policy']).toMatchObject({ limits: [{ asset: 'native', perDay: 2.5 }] })
    expect(await barriers(page)).toEqual([])
    await page.getByRole('button', { name: 'Delete wallet' }).click()
    // Decision 0014: whoever believes that it is gone would count late money as lost.
    await dialog.getByText('Its key is kept, encrypted.').waitFor()
    expect(await dialog.innerText()).not.toMatch(/destroyed|lost/)
    await dialog.getByRole('button', { name: 'Delete wallet' }).click()
    await page.getByRole('heading', { level: 1, name: 'Wallets' }).waitFor()
    expect((await client.get(`/wallets/${address}`)).status).toBe(404)
    expect(dashboard.owner.complaints).toEqual([])
  })

  test('a webhook is made, its secret shown once, its delivery seen, and it rests when told to', async () => {
    const { page } = dashboard.owner
    await dashboard.open(page, '/webhooks', 'Webhooks')
    await page.getByRole('button', { name: 'Create webhook' }).click()
    const dialog = page.getByRole('dialog')
    const place = hook.address()
    const port = typeof place === 'object' ? place?.port : 0
    await dialog.getByLabel('Address').fill(`http://127.0.0.1:${port}/hook`)
    await dialog.getByRole('button', { name: 'Create webhook' }).click()
    const secret = (await dialog.getByTestId('webhook-secret').textContent()) ?? ''
    expect(secret.length).toBeGreaterThan(20)
    await dialog.getByRole('button', { name: 'Close' }).click()
    expect(await page.content()).not.toContain(secret)
    await page.getByRole('link', { name: `:${port}/hook` }).click()
    await page.getByRole('button', { name: 'Send test event' }).click()
    const delivered = rows(page).filter({ hasText: 'delivered' }).first()
    await delivered.waitFor()
    await delivered.getByRole('button', { name: 'Show delivery' }).click()
    await dialog.getByText('thank you').waitFor()
    expect(await barriers(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Redeliver' }).click()
    await page.getByRole('button', { name: 'Pause webhook' }).click()
    await page.getByRole('button', { name: 'Resume webhook' }).waitFor()
    expect(dashboard.owner.complaints).toEqual([])
  })

  test('events come in by themselves, by type, with their JSON', async () => {
    const { page } = dashboard.owner
    await dashboard.open(page, '/events', 'Events')
    await page.getByText('Live', { exact: true }).waitFor()
    const paymentId = await pay('0.01', 'https://shop.example/events')
    await page.locator(`a[href$="/payments/${paymentId}"]`).first().waitFor()
    await page.getByRole('button', { name: 'Show JSON' }).first().click()
    await page.getByRole('dialog').getByText('"paymentId"').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'verification', exact: true }).click()
    await page.getByText('No event of type verification yet').waitFor()
  })

  test('x402 shows who pays for settlements and how much of the gas of today is taken', async () => {
    const { page } = dashboard.owner
    await dashboard.open(page, '/x402', 'x402')
    await page
      .getByRole('meter', { name: 'Gas budget of today on Base Sepolia (Florin sandbox)' })
      .waitFor()
    await page.getByText('0% of today').first().waitFor()
    await until(
      'balances were looked at',
      async () => {
        await dashboard.open(page, '/x402', 'x402')
        await page.getByRole('meter').first().waitFor()
        return (await page.getByText('not looked at yet').count()) === 0
      },
      WAIT,
    )
    expect(await page.getByText('signs nothing').count()).toBe(0)
    expect(await barriers(page)).toEqual([])
  })

  test('x402 shows what is listed, with its price, once it was paid for', async () => {
    const { page } = dashboard.owner
    await dashboard.open(page, '/x402', 'x402')
    await page.getByText('Nothing is listed yet').waitFor()
    const url = 'https://api.example.com/weather'
    await settleListed(url, 'The weather of every city')
    await dashboard.open(page, '/x402', 'x402')
    const listed = page.getByRole('table', { name: 'Catalogue' })
    await listed.getByText(url).waitFor()
    const row = listed.getByRole('row').last()
    expect((await row.innerText()).replaceAll(/\s+/g, ' ')).toMatch(
      /GET https:\/\/api\.example\.com\/weather The weather of every city 0 ?\.01 USDC 1 /,
    )
    expect(await barriers(page)).toEqual([])
    const { context, page: narrow } = await visit(dashboard.browser, {
      ...NARROW,
      storageState: await dashboard.owner.context.storageState(),
    })
    await dashboard.open(narrow, '/x402', 'x402')
    await narrow.getByText(url).waitFor()
    expect(await sidewaysPixels(narrow)).toBe(0)
    expect(await barriers(narrow)).toEqual([])
    await context.close()
  })

  test('x402 shows what waits to be settled, until a block shows it', async () => {
    const { page } = dashboard.owner
    await dashboard.open(page, '/x402', 'x402')
    await page.getByText('Nothing waits to be settled').waitFor()
    const url = 'https://api.example.com/tides'
    const settling = settleListed(url, 'The tides of today', () => fault('stop-blocks'))
    const queue = page.getByRole('table', { name: 'Settlement queue' })
    await queue.getByText('pending', { exact: false }).waitFor()
    expect(await barriers(page)).toEqual([])
    await fault('resume-blocks')
    await settling
    await queue.waitFor({ state: 'detached' })
    await page.getByText('Nothing waits to be settled').waitFor()
  })

  test('an operator changes a plan, finds the change in the audit log, and sees the settings', async () => {
    const { page } = dashboard.owner
    await dashboard.open(page, '/plans', 'Plans')
    await page.getByRole('link', { name: 'standard', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Plan standard' }).waitFor()
    await page.getByRole('button', { name: 'Edit limits' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Requests per minute').fill('121')
    await dialog.getByRole('button', { name: 'Save limits' }).click()
    await page.getByText('121 for each key').waitFor()
    await page.getByLabel('Operation').fill('noSuchOperation')
    await page.getByRole('button', { name: 'Add exception' }).click()
    await page.getByText('must be an operation').first().waitFor()
    await page.getByLabel('Operation').fill('tokenInfo')
    await page.getByLabel('In the plan').selectOption('excluded')
    await page.getByRole('button', { name: 'Add exception' }).click()
    await page.getByRole('button', { name: 'Remove exception tokenInfo' }).click()
    await page
      .getByRole('button', { name: 'Remove exception tokenInfo' })
      .waitFor({ state: 'detached' })
    expect(await barriers(page)).toEqual([])

    await dashboard.open(page, '/audit-log', 'Audit log')
    const search = page.getByRole('search')
    await search.getByLabel('What').selectOption('plan.')
    await search.getByLabel('To').fill('standard')
    await search.getByRole('button', { name: 'Search' }).click()
    await until('only plans are listed', async () => (await rows(page).count()) === 4, WAIT)
    const changes = page.getByRole('button', { name: 'Show details of plan.changed' })
    await changes.last().click()
    await dialog.getByText('"requestsPerMinute": 121').waitFor()
    expect(await barriers(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Close' }).click()
    await search.getByLabel('Account').fill('acct_nobody')
    await search.getByLabel('Account').press('Enter')
    await page.getByText('No change fits').waitFor()
    expect(await focused(page)).toBe('Account')
    await search.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByRole('table').waitFor()
    expect(await search.getByLabel('Account').inputValue()).toBe('')

    await dashboard.open(page, '/installation', 'Installation settings')
    await page.getByLabel('Search').fill('database_url')
    await until('one setting is left', async () => (await rows(page).count()) === 2, WAIT)
    expect(await rows(page).last().textContent()).toMatch(/DATABASE_URL.*set.*secret/)
    expect(await barriers(page)).toEqual([])
    expect(dashboard.owner.complaints).toEqual([])
  })

  test('a viewer is invited and sees nothing that it may not do', async () => {
    const { page } = dashboard.owner
    await dashboard.open(page, '/settings', 'Settings')
    await page.getByRole('button', { name: 'Invite member' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Email').fill('viewer@example.com')
    await dialog.getByLabel('Role').selectOption('viewer')
    await dialog.getByRole('button', { name: 'Invite member' }).click()
    const invitation = (await dialog.getByTestId('invitation').textContent()) ?? ''
    const viewer = await visit(dashboard.browser, NARROW)
    const { context, page: seen, complaints } = viewer
    await openPage(viewer, invitation, 'Overview')
    await seen.getByRole('button', { name: 'Open menu' }).click()
    expect(await seen.getByRole('link', { name: 'API keys' }).count()).toBe(0)
    const paymentId = await pay('0.01', 'https://shop.example/viewer')
    await client.post('/webhooks', { url: 'http://127.0.0.1:9/', enabled: false })
    for (const [path, heading] of [
      [`/payments/${paymentId}`, 'Payment'],
      [`/wallets/${payer}`, 'sandbox'],
      ['/wallets', 'Wallets'],
      ['/webhooks', 'Webhooks'],
      ['/settings', 'Settings'],
    ] as const) {
      await dashboard.open(seen, path, heading)
      await until('it is read', async () => (await seen.getByRole('table').count()) > 0, WAIT)
      const deeds = seen.getByRole('button', { name: /Create|Delete|Edit|Invite|Remove|Rotate/ })
      expect([path, await deeds.count()]).toEqual([path, 0])
      expect([path, await sidewaysPixels(seen)]).toEqual([path, 0])
      expect(await barriers(seen)).toEqual([])
    }
    for (const path of ['/keys', '/first-payment', '/accounts']) {
      await dashboard.open(seen, path, 'This page is not for you')
    }
    expect(complaints).toEqual([])
    await context.close()
  })
})

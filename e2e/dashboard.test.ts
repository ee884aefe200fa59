import { until } from '@florin/server/kernel/until.ts'
import { PAGES } from '@florin/dashboard/src/app/pages.ts'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { barriers, openPage, sidewaysPixels, visit } from './actors/browser.ts'
import type { Visit } from './actors/browser.ts'
import { openClient } from './actors/client.ts'
import { NO_CHROMIUM, startDashboard } from './actors/dashboard.ts'

const WAIT_SECONDS = 60

describe.skipIf(NO_CHROMIUM)('the dashboard in Chromium (skipped without one in PATH)', () => {
  const dashboard = startDashboard()

  const signIn = (visitor: Visit) =>
    openPage(visitor, dashboard.florin.info.dashboardUrl, 'Overview')
  const keyWorks = async (key: string) =>
    (await openClient(dashboard.florin.baseUrl, key).get('/wallets')).status

  test('a link signs in once it is opened, and does not stay in the address', async () => {
    const { page } = dashboard.owner
    expect(page.url()).toMatch(/\/dashboard\/?$/)
    await page.getByText('Live', { exact: true }).waitFor()
    expect(dashboard.owner.complaints).toEqual([])
  })

  test('who is not signed in is asked to, and comes back to where they wanted to go', async () => {
    const { context, page } = await visit(dashboard.browser)
    await page.goto(`${dashboard.florin.baseUrl}/dashboard/payments?type=sent&status=failed`)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.getByLabel('Email').fill('nobody@example.com')
    await page.getByLabel('Password').fill('not a password at all')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('alert').waitFor()
    const link = new URL(dashboard.florin.info.dashboardUrl).hash
    await page.evaluate(`location.hash = ${JSON.stringify(link)}`)
    await page.getByRole('heading', { name: 'Payments' }).waitFor()
    expect(new URL(page.url()).search).toBe('?type=sent&status=failed')
    expect(await page.getByLabel('Status').inputValue()).toBe('failed')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await barriers(page)).toEqual([])
    await context.close()
  })

  test('whoever had a session that ended is told so where they sign in, and not who ended it', async () => {
    const visitor = await visit(dashboard.browser)
    const { context, page } = visitor
    const told = page.getByText('Your session has ended.')
    await signIn(visitor)
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByRole('heading', { name: 'Volume by asset' }).waitFor()
    await context.clearCookies()
    await page.getByRole('link', { name: 'Wallets', exact: true }).click()
    await told.waitFor()
    expect(await barriers(page)).toEqual([])
    await page.goto(dashboard.florin.info.dashboardUrl)
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await told.count()).toBe(0)
    await context.close()
  })

  test('whoever is signed in stays so when a question of before is answered late', async () => {
    const visitor = await visit(dashboard.browser)
    const { context, page, complaints } = visitor
    const [asked, isSignedIn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    // Answered before the link was followed, and heard after.
    await page.route('**/api/session', async (route) => {
      if (route.request().method() === 'GET') {
        const response = await route.fetch()
        asked.resolve()
        await isSignedIn.promise
        await route.fulfill({ response })
      } else {
        await asked.promise
        await route.continue()
      }
    })
    const heard = page.waitForResponse(
      (response) =>
        response.url().endsWith('/api/session') && response.request().method() === 'GET',
    )
    await signIn(visitor)
    isSignedIn.resolve()
    const late = await heard
    expect(late.status()).toBe(401)
    await late.finished()
    // What the page does with it is done by then.
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 100))')
    await page.getByRole('link', { name: 'API keys', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  test('a key is generated and shown once, works, is rotated, and is dead once it was deleted', async () => {
    const { page } = dashboard.owner
    await dashboard.open(page, '/keys', 'API keys')
    await page.getByRole('button', { name: 'Generate key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Shop')
    expect(await barriers(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Generate key' }).click()
    const shown = dialog.getByTestId('new-key')
    const first = (await shown.textContent()) ?? ''
    expect(first).toMatch(/^florin_test_/)
    expect(await keyWorks(first)).toBe(200)
    await dialog.getByRole('button', { name: 'Close' }).click()

    await page.getByRole('button', { name: 'Rotate key Shop' }).click()
    await dialog.getByLabel('The old key works on').selectOption('0')
    await dialog.getByRole('button', { name: 'Rotate key' }).click()
    const second = (await shown.textContent()) ?? ''
    expect(second).not.toBe(first)
    expect(await keyWorks(second)).toBe(200)
    await until('the old key is over', async () => (await keyWorks(first)) === 401, {
      seconds: WAIT_SECONDS,
    })
    await dialog.getByRole('button', { name: 'Close' }).click()

    const row = page.getByRole('row').filter({ hasText: second.slice(-4) })
    await row.getByRole('button', { name: 'Delete key Shop' }).click()
    await dialog.getByText('Last used').waitFor()
    await dialog.getByRole('button', { name: 'Delete key' }).click()
    await row.waitFor({ state: 'detached' })
    await until('the key is deleted', async () => (await keyWorks(second)) === 401, {
      seconds: WAIT_SECONDS,
    })
    expect(await page.content()).not.toContain(second)
    expect(dashboard.owner.complaints).toEqual([])
  })

  test('the first payment is confirmed before the eyes, and its code is the same call', async () => {
    const { page } = dashboard.owner
    const [payer, recipient] = dashboard.florin.info.wallets
    await dashboard.open(page, '/first-payment', 'Make a payment')
    await page.getByLabel('From').selectOption(payer?.address ?? '')
    await page.getByLabel('To', { exact: true }).fill(recipient?.address ?? '')
    await page.getByLabel('Amount').fill('2.5')
    const call = page.getByRole('region', { name: 'curl command' })
    expect(await call.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
    const code = (await call.textContent()) ?? ''
    const order: unknown = JSON.parse(/-d '(.*)'$/.exec(code)?.[1] ?? '')
    expect(order).toMatchObject({
      walletAddress: payer?.address,
      recipientAddress: recipient?.address,
      amount: '2.5',
    })
    await page.getByRole('button', { name: 'Send payment' }).click()
    const story = page.getByRole('list', { name: 'What happened to the payment' })
    await story.getByText('Confirmed on chain').waitFor({ timeout: WAIT_SECONDS * 1000 })
    // All within one "just now", it is the time between the steps that tells.
    expect(await story.getByText(/^[\d.]+ m?s later$/).count()).toBeGreaterThan(1)
    await page.getByLabel('Amount').fill('not money')
    await page.getByRole('button', { name: 'Send payment' }).click()
    await page.getByRole('alert').getByText('INVALID_PARAMETERS', { exact: true }).waitFor()
    expect(await barriers(page)).toEqual([])
    expect(dashboard.owner.complaints).toEqual([])
  })

  test('what happens elsewhere is seen without asking', async () => {
    const { page } = dashboard.owner
    await dashboard.open(page, '/', 'Overview')
    await page.getByText('Live', { exact: true }).waitFor()
    const figure = page.locator('dl > div').filter({ hasText: 'Payments' }).locator('dd').first()
    await until('the figures are there', async () => Number(await figure.textContent()) > 0, {
      seconds: WAIT_SECONDS,
    })
    const before = Number(await figure.textContent())
    const [payer, recipient] = dashboard.florin.info.wallets
    const client = openClient(dashboard.florin.baseUrl, dashboard.florin.info.apiKeys.enterprise)
    const sent = await client.post('/payment/send', {
      walletAddress: payer?.address,
      recipientAddress: recipient?.address,
      amount: 1,
    })
    expect(sent.status).toBe(200)
    await until('it is counted', async () => Number(await figure.textContent()) > before, {
      seconds: WAIT_SECONDS,
    })
  })

  test('light and dark are what the system says until the reader chooses, and the choice stays', async () => {
    const visitor = await visit(dashboard.browser, { colorScheme: 'dark' })
    const { context, page, complaints } = visitor
    await signIn(visitor)
    const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
    const dark = await ground()
    await page.getByRole('button', { name: 'Light mode' }).click()
    expect(await ground()).not.toBe(dark)
    const light = await ground()
    await page.reload()
    await page.getByRole('button', { name: 'Dark mode' }).waitFor()
    expect(await ground()).toBe(light)
    expect(complaints).toEqual([])
    await context.close()
  })

  test('a passkey signs in by itself', async () => {
    const { context, page, complaints } = await visit(dashboard.browser)
    // A passkey is good for a name, and on this machine the name is localhost.
    const home = dashboard.florin.baseUrl.replace('127.0.0.1', 'localhost')
    await addAuthenticator(context, page)
    await page.goto(dashboard.florin.info.dashboardUrl.replace('127.0.0.1', 'localhost'))
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(await page.evaluate(MAKE_PASSKEY)).toBe(200)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(page.url().startsWith(home)).toBe(true)
    expect(complaints).toEqual([])
    await context.close()
  })

  test('on a narrow screen the links are behind a button', async () => {
    const visitor = await visit(dashboard.browser, NARROW)
    const { context, page } = visitor
    await signIn(visitor)
    const link = page.getByRole('link', { name: 'API keys', exact: true })
    expect(await link.isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Open menu' }).click()
    await link.click()
    await page.getByRole('heading', { name: 'API keys' }).waitFor()
    expect(await link.isVisible()).toBe(false)
    await context.close()
  })

  test('on a narrow screen a payment is a small card, and all of it leads to the payment', async () => {
    const { context, page } = await visit(dashboard.browser, {
      ...NARROW,
      storageState: await dashboard.owner.context.storageState(),
    })
    const [payer, recipient] = dashboard.florin.info.wallets
    const client = openClient(dashboard.florin.baseUrl, dashboard.florin.info.apiKeys.enterprise)
    const { body } = await client.post('/payment/send', {
      ...{ walletAddress: payer?.address, recipientAddress: recipient?.address, amount: '0.25' },
    })
    await dashboard.open(
      page,
      `/payments?search=${String(body['paymentId'])}&type=sent`,
      'Payments',
    )
    const card = page.getByRole('table').getByRole('row').last()
    await card.getByText('.25').waitFor()
    expect((await card.innerText()).replaceAll(/\s+/g, ' ')).toMatch(
      /^\S* ?(pending|confirmed|settled) 0 ?\.25 ETH to 0x\w+…\w+ /,
    )
    const { height = 0 } = (await card.boundingBox()) ?? {}
    expect([height > 40, height < 100]).toEqual([true, true])
    expect(await sidewaysPixels(page)).toBe(0)
    expect(await barriers(page)).toEqual([])
    // All of the card is a link, whatever stands on it.
    await card.getByText('ETH').click({ force: true })
    await page.getByRole('heading', { level: 1, name: 'Payment', exact: true }).waitFor()
    expect(page.url()).toContain(String(body['paymentId']))
    await context.close()
  })

  describe('every page, narrow and wide, light and dark,', () => {
    let visits: readonly Visit[]
    beforeAll(async () => {
      visits = [
        await visit(dashboard.browser, { ...NARROW, colorScheme: 'light' }),
        await visit(dashboard.browser, { colorScheme: 'dark' }),
      ]
      for (const each of visits) await signIn(each)
    })
    afterAll(async () => {
      for (const { context } of visits ?? []) await context.close()
    })
    // Those that can be opened by their address alone.
    const paths = PAGES.map(({ path }) => path).filter((path) => !path.includes('$'))
    for (const path of paths) {
      test(`fits, and axe finds nothing serious on it: ${path}`, async () => {
        for (const { page, complaints } of visits) {
          await page.goto(`${dashboard.florin.baseUrl}/dashboard${path}`)
          await settled(page)
          expect(await sidewaysPixels(page)).toBe(0)
          expect(await barriers(page)).toEqual([])
          expect(complaints).toEqual([])
        }
      })
    }
  })
})

const NARROW = { viewport: { width: 375, height: 812 } }

/** Makes a passkey as the page would, with what the browser itself offers. */
const MAKE_PASSKEY = `(async () => {
  const { csrfToken } = await (await fetch('/api/session')).json()
  const post = (path, body) =>
    fetch(path, {
      method: 'POST',
      headers: { 'x-csrf-token': csrfToken, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const { options } = await (await post('/api/me/passkeys/options')).json()
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
  const made = await navigator.credentials.create({ publicKey })
  const { id, rawId, type, response } = made.toJSON()
  const { clientDataJSON, attestationObject } = response
  const body = {
    name: 'Test',
    response: {
      id, rawId, type, clientExtensionResults: {}, response: { clientDataJSON, attestationObject },
    },
  }
  return (await post('/api/me/passkeys', body)).status
})()`

/** An authenticator inside the browser whose owner is always there and agrees. */
async function addAuthenticator(context: BrowserContext, page: Page): Promise<void> {
  const session = await context.newCDPSession(page)
  await session.send('WebAuthn.enable')
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

/** A page is drawn when it has its name, and nothing on it is still on its way. */
async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor()
  await until(
    'nothing is on its way',
    async () => (await page.locator('.animate-pulse').count()) === 0,
    { seconds: WAIT_SECONDS },
  )
}

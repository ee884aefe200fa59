import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Answered } from '../http/test-server.ts'
import {
  codeOf,
  detailsOf,
  field,
  NETWORK,
  SECOND,
  USDC,
  walletScene,
} from './test-wallet-routes.ts'

const { says, accounts, ask, aWallet, holdFor, open, reset, close } = walletScene()
beforeAll(open)
afterAll(close)
beforeEach(reset)

describe('POST /wallets', () => {
  test('makes a wallet that says where it belongs and nothing of its key', async () => {
    const answer = await ask('POST', '/wallets', { body: { family: 'evm', label: 'till' } })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      success: true,
      walletId: expect.stringMatching(/^wal_/),
      address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
      family: 'evm',
      label: 'till',
      sandbox: true,
      createdAt: expect.any(Number),
      timestamp: expect.any(Number),
    })
  })

  test('makes one for one idempotency key, however often it is asked at once', async () => {
    const body = { family: 'evm', label: 'once' }
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => ask('POST', '/wallets', { body, key: 'twenty' })),
    )
    expect(new Set(answers.map((answer) => field(answer, 'address'))).size).toBe(1)
    const replayed = answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true')
    expect(replayed).toHaveLength(19)
    const other = await ask('POST', '/api/wallets', { body: { family: 'evm' }, key: 'twenty' })
    expect([other.status, codeOf(other)]).toEqual([422, 'IDEMPOTENCY_MISMATCH'])
    const bobs = await ask('POST', '/wallets', { body, key: 'twenty', as: 'bob' })
    expect(field(bobs, 'address')).not.toBe(answers[0] && field(answers[0], 'address'))
  })

  test('refuses a family without an enabled network', async () => {
    const answer = await ask('POST', '/wallets', { body: { family: 'solana' } })
    expect([answer.status, codeOf(answer)]).toEqual([400, 'UNSUPPORTED_NETWORK'])
  })
})

describe('GET /wallets/{address}', () => {
  test('shows every enabled asset from the chain, and what is held from the books', async () => {
    const { address, walletId, path } = await aWallet()
    await holdFor(accounts.alice, walletId, 1_000_000n, 400_000n)
    says.onChain = [1_500_000_000_000_000_001n, 1_000_000n]
    const answer = await ask('GET', path)
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({
      address,
      policy: null,
      balances: [
        {
          network: NETWORK,
          asset: 'native',
          symbol: 'ETH',
          amountBaseUnits: '1500000000000000001',
          heldBaseUnits: '0',
          availableBaseUnits: '1500000000000000001',
          height: 7,
        },
        { asset: USDC, amount: 1, held: 0.4, available: 0.6, availableBaseUnits: '600000' },
        { network: SECOND, asset: 'native', amountBaseUnits: '0' },
      ],
    })
  })

  test('takes any valid spelling of the address and no invalid one', async () => {
    const { address } = await aWallet()
    const lower = await ask('GET', `/wallets/${address.toLowerCase()}`)
    expect(field(lower, 'address')).toBe(address)
    // Of the case that most letters have: with all of one case it would be a right spelling again.
    const [large, small] = [address.match(/[A-F]/g) ?? [], address.match(/[a-f]/g) ?? []]
    const [often = ''] = large.length > small.length ? large : small
    const swapped = address.replace(often, (letter) =>
      letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
    )
    for (const wrong of [swapped, `${address}0`, 'wallet', '%00', address.slice(0, -1)]) {
      const answer = await ask('GET', `/wallets/${wrong}`)
      expect([answer.status, codeOf(answer)], wrong).toEqual([400, 'INVALID_PARAMETERS'])
    }
  })

  test('shows what can be read beside a token that cannot, and says which that is', async () => {
    const { walletId, path } = await aWallet()
    await holdFor(accounts.alice, walletId, 5n, 5n)
    says.onChain = [3n, undefined]
    const { status, body } = await ask('GET', path)
    expect([status, body]).toMatchObject([
      200,
      {
        balances: [
          { network: NETWORK, asset: 'native', amountBaseUnits: '3' },
          { network: SECOND, asset: 'native', amountBaseUnits: '0' },
        ],
        unread: [{ network: NETWORK, asset: USDC, symbol: 'USDC', decimals: 6 }],
      },
    ])
    says.onChain = [3n, 0n]
    expect((await ask('GET', path)).body).not.toHaveProperty('unread')
  })

  test('waits for no node longer than its time, and says what was not told by then', async () => {
    const { path } = await aWallet()
    says.onChain = [3n, undefined]
    says.elsewhere = 4n
    says.isHanging = true
    const { status, body } = await ask('GET', path)
    expect([status, body]).toMatchObject([
      200,
      {
        balances: [
          { network: NETWORK, asset: 'native', amountBaseUnits: '3' },
          { network: SECOND, amountBaseUnits: '4' },
        ],
        unread: [{ network: NETWORK, asset: USDC }],
      },
    ])
    says.onChain = [0n, undefined]
    says.elsewhere = 0n
    expect((await ask('DELETE', path)).status).toBe(503)
  })

  test('shows the other networks beside one that does not answer', async () => {
    const { path } = await aWallet()
    says.onChain = 'down'
    says.elsewhere = 4n
    expect((await ask('GET', path)).body).toMatchObject({
      balances: [{ network: SECOND, amountBaseUnits: '4' }],
      unread: [
        { network: NETWORK, asset: 'native' },
        { network: NETWORK, asset: USDC },
      ],
    })
  })

  test('shows its policy and budgets while no node answers, and no balance as nothing', async () => {
    const { path } = await aWallet()
    const limits = [{ asset: 'USDC', perDay: 2 }]
    await ask('PUT', `${path}/policy`, { body: { limits } })
    says.onChain = 'down'
    says.elsewhere = 'down'
    const { status, body } = await ask('GET', path)
    expect([status, body]).toMatchObject([
      200,
      {
        balances: [],
        unread: [
          { network: NETWORK, asset: 'native' },
          { network: NETWORK, asset: USDC },
          { network: SECOND, asset: 'native' },
        ],
        policy: { limits: [{ asset: USDC, perDay: 2 }] },
        budgets: [{ asset: USDC, rule: 'perDay', left: 2 }],
      },
    ])
    const kept = await ask('DELETE', path)
    expect([kept.status, codeOf(kept)]).toEqual([503, 'NETWORK_ERROR'])
    expect((await ask('GET', path)).status).toBe(200)
  })
})

test("another account's wallet looks like none in every operation", async () => {
  const { path } = await aWallet()
  const nowhere = `/wallets/0x${'11'.repeat(20)}`
  for (const [method, suffix, body] of [
    ['GET', '', undefined],
    ['DELETE', '', undefined],
    ['PUT', '/policy', { recipients: [] }],
  ] as const) {
    const [theirs, absent] = await Promise.all(
      [path, nowhere].map((at) => ask(method, at + suffix, { as: 'bob', body })),
    )
    expect(theirs?.status).toBe(404)
    expect(stable(theirs)).toEqual(stable(absent))
  }
  expect(field(await ask('GET', path), 'policy')).toBeNull()
  const bobs = field(await ask('GET', '/wallets', { as: 'bob' }), 'wallets')
  expect(JSON.stringify(bobs)).not.toContain(path.slice('/wallets/'.length))
})

describe('DELETE /wallets/{address}', () => {
  test('deletes an empty wallet; then it is gone from everywhere', async () => {
    const { address, walletId, path } = await aWallet()
    const answer = await ask('DELETE', path)
    expect(answer.body).toMatchObject({ success: true, address, walletId })
    expect((await ask('GET', path)).status).toBe(404)
    expect((await ask('DELETE', path)).status).toBe(404)
    expect((await ask('PUT', `${path}/policy`, { body: {} })).status).toBe(404)
    expect(JSON.stringify((await ask('GET', '/wallets')).body)).not.toContain(address)
  })

  test.each([
    ['the last unit of native currency', [1n, 0n], 'native'],
    ['the last unit of a token', [0n, 1n], USDC],
  ] as const)('refuses while the chain shows %s', async (_, balances, asset) => {
    const { path } = await aWallet()
    says.onChain = balances
    const answer = await ask('DELETE', path)
    expect([answer.status, codeOf(answer)]).toEqual([400, 'INVALID_PARAMETERS'])
    expect(detailsOf(answer)).toMatchObject({ left: [{ network: NETWORK, asset }] })
    expect((await ask('GET', path)).status).toBe(200)
  })

  test('refuses while the chain shows what is frozen, which is there and cannot be spent', async () => {
    const { path } = await aWallet()
    says.onChain = [0n, 2n]
    says.frozen = 5n
    expect(field(await ask('GET', path), 'balances')).toMatchObject([
      { asset: 'native' },
      { asset: USDC, amountBaseUnits: '7', availableBaseUnits: '2' },
      { network: SECOND },
    ])
    says.onChain = [0n, 0n]
    const answer = await ask('DELETE', path)
    expect([answer.status, codeOf(answer)]).toEqual([400, 'INVALID_PARAMETERS'])
    expect(detailsOf(answer)).toMatchObject({ left: [{ asset: USDC, amount: '0.000005' }] })
  })

  test('refuses while an asset cannot be read, and says which', async () => {
    const { path } = await aWallet()
    says.onChain = [0n, undefined]
    const answer = await ask('DELETE', path)
    expect([answer.status, codeOf(answer)]).toEqual([503, 'NETWORK_ERROR'])
    expect(detailsOf(answer)).toEqual({ unread: [{ network: NETWORK, asset: USDC }] })
    // What is left elsewhere is said before it: that can be moved out now.
    says.elsewhere = 1n
    expect(detailsOf(await ask('DELETE', path))).toMatchObject({ left: [{ network: SECOND }] })
    says.elsewhere = 0n
    expect((await ask('GET', path)).status).toBe(200)
  })

  test('refuses while a payment holds money, whatever the node says', async () => {
    const { walletId, path } = await aWallet()
    await holdFor(accounts.alice, walletId, 5n, 5n)
    const answer = await ask('DELETE', path)
    expect([answer.status, codeOf(answer)]).toEqual([400, 'INVALID_PARAMETERS'])
    expect(detailsOf(answer)).toMatchObject({ left: [{ heldBaseUnits: '5' }] })
  })
})

function stable(answer: Answered | undefined): unknown {
  const error = answer && Object(field(answer, 'error'))
  return { status: answer?.status, error: { ...error, requestId: null } }
}

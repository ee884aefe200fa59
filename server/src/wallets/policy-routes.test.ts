import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { keepWallet } from '../custody/store.ts'
import type { Scope } from '../kernel/caller.ts'
import { codeOf, detailsOf, field, NETWORK, USDC, walletScene } from './test-wallet-routes.ts'

const { says, ask, aWallet, inTransaction, open, reset, close } = walletScene()
beforeAll(open)
afterAll(close)
beforeEach(reset)

describe('PUT /wallets/{address}/policy', () => {
  test('keeps rules in their one spelling and gives them back in whole units', async () => {
    const { path, address } = await aWallet()
    const seller = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
    const body = {
      limits: [
        { asset: 'USDC', perPayment: '0.10', perDay: 2.5 },
        { network: 'base-sepolia', perMonth: '1.000000000000000001' },
      ],
      recipients: [seller.toLowerCase(), seller],
      resources: ['https://SELLER.example', 'https://seller.example/v1'],
    }
    const answer = await ask('PUT', `${path}/policy`, { body })
    const policy = {
      limits: [
        { network: NETWORK, asset: USDC, perPayment: 0.1, perDay: 2.5 },
        { network: NETWORK, asset: 'native', perMonth: 1.0 },
      ],
      recipients: [seller],
      resources: ['https://seller.example/', 'https://seller.example/v1'],
    }
    expect(answer.body).toMatchObject({ success: true, address, policy })
    const shown = await ask('GET', path)
    expect(field(shown, 'policy')).toEqual(policy)
    const untouched = { spent: 0, spentBaseUnits: '0', held: 0, heldBaseUnits: '0' }
    expect(field(shown, 'budgets')).toEqual([
      {
        ...{ network: NETWORK, asset: USDC, rule: 'perDay', windowSeconds: 86_400, ...untouched },
        ...{ allowed: 2.5, allowedBaseUnits: '2500000', left: 2.5, leftBaseUnits: '2500000' },
      },
      {
        ...{ network: NETWORK, asset: 'native', rule: 'perMonth', windowSeconds: 2_592_000 },
        ...untouched,
        ...{ allowed: 1, allowedBaseUnits: '1000000000000000001' },
        ...{ left: 1, leftBaseUnits: '1000000000000000001' },
      },
    ])
    expect(field(await ask('PUT', `${path}/policy`, { body: {} }), 'policy')).toBeNull()
    expect(field(await ask('GET', path), 'budgets')).toEqual([])
    expect(field(await ask('GET', path), 'policy')).toBeNull()
  })

  test.each([
    [{ limits: [{ asset: 'USDC', perDay: '0.0000001' }] }, 'limits[0].perDay'],
    [{ limits: [{ perDay: 1 }, { asset: 'ETH', perDay: 2 }] }, 'limits[1].asset'],
    [{ limits: [{ perDay: -1 }] }, 'limits[0].perDay'],
    [{ limits: [{ perWeek: 1 }] }, 'limits[0].perWeek'],
    [{ recipients: ['0x12'] }, 'recipients[0]'],
    [{ recipients: ['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1Beaed'] }, 'recipients[0]'],
    [{ resources: ['https://a.example/?x=1'] }, 'resources[0]'],
    [{ resources: ['ftp://a.example/'] }, 'resources[0]'],
    [{ resources: 'https://a.example/' }, 'resources'],
    [{ perDay: 1 }, 'perDay'],
  ])('refuses %j and names the field', async (body, named) => {
    const { path } = await aWallet()
    const answer = await ask('PUT', `${path}/policy`, { body })
    expect([answer.status, codeOf(answer)]).toEqual([400, 'INVALID_PARAMETERS'])
    expect(Object.keys(detailsOf(answer))).toEqual([named])
  })

  test.each([
    [{ limits: [{ network: 'eip155:1' }] }, 'UNSUPPORTED_NETWORK'],
    [{ limits: [{ asset: 'DOGE' }] }, 'UNSUPPORTED_ASSET'],
  ])('refuses %j', async (body, code) => {
    const { path } = await aWallet()
    const answer = await ask('PUT', `${path}/policy`, { body })
    expect([answer.status, codeOf(answer)]).toEqual([400, code])
  })

  test('is set once by whoever may spend, who may not change or lift it then', async () => {
    const { path } = await aWallet()
    const put = async (body: object, asked: readonly Scope[]) => {
      says.scopes = new Set(asked)
      return await ask('PUT', `${path}/policy`, { body })
    }
    const [spends, all] = [['read', 'write'] as const, ['write', 'admin'] as const]
    const first = { limits: [{ asset: 'USDC', perDay: '2' }], recipients: [] }
    expect((await put({}, spends)).status).toBe(200)
    expect((await put(first, spends)).status).toBe(200)
    for (const body of [{}, { limits: first.limits }, { limits: [{ perDay: 1 }] }]) {
      const refused = await put(body, spends)
      expect([refused.status, codeOf(refused)]).toEqual([403, 'FORBIDDEN'])
      expect(detailsOf(refused)).toEqual({ scope: 'needs admin' })
    }
    expect((await put({ ...first, limits: [{ asset: USDC, perDay: 2 }] }, spends)).status).toBe(200)
    expect(field(await ask('GET', path), 'policy')).toMatchObject({ recipients: [] })
    expect((await put({ limits: [{ perDay: 1 }] }, all)).status).toBe(200)
    expect(field(await put({}, all), 'policy')).toBeNull()
  })

  test('waits for a payment that is being signed under the old policy', async () => {
    const { walletId, path } = await aWallet()
    const order: string[] = []
    const changing = await inTransaction(async (tx) => {
      await keepWallet(tx, walletId)
      const answer = ask('PUT', `${path}/policy`, { body: { recipients: [] } }).then(() =>
        order.push('changed'),
      )
      // Another wallet's change passes it, so the first one is not merely slow.
      const other = await aWallet()
      await ask('PUT', `${other.path}/policy`, { body: { recipients: [] } })
      order.push('signed')
      return { answer }
    })
    await changing.answer
    expect(order).toEqual(['signed', 'changed'])
  })
})

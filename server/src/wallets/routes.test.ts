import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Refusal } from '@florin/wire/errors.ts'
import { parseNetworkId } from '@florin/wire/network.ts'
import { openAudit } from '../audit/audit.ts'
import { NodeFailure } from '../chains/chain.ts'
import type { Chain } from '../chains/chain.ts'
import { openDirectory } from '../chains/directory.ts'
import { connectEvm } from '../chains/evm/connect.ts'
import type { Custody } from '../custody/create-wallet.ts'
import { evmKeys } from '../custody/evm-keys.ts'
import { localKeyWrapper } from '../custody/key-wrapper.ts'
import { keepWallet } from '../custody/store.ts'
import { openTestServer } from '../http/test-server.ts'
import type { Answered } from '../http/test-server.ts'
import { systemClock } from '../kernel/clock.ts'
import type { Scope } from '../kernel/caller.ts'
import { newId } from '../kernel/id.ts'
import type { AccountId, WalletId } from '../kernel/id.ts'
import { openLog } from '../kernel/log.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import { systemRandom } from '../kernel/random.ts'
import { SecretBytes } from '../kernel/secret.ts'
import { funding, hold } from '../ledger/entry.ts'
import { record } from '../ledger/store.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { walletRoutes } from './routes.ts'
import { write } from '../store/test-write.ts'

const random = systemRandom
const USDC = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'
const NETWORK = parseNetworkId('eip155:84532') ?? fail()
const SECOND = parseNetworkId('eip155:11155111') ?? fail()
const config: NetworkConfig = {
  network: NETWORK,
  family: 'evm',
  name: 'a sandbox',
  sandbox: true,
  sandboxInstance: 'one',
  rpcUrls: [],
  assets: [
    { symbol: 'ETH', asset: 'native', decimals: 18, takesCommitment: true },
    { symbol: 'USDC', asset: USDC, decimals: 6, takesCommitment: true },
  ],
  releaseDepth: 0,
  finality: { kind: 'tag' },
  blockTimeMilliseconds: 1000,
  fees: { feePerGasMax: 1n, tipPerGasDefault: 1n, ceilingMultiple: 1n, bumpAfterBlocks: 1 },
}

function notTold(): never {
  throw new NodeFailure('no answer')
}

function fail(): never {
  throw new Error('not a network')
}

/** Of who asks next. */
let scopes: ReadonlySet<Scope>
/** What the chain says next: balances of ETH and USDC, undefined for one that cannot be read; or no answer. */
let onChain: readonly [bigint, bigint | undefined] | 'down'
/** What the wallet has of USDC beside that, frozen. */
let frozen = 0n
/** What a second network, of native currency only, says next. */
let elsewhere: bigint | 'down'
let database: TestDatabase
let server: Awaited<ReturnType<typeof openTestServer>>
const accounts = { alice: newId(random, 'acct'), bob: newId(random, 'acct') }

beforeAll(async () => {
  database = await openTestDatabase()
  const { store } = database
  for (const accountId of Object.values(accounts)) {
    await write(store, 'test_account', `insert into accounts (id, name) values ($1, 'a')`, [
      accountId,
    ])
  }
  const [native] = config.assets
  const chainOf = (
    config: NetworkConfig,
    amountOf: (asset: string) => bigint | undefined,
  ): Chain => ({
    ...connectEvm({ config, log: openLog('silent'), clock: systemClock }),
    // As a node answers: all of them or none.
    balances: async (_, assets) => {
      const amounts = assets.map(({ asset }) => amountOf(asset) ?? notTold())
      const owned = amounts.map(
        (amount, index) => amount + (assets[index]?.asset === USDC ? frozen : 0n),
      )
      return { height: 7n, amounts, ...(frozen > 0n ? { owned } : {}) }
    },
  })
  const chain = chainOf(config, (asset) => {
    if (onChain === 'down') return undefined
    return onChain[asset === native?.asset ? 0 : 1]
  })
  const second = chainOf({ ...config, network: SECOND, assets: native ? [native] : [] }, () =>
    elsewhere === 'down' ? undefined : elsewhere,
  )
  const custody: Custody = {
    wrapper: localKeyWrapper({ keyEncryptionKey: new SecretBytes(random.bytes(32)), random }),
    schemes: [evmKeys({ random })],
    networks: [config],
    random,
    clock: systemClock,
  }
  server = await openTestServer({
    routes: walletRoutes({
      ...{ store, custody, directory: openDirectory([chain, second]), clock: systemClock },
      audit: openAudit({ clock: systemClock, random }),
    }),
    isUnavailable: (error) => error instanceof NodeFailure,
    authenticate: async ([value = '']) => {
      const accountId = Object.entries(accounts).find(([name]) => value === `Bearer ${name}`)?.[1]
      if (accountId === undefined) throw new Refusal('UNAUTHORIZED')
      return { accountId, keyId: newId(random, 'key'), plan: 'standard', scopes }
    },
  })
})
afterAll(async () => {
  await server.close()
  await database.close()
})
beforeEach(() => {
  onChain = [0n, 0n]
  elsewhere = 0n
  frozen = 0n
  scopes = new Set(['read', 'write', 'admin'])
})

const ask = (
  method: string,
  path: string,
  { body, as = 'alice', key }: { body?: unknown; as?: keyof typeof accounts; key?: string } = {},
) =>
  server.ask(method, path, {
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    headers: {
      authorization: `Bearer ${as}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
  })

const field = ({ body }: Answered, name: string): unknown =>
  typeof body === 'object' && body !== null
    ? Object.getOwnPropertyDescriptor(body, name)?.value
    : undefined
const codeOf = (answer: Answered) => Object(field(answer, 'error')).code
const detailsOf = (answer: Answered) => Object(field(answer, 'error')).details

async function aWallet(): Promise<{ address: string; walletId: WalletId; path: string }> {
  const answer = await ask('POST', '/wallets', { body: { family: 'evm' } })
  const address = String(field(answer, 'address'))
  return { address, walletId: field(answer, 'walletId') as WalletId, path: `/wallets/${address}` }
}

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
    onChain = [1_500_000_000_000_000_001n, 1_000_000n]
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
    const swapped = address.replace(/[a-fA-F]/, (letter) =>
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
    onChain = [3n, undefined]
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
    onChain = [3n, 0n]
    expect((await ask('GET', path)).body).not.toHaveProperty('unread')
  })

  test('shows the other networks beside one that does not answer', async () => {
    const { path } = await aWallet()
    ;[onChain, elsewhere] = ['down', 4n]
    expect((await ask('GET', path)).body).toMatchObject({
      balances: [{ network: SECOND, amountBaseUnits: '4' }],
      unread: [
        { network: NETWORK, asset: 'native' },
        { network: NETWORK, asset: USDC },
      ],
    })
  })

  test('says that a node does not answer, never that there is nothing', async () => {
    const { path } = await aWallet()
    ;[onChain, elsewhere] = ['down', 'down']
    for (const method of ['GET', 'DELETE']) {
      const answer = await ask(method, path)
      expect([answer.status, codeOf(answer)]).toEqual([503, 'NETWORK_ERROR'])
    }
    ;[onChain, elsewhere] = [[0n, 0n], 0n]
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
    onChain = balances
    const answer = await ask('DELETE', path)
    expect([answer.status, codeOf(answer)]).toEqual([400, 'INVALID_PARAMETERS'])
    expect(detailsOf(answer)).toMatchObject({ left: [{ network: NETWORK, asset }] })
    expect((await ask('GET', path)).status).toBe(200)
  })

  test('refuses while the chain shows what is frozen, which is there and cannot be spent', async () => {
    const { path } = await aWallet()
    onChain = [0n, 2n]
    frozen = 5n
    expect(field(await ask('GET', path), 'balances')).toMatchObject([
      { asset: 'native' },
      { asset: USDC, amountBaseUnits: '7', availableBaseUnits: '2' },
      { network: SECOND },
    ])
    onChain = [0n, 0n]
    const answer = await ask('DELETE', path)
    expect([answer.status, codeOf(answer)]).toEqual([400, 'INVALID_PARAMETERS'])
    expect(detailsOf(answer)).toMatchObject({ left: [{ asset: USDC, amount: '0.000005' }] })
  })

  test('refuses while an asset cannot be read, and says which', async () => {
    const { path } = await aWallet()
    onChain = [0n, undefined]
    const answer = await ask('DELETE', path)
    expect([answer.status, codeOf(answer)]).toEqual([503, 'NETWORK_ERROR'])
    expect(detailsOf(answer)).toEqual({ unread: [{ network: NETWORK, asset: USDC }] })
    // What is left elsewhere is said before it: that can be moved out now.
    elsewhere = 1n
    expect(detailsOf(await ask('DELETE', path))).toMatchObject({ left: [{ network: SECOND }] })
    elsewhere = 0n
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
      scopes = new Set(asked)
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
    const changing = await database.store.inTransaction(accounts.alice, async (tx) => {
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

async function holdFor(accountId: AccountId, walletId: WalletId, funded: bigint, held: bigint) {
  const place = { accountId, walletId, network: NETWORK, asset: USDC }
  await database.store.inTransaction(accountId, async (tx) => {
    const paymentId = newId(random, 'pay')
    await tx.query(
      'test_payment',
      `insert into payments (id, account_id, type, wallet_id, network, asset, amount, decimals,
         sender, recipient, sandbox, created_at)
       values ($1, $2, 'sent', $3, $4, 'native', 1, 18, 's', 'r', true, now())`,
      [paymentId, accountId, walletId, NETWORK],
    )
    await record(tx, [funding(place, funded), hold({ ...place, paymentId, amount: held })], 0)
  })
}

function stable(answer: Answered | undefined): unknown {
  const error = answer && Object(field(answer, 'error'))
  return { status: answer?.status, error: { ...error, requestId: null } }
}

import { setImmediate as nextTurn } from 'node:timers/promises'
import { Refusal } from '@florin/wire/errors.ts'
import { parseNetworkId } from '@florin/wire/network.ts'
import { openAudit } from '../audit/audit.ts'
import { NodeFailure } from '../chains/chain.ts'
import type { Chain } from '../chains/chain.ts'
import { openDirectory } from '../chains/directory.ts'
import { connectEvm } from '../chains/evm/connect.ts'
import { testNetwork, USDC as TOKEN } from '../chains/evm/test-network.ts'
import type { Custody } from '../custody/create-wallet.ts'
import { evmKeys } from '../custody/evm-keys.ts'
import { localKeyWrapper } from '../custody/key-wrapper.ts'
import { openTestServer } from '../http/test-server.ts'
import type { Answered } from '../http/test-server.ts'
import { systemClock } from '../kernel/clock.ts'
import type { Clock } from '../kernel/clock.ts'
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
import type { Tx } from '../store/postgres.ts'
import { walletRoutes } from './routes.ts'
import { write } from '../store/test-write.ts'

const random = systemRandom
export const SECOND = parseNetworkId('eip155:11155111') ?? fail()
const config = testNetwork([], { sandboxInstance: 'one' })
export const NETWORK = config.network
export const USDC = TOKEN.asset

const NEVER = new Promise<never>(() => undefined)

function notTold(): never {
  throw new NodeFailure('no answer')
}

function fail(): never {
  throw new Error('not a network')
}

const fresh = () => ({
  /** Of who asks next. */
  scopes: new Set<Scope>(['read', 'write', 'admin']),
  /** What the chain says next: balances of ETH and USDC, undefined for one that cannot be read; or no answer. */
  onChain: [0n, 0n] as readonly [bigint, bigint | undefined] | 'down',
  /** What the wallet has of USDC beside that, frozen. */
  frozen: 0n,
  /** What a second network, of native currency only, says next. */
  elsewhere: 0n as bigint | 'down',
  /** Asked of USDC alone, the chain never answers; then every wait is over as soon as all others have their answer. */
  isHanging: false,
})

/** The routes of wallets on a real database, over two chains of which a test says what they tell. */
export function walletScene() {
  const says = fresh()
  const accounts = { alice: newId(random, 'acct'), bob: newId(random, 'acct') }
  let database: TestDatabase
  let server: Awaited<ReturnType<typeof openTestServer>>

  async function open(): Promise<void> {
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
        if (says.isHanging && assets.every(({ asset }) => asset === USDC)) await NEVER
        const amounts = assets.map(({ asset }) => amountOf(asset) ?? notTold())
        const owned = amounts.map(
          (amount, index) => amount + (assets[index]?.asset === USDC ? says.frozen : 0n),
        )
        return { height: 7n, amounts, ...(says.frozen > 0n ? { owned } : {}) }
      },
    })
    const chain = chainOf(config, (asset) => {
      if (says.onChain === 'down') return undefined
      return says.onChain[asset === native?.asset ? 0 : 1]
    })
    const second = chainOf({ ...config, network: SECOND, assets: native ? [native] : [] }, () =>
      says.elsewhere === 'down' ? undefined : says.elsewhere,
    )
    const custody: Custody = {
      wrapper: localKeyWrapper({ keyEncryptionKey: new SecretBytes(random.bytes(32)), random }),
      schemes: [evmKeys({ random })],
      networks: [config],
      random,
      clock: systemClock,
    }
    const clock: Clock = {
      ...systemClock,
      sleep: (milliseconds, signal) =>
        says.isHanging ? nextTurn() : systemClock.sleep(milliseconds, signal),
    }
    server = await openTestServer({
      routes: walletRoutes({
        ...{ store, custody, directory: openDirectory([chain, second]), clock },
        audit: openAudit({ clock: systemClock, random }),
      }),
      isUnavailable: (error) => error instanceof NodeFailure,
      authenticate: async ([value = '']) => {
        const accountId = Object.entries(accounts).find(([name]) => value === `Bearer ${name}`)?.[1]
        if (accountId === undefined) throw new Refusal('UNAUTHORIZED')
        return { accountId, keyId: newId(random, 'key'), plan: 'standard', scopes: says.scopes }
      },
    })
  }

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

  async function aWallet(): Promise<{ address: string; walletId: WalletId; path: string }> {
    const answer = await ask('POST', '/wallets', { body: { family: 'evm' } })
    const address = String(field(answer, 'address'))
    return { address, walletId: field(answer, 'walletId') as WalletId, path: `/wallets/${address}` }
  }

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

  return {
    ...{ says, accounts, ask, aWallet, holdFor, open },
    inTransaction: <Value>(work: (tx: Tx) => Promise<Value>) =>
      database.store.inTransaction(accounts.alice, work),
    reset: () => void Object.assign(says, fresh()),
    close: async () => {
      await server.close()
      await database.close()
    },
  }
}

export const field = ({ body }: Answered, name: string): unknown =>
  typeof body === 'object' && body !== null
    ? Object.getOwnPropertyDescriptor(body, name)?.value
    : undefined
export const codeOf = (answer: Answered) => Object(field(answer, 'error')).code
export const detailsOf = (answer: Answered) => Object(field(answer, 'error')).details

import { expect } from 'vitest'
import { baseUnits } from '@florin/wire/amount.ts'
import { Refusal } from '@florin/wire/errors.ts'
import { openWindows } from '../access/windows.ts'
import type { Chain } from '../chains/chain.ts'
import { openDirectory } from '../chains/directory.ts'
import { connectEvm } from '../chains/evm/connect.ts'
import { testNetwork, USDC as TOKEN } from '../chains/evm/test-network.ts'
import { openTestServer } from '../http/test-server.ts'
import type { Answered } from '../http/test-server.ts'
import type { Clock } from '../kernel/clock.ts'
import { systemClock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import type { KeyId } from '../kernel/id.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import { openTestDatabase } from '../store/test-database.ts'
import { reportRoutes } from './routes.ts'
import { write } from '../store/test-write.ts'

const random = systemRandom
export const HOUR = 3_600_000
/** Twenty past an hour. */
export const NOW = Date.UTC(2026, 8, 21, 10, 20)
const config = testNetwork([], { sandboxInstance: 'one' })
export const NETWORK = config.network
export const USDC = TOKEN.asset

/** An answer whose fields the schema has checked already. */
export interface Shown {
  readonly [field: string]: unknown
  readonly totals: Record<string, unknown> & {
    latency: { p50: number; p95: number }
    volume: readonly Record<string, unknown>[]
  }
  readonly buckets: readonly (Record<string, unknown> & { from: number })[]
  readonly attention: readonly Record<string, unknown>[]
  readonly keys: readonly Record<string, unknown>[]
  readonly days: readonly { day: string; requests: number }[]
}

/** The reports over HTTP, for three accounts on a real database, at a time of the test's own. */
export type TestReports = Awaited<ReturnType<typeof openTestReports>>
export async function openTestReports() {
  const database = await openTestDatabase()
  const accounts = {
    alice: newId(random, 'acct'),
    bob: newId(random, 'acct'),
    carol: newId(random, 'acct'),
  }
  const keys = new Map<string, KeyId>()
  const time = { now: NOW }
  const clock: Clock = { ...systemClock, nowMilliseconds: () => time.now }
  const chainState = { onChain: 5n, followed: true }
  const windows = openWindows({ clock })

  const sql = (name: string, text: string, values: readonly unknown[] = []) =>
    write<Record<string, unknown>>(database.store, name, text, values)

  /** A payment of an account, `ago` before now. */
  async function pay(
    accountId: string,
    fields: {
      status?: string
      ago?: number
      took?: number | null
      amount?: bigint
      type?: string
      asset?: string
      occurrence?: number | null
      wallet?: string | null
    } = {},
  ): Promise<string> {
    const {
      status = 'settled',
      ago = 0,
      took = 1000,
      amount = 1_000_000n,
      type = 'sent',
      asset = USDC,
      wallet = null,
    } = fields
    const id = newId(random, 'pay')
    const isSeen = status === 'confirmed' || status === 'settled'
    await sql(
      'test_pay',
      `insert into payments (id, account_id, type, wallet_id, network, asset, amount, decimals, sender, recipient, status, sandbox,
       created_at, confirmed_at, settled_at, transaction_hash, block_height, failure, occurrence)
     values ($1, $2, $3, $13, $4, $5, $6, $7, 's', 'r', $8, true, $9, $10, $10, $11, 1, $12, $14)`,
      [
        id,
        accountId,
        type,
        NETWORK,
        asset,
        amount.toString(),
        asset === 'native' ? 18 : 6,
        status,
        new Date(NOW - ago),
        isSeen && took !== null ? new Date(NOW - ago + took) : null,
        isSeen ? id : null,
        status === 'failed' ? '{}' : null,
        wallet,
        fields.occurrence ?? null,
      ],
    )
    return id
  }

  for (const [name, accountId] of Object.entries(accounts)) {
    await sql('test_account', `insert into accounts (id, name) values ($1, 'a')`, [accountId])
    const key = newId(random, 'key')
    keys.set(name, key)
    await sql(
      'test_key',
      `insert into api_keys (id, account_id, name, digest, last_four, mode, plan, scopes)
       values ($1, $2, 'till', $3, 'abcd', 'test', 'premium', '{read}')`,
      [key, accountId, Buffer.from(random.bytes(32))],
    )
  }
  await sql('test_follow', `insert into followers (network, height) values ($1, 7)`, [NETWORK])
  const chain: Chain = {
    ...connectEvm({ config, log: openLog('silent'), clock }),
    balances: async () => ({ height: 7n, amounts: [chainState.onChain] }),
  }
  const server = await openTestServer({
    clock,
    routes: reportRoutes({
      store: database.store,
      clock,
      windows,
      networks: [config],
      directory: openDirectory([chain]),
      fees: {
        of: async () => ({
          transfer: baseUnits(100n),
          priorityFee: baseUnits(1n),
          updatedAtMilliseconds: NOW,
        }),
      },
      isFollowed: () => chainState.followed,
    }),
    authenticate: async ([value = '']) => {
      const found = Object.entries(accounts).find(([name]) => value === `Bearer ${name}`)
      const keyId = found && keys.get(found[0])
      if (found === undefined || keyId === undefined) throw new Refusal('UNAUTHORIZED')
      return { accountId: found[1], keyId, plan: 'standard', scopes: new Set(['read']) }
    },
  })
  async function read(path: string, as: keyof typeof accounts = 'alice'): Promise<Shown> {
    const answered: Answered = await server.ask('GET', path, {
      headers: { authorization: `Bearer ${as}` },
    })
    expect(answered.status, JSON.stringify(answered.body)).toBe(200)
    return answered.body as Record<string, never> & Shown
  }

  return {
    accounts,
    keys,
    time,
    clock,
    chainState,
    windows,
    database,
    sql,
    pay,
    read,
    close: async () => {
      await server.close()
      await database.close()
    },
  }
}

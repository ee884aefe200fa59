import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { openTestServer } from '@florin/server/http/test-server.ts'
import { systemClock } from '@florin/server/kernel/clock.ts'
import { newId } from '@florin/server/kernel/id.ts'
import type { AccountId, PaymentId } from '@florin/server/kernel/id.ts'
import { openLog } from '@florin/server/kernel/log.ts'
import { systemRandom } from '@florin/server/kernel/random.ts'
import { writeCursor } from '@florin/server/payments/cursor.ts'
import { openProofs } from '@florin/server/payments/proof.ts'
import { paymentReadRoutes } from '@florin/server/payments/read-routes.ts'
import { SecretBytes } from '@florin/server/kernel/secret.ts'
import { startPostgres } from '@florin/server/store/embedded/start-postgres.ts'
import { migrate } from '@florin/server/store/migrate.ts'
import { openStore } from '@florin/server/store/postgres.ts'

// GET /payment/history and /payment/find over HTTP, one caller, one address with a million payments of one account:
// 700,000 sent and 300,000 received in mixed order, one in a hundred not settled, one in four with a resource of its own.
// Service, database and caller share the machine. Ways take turns, so that drift of the machine meets all of them.
const PAYMENTS = Number(process.env['FLORIN_BENCH_PAYMENTS'] ?? 1_000_000)
const ROUNDS = Number(process.env['FLORIN_BENCH_ROUNDS'] ?? 400)
const DEPTHS = 100
const ADDRESS = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const OTHER = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359'
const FILL_AT_ONCE = 100_000

const log = openLog('silent')
const directory = await mkdtemp(join(tmpdir(), 'florin-bench-'))
const surroundings = { log, clock: systemClock, random: systemRandom }
const postgres = await startPostgres({ directory: join(directory, 'db'), ...surroundings })
const owner = new pg.Client({ connectionString: postgres.ownerUrl.reveal() })
const store = openStore({ url: postgres.ownerUrl, log })
try {
  await migrate({ url: postgres.ownerUrl, log })
  await owner.connect()
  const accountId = newId(systemRandom, 'acct')
  await fill(accountId)
  const { rows: positions } = await owner.query<{ id: PaymentId; at: string }>(
    `select id, (extract(epoch from created_at) * 1000000)::bigint as at from payments
     where id in (select id from payments order by md5(id) limit $1)`,
    [DEPTHS],
  )
  const { rows: hashes } = await owner.query<{ transaction_hash: string; resource: string }>(
    `select transaction_hash, resource from payments
     where transaction_hash is not null and resource is not null order by md5(id) limit $1`,
    [DEPTHS],
  )
  const proofs = openProofs({
    proofKey: new SecretBytes(systemRandom.bytes(32)),
    chains: new Map(),
  })
  const server = await openTestServer({
    routes: paymentReadRoutes({ store, networks: new Map(), proofs }),
    authenticate: async () => ({
      accountId,
      keyId: newId(systemRandom, 'key'),
      plan: 'enterprise',
      scopes: new Set(['read']),
    }),
    checkAnswers: false,
  })
  const page = (query: string) => `/payment/history/${ADDRESS}?${query}`
  const cursorAt = (round: number) => {
    const { id, at } = positions[round % positions.length] ?? {
      id: newId(systemRandom, 'pay'),
      at: '0',
    }
    return writeCursor({ paymentId: id, atMicroseconds: BigInt(at) })
  }
  const chosen = (round: number) => hashes[round % hashes.length]
  const ways: Record<string, (round: number) => string> = {
    'first page': () => page('type=all'),
    'first page, sent': () => page('type=sent'),
    'page by cursor, any depth': (round) => page(`cursor=${cursorAt(round)}`),
    'page by cursor, received, any depth': (round) =>
      page(`type=received&cursor=${cursorAt(round)}`),
    'page of 500 by cursor': (round) => page(`limit=500&cursor=${cursorAt(round)}`),
    'failed ones, any depth': (round) => page(`status=failed&cursor=${cursorAt(round)}`),
    'one resource': (round) => page(`resource=${chosen(round)?.resource ?? ''}`),
    'offset 100,000': () => page('offset=100000'),
    'find by signature': (round) =>
      `/payment/find?signature=${chosen(round)?.transaction_hash ?? ''}`,
  }
  const taken = new Map(Object.keys(ways).map((way) => [way, [] as number[]]))
  // The first rounds warm up: connections, plans, caches.
  for (let round = -20; round < ROUNDS; round += 1) {
    for (const [way, path] of Object.entries(ways)) {
      const started = performance.now()
      const { status, body } = await server.ask('GET', path(Math.max(round, 0)))
      const milliseconds = performance.now() - started
      if (status !== 200) throw new Error(`${way}: ${JSON.stringify(body)}`)
      if (round >= 0) taken.get(way)?.push(milliseconds)
    }
  }
  await server.close()
  const figures = [...taken].map(([way, all]) => ({
    way,
    p50: Number(quantile(all, 0.5).toFixed(1)),
    p99: Number(quantile(all, 0.99).toFixed(1)),
  }))
  for (const { way, p50, p99 } of figures) {
    process.stdout.write(`${way.padEnd(38)} p50 ${p50} ms  p99 ${p99} ms\n`)
  }
  process.stdout.write(`${JSON.stringify({ payments: PAYMENTS, rounds: ROUNDS, figures })}\n`)
} finally {
  await store.close()
  await owner.end()
  await postgres.stop()
  await rm(directory, { recursive: true, force: true })
}

/** Payments a second apart, as the database has them after autovacuum has been by. */
async function fill(accountId: AccountId): Promise<void> {
  const started = performance.now()
  await owner.query(`insert into accounts (id, name) values ($1, 'bench')`, [accountId])
  for (let from = 1; from <= PAYMENTS; from += FILL_AT_ONCE) {
    await owner.query(
      `insert into payments (id, account_id, type, network, asset, amount, decimals, sender, recipient, resource, commitment,
         status, sandbox, transaction_hash, block_height, fee_paid, failure, created_at, confirmed_at, settled_at)
       select 'pay_' || translate(substr(md5(n::text), 1, 22), '0', 'z'), $1, case when sent then 'sent' else 'received' end,
         'eip155:84532', 'native', 1000 + n, 18, case when sent then $2 else $3 end, case when sent then $3 else $2 end,
         case when n % 4 = 0 then 'https://shop.example/orders/' || n end, sha256(n::text::bytea),
         case when n % 100 = 0 then 'failed' else 'settled' end, true,
         '0x' || encode(sha256(n::text::bytea), 'hex'), n / 50, 21000,
         case when n % 100 = 0 then '{"reason":"no_effect","message":"nothing moved"}'::json end,
         timestamptz '2026-01-01' + n * interval '1 second', now(), now()
       from (select n, n % 10 < 7 as sent from generate_series($4::bigint, $5::bigint) n) numbers`,
      [accountId, ADDRESS, OTHER, from, Math.min(from + FILL_AT_ONCE - 1, PAYMENTS)],
    )
  }
  await owner.query('vacuum analyze payments')
  const seconds = (performance.now() - started) / 1000
  process.stderr.write(`${PAYMENTS} payments in ${seconds.toFixed(0)} s\n`)
}

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(Math.floor(sorted.length * part), sorted.length - 1)] ?? Number.NaN
}

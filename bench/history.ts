import type pg from 'pg'
import { openTestServer } from '@florin/server/http/test-server.ts'
import { newId } from '@florin/server/kernel/id.ts'
import type { AccountId, PaymentId } from '@florin/server/kernel/id.ts'
import { systemRandom } from '@florin/server/kernel/random.ts'
import { writeCursor } from '@florin/server/kernel/position.ts'
import { openProofs } from '@florin/server/payments/proof.ts'
import { paymentReadRoutes } from '@florin/server/payments/read-routes.ts'
import { SecretBytes } from '@florin/server/kernel/secret.ts'
import type { Store } from '@florin/server/store/postgres.ts'
import type { Bench } from './bench.ts'
import { quantilesOf } from './figures.ts'
import { openOwnDatabase } from './own-database.ts'

// GET /payment/history and /payment/find over HTTP, one caller, one address with a million payments of one account:
// 700,000 sent and 300,000 received in mixed order, one in a hundred not settled, one in four with a resource of its own.
// Service, database and caller share the machine.
const ROUNDS = 400
const WARM_UP_ROUNDS = 20
const DEPTHS = 100
const ADDRESS = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const OTHER = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359'
const FILL_AT_ONCE = 100_000

/** Pages by cursor stay below this at any depth, a page at offset 100,000 below the second; p99. */
const CURSOR_GOAL_MILLISECONDS = 25
const OFFSET_GOAL_MILLISECONDS = 150

export const history: Bench = {
  name: 'history',
  about: 'pages of a history of a million payments (--payments), by cursor and by offset',
  run: async ({ options: { payments }, note, defer }) => {
    const { owner, store } = await openOwnDatabase(defer)
    const accountId = newId(systemRandom, 'acct')
    note(`${payments} payments in ${(await fill(owner, accountId, payments)).toFixed(0)} s`)
    const taken = await askAll(await openHistory({ owner, store, accountId, defer }), payments)
    const offset = `offset ${offsetFor(payments)}`
    const goals: Readonly<Record<string, number>> = {
      'page of 50, cursor, any depth': CURSOR_GOAL_MILLISECONDS,
      [offset]: OFFSET_GOAL_MILLISECONDS,
    }
    const first = quantilesOf(taken.get('page of 50, first') ?? [])
    return [...taken].map(([way, all]) => {
      const milliseconds = quantilesOf(all)
      const goal = goals[way]
      return {
        bench: 'history',
        what: way,
        milliseconds,
        ratio: milliseconds.p50 / first.p50,
        ...(goal === undefined
          ? {}
          : { goal: { text: `p99 < ${goal} ms`, isMet: milliseconds.p99 < goal } }),
        more: { payments, asked: all.length },
      }
    })
  },
}

interface Opened {
  readonly ask: (path: string) => Promise<{ status: number; body: unknown }>
  readonly positions: readonly { id: PaymentId; at: string }[]
  readonly hashes: readonly { transaction_hash: string; resource: string }[]
}

/** The real edge and the real reading routes over the filled database. */
async function openHistory({
  owner,
  store,
  accountId,
  defer,
}: {
  owner: pg.Client
  store: Store
  accountId: AccountId
  defer: (close: () => Promise<void>) => void
}): Promise<Opened> {
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
  const proofKey = new SecretBytes(systemRandom.bytes(32))
  const proofs = openProofs({ proofKey, chains: new Map() })
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
  defer(server.close)
  return { ask: (path) => server.ask('GET', path), positions, hashes }
}

/** Milliseconds of each answer, by way; ways take turns, so that drift of the machine meets all of them. */
async function askAll({ ask, positions, hashes }: Opened, payments: number) {
  const page = (query: string) => `/payment/history/${ADDRESS}?${query}`
  const cursorAt = (round: number) => {
    const place = positions[round % positions.length]
    if (place === undefined) throw new Error('there are no payments')
    return writeCursor({ id: place.id, atMicroseconds: BigInt(place.at) })
  }
  const chosen = (round: number) => hashes[round % hashes.length]
  const offset = offsetFor(payments)
  const ways: Record<string, (round: number) => string> = {
    'page of 50, first': () => page('type=all'),
    'page of 50, cursor, any depth': (round) => page(`cursor=${cursorAt(round)}`),
    'page of 50, cursor, received': (round) => page(`type=received&cursor=${cursorAt(round)}`),
    'page of 50, cursor, failed': (round) => page(`status=failed&cursor=${cursorAt(round)}`),
    'page of 500, cursor': (round) => page(`limit=500&cursor=${cursorAt(round)}`),
    'one resource': (round) => page(`resource=${chosen(round)?.resource ?? ''}`),
    [`offset ${offset}`]: () => page(`offset=${offset}`),
    'find by signature': (round) =>
      `/payment/find?signature=${chosen(round)?.transaction_hash ?? ''}`,
  }
  const taken = new Map(Object.keys(ways).map((way) => [way, [] as number[]]))
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round += 1) {
    for (const [way, path] of Object.entries(ways)) {
      const started = performance.now()
      const { status, body } = await ask(path(Math.max(round, 0)))
      const milliseconds = performance.now() - started
      if (status !== 200) throw new Error(`${way}: ${JSON.stringify(body)}`)
      if (round >= 0) taken.get(way)?.push(milliseconds)
    }
  }
  return taken
}

/** 100,000, or a tenth of a smaller history. */
function offsetFor(payments: number): number {
  return Math.min(100_000, Math.floor(payments / 10))
}

/** Payments a second apart, as the database has them after autovacuum has been by; the seconds that it took. */
async function fill(owner: pg.Client, accountId: AccountId, payments: number): Promise<number> {
  const started = performance.now()
  await owner.query(`insert into accounts (id, name) values ($1, 'bench')`, [accountId])
  for (let from = 1; from <= payments; from += FILL_AT_ONCE) {
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
      [accountId, ADDRESS, OTHER, from, Math.min(from + FILL_AT_ONCE - 1, payments)],
    )
  }
  await owner.query('vacuum analyze payments')
  return (performance.now() - started) / 1000
}

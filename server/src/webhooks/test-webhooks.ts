import { createServer } from 'node:http'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { once } from 'node:events'
import { buffer } from 'node:stream/consumers'
import { openAudit } from '../audit/audit.ts'
import { localKeyWrapper } from '../custody/key-wrapper.ts'
import { tell, testRelay } from '../events/test-outbox.ts'
import type { Relay } from '../events/relay.ts'
import { systemClock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import type { AccountId } from '../kernel/id.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import { SecretBytes } from '../kernel/secret.ts'
import { openOutbound } from '../outbound/outbound.ts'
import { openListener } from '../store/listen.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import type { ManageDeps } from './manage.ts'
import { noteForWebhooks } from './on-numbered.ts'
import { startDeliveries } from './start-deliveries.ts'
import type { DeliveriesDeps, PausedWebhook } from './start-deliveries.ts'
import { startGiving } from './start-giving.ts'

const clock = systemClock
const random = systemRandom
const log = openLog('silent')

/** Queue, relay, giving out and senders over a real database, without the service around them. */
export interface TestWebhooks {
  readonly database: TestDatabase
  readonly deps: ManageDeps
  readonly paused: PausedWebhook[]
  newAccount(): Promise<AccountId>
  /** Writes one fact about a resource of an account. */
  tell(accountId: AccountId, resourceId: string, data?: object): Promise<void>
  /** Writes facts of one transaction. */
  tellAtOnce(accountId: AccountId, resourceIds: readonly string[]): Promise<void>
  /** Starts one more sender, as another instance would. */
  start(parts?: Partial<DeliveriesDeps>): { stop(): Promise<void> }
  close(): Promise<void>
}

/** @param givesOut what is numbered is given out to webhooks at once; else the test does it. */
export async function openTestWebhooks({ givesOut = true } = {}): Promise<TestWebhooks> {
  const database = await openTestDatabase()
  const { store } = database
  const keyEncryptionKey = new SecretBytes(random.bytes(32))
  const wrapper = localKeyWrapper({ keyEncryptionKey, random })
  const listener = openListener({ url: database.url, clock, log })
  const relay: Relay = testRelay(store, { onNumbered: [noteForWebhooks] })
  const outbound = openOutbound({ allowLoopback: true, ownListeners: () => [], clock })
  const running: { stop(): Promise<void> }[] = []
  if (givesOut) running.push(startGiving({ store, listener, clock, log, random }))
  const paused: PausedWebhook[] = []
  return {
    database,
    deps: { store, wrapper, random, clock, audit: openAudit({ clock, random }), sandbox: true },
    paused,
    newAccount: async () => {
      const accountId = newId(random, 'acct')
      await store.inTransaction(accountId, (tx) =>
        tx.query('test_account', `insert into accounts (id, name) values ($1, 'a')`, [accountId]),
      )
      return accountId
    },
    tell: async (accountId, resourceId, data = {}) => {
      await store.inTransaction(accountId, (tx) => tell(tx, accountId, resourceId, data))
      relay.wake()
    },
    tellAtOnce: async (accountId, resourceIds) => {
      await store.inTransaction(accountId, async (tx) => {
        for (const resourceId of resourceIds) await tell(tx, accountId, resourceId)
      })
      relay.wake()
    },
    start: (parts = {}) => {
      const deliveries = startDeliveries({
        ...{ store, listener, clock, log, random, outbound, wrapper },
        tellPaused: async (_tx, one) => void paused.push(one),
        onAttempt: () => undefined,
        ...parts,
      })
      running.push(deliveries)
      return deliveries
    },
    close: async () => {
      await relay.stop()
      await Promise.all(running.map((one) => one.stop()))
      await listener.stop()
      await database.close()
    },
  }
}

/** A request that an endpoint was sent. */
export interface Heard {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** An endpoint on this machine. */
export interface TestEndpoint {
  readonly url: string
  readonly heard: readonly Heard[]
  /** How it answers; 200 until it is said otherwise. */
  answer(how: (heard: Heard, response: ServerResponse) => void): void
  close(): Promise<void>
}

export async function openTestEndpoint(): Promise<TestEndpoint> {
  const heard: Heard[] = []
  let how = (_heard: Heard, response: ServerResponse): void => {
    response.end('ok')
  }
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      const one = { path: request.url ?? '', headers: request.headers, text: body.toString() }
      heard.push(one)
      how(one, response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('it does not listen')
  return {
    url: `http://127.0.0.1:${address.port}`,
    heard,
    answer: (next) => {
      how = next
    },
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

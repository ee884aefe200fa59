import { once } from 'node:events'
import { WebSocket } from 'ws'
import type { ClientOptions } from 'ws'
import type { Address } from '../chains/chain.ts'
import { parseAddress } from '../chains/evm/account.ts'
import { createAccount } from '../access/create-account.ts'
import { createKey } from '../access/create-key.ts'
import { openAddressLimit } from '../access/address-limit.ts'
import { openAuthenticator } from '../access/authenticate.ts'
import { openGate } from '../access/gate.ts'
import { openWindows } from '../access/windows.ts'
import { openTestServer } from '../http/test-server.ts'
import type { Plan, Scope } from '../kernel/caller.ts'
import { systemClock } from '../kernel/clock.ts'
import type { Clock } from '../kernel/clock.ts'
import type { AccountId, KeyId } from '../kernel/id.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import { SecretBytes } from '../kernel/secret.ts'
import { until } from '../kernel/until.ts'
import { openEvents } from '../open-events.ts'
import { testNetwork } from '../payments/test-lane.ts'
import { scriptedChain } from '../sender/test-chain.ts'
import { openListener } from '../store/listen.ts'
import type { Store } from '../store/postgres.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { startMarketRelay } from '../markets/market-relay.ts'
import { tradedMints } from '../markets/token-store.ts'
import { openFeed } from './feed.ts'
import { openMarketFeed } from './market-feed.ts'
import { watchOutbox } from './outbox-watch.ts'
import { startRelay } from './relay.ts'
import { tell } from './test-outbox.ts'

export interface TestKey {
  readonly accountId: AccountId
  readonly keyId: KeyId
  readonly text: string
}

/** One instance: relay, feed and edge over a database that others may share. */
export interface TestInstance {
  readonly url: string
  readonly socketUrl: string
  /** Its own view of the database: what is told through it wakes its relay. */
  readonly store: Store
  /** Writes facts in one transaction. */
  tell(accountId: AccountId, ...names: readonly string[]): Promise<void>
  /** Writes one with more to its data. */
  tellOf(accountId: AccountId, name: string, data: object): Promise<void>
  stop(): Promise<void>
}

export interface TestEvents {
  readonly database: TestDatabase
  start(options?: { clock?: Clock }): Promise<TestInstance>
  aKey(plan?: Plan, accountId?: AccountId, scopes?: readonly Scope[]): Promise<TestKey>
  close(): Promise<void>
}

const pepper = new SecretBytes(new Uint8Array(32).fill(7))
const log = openLog('silent')
/** Test wallets have addresses in small letters. */
const chain = scriptedChain(testNetwork(84532), {
  parseAddress: (text) => (parseAddress(text) ? (text.toLowerCase() as Address) : undefined),
})

/** A database with its accounts, and instances over it. */
export async function openTestEvents(
  openDatabase: () => Promise<TestDatabase> = openTestDatabase,
): Promise<TestEvents> {
  const database = await openDatabase()
  const deps = { store: database.store, clock: systemClock, random: systemRandom, pepper }
  const running: TestInstance[] = []
  let count = 0

  async function start({ clock = systemClock }: { clock?: Clock } = {}): Promise<TestInstance> {
    count += 1
    const store = watchOutbox(database.store, () => relay.wake())
    const listener = openListener({ url: database.url, clock, log })
    const feed = openFeed({ store, listener, clock, log })
    const relay = startRelay({
      ...{ store, listener, clock, log },
      random: systemRandom,
      instance: `instance-${count}`,
      onNumbered: [],
      announce: (events) => feed.announce(events),
    })
    const marketFeed = openMarketFeed()
    const marketRelay = startMarketRelay({
      ...{ store, listener, clock, log },
      feed: marketFeed,
      networks: [chain.config.network],
    })
    const windows = openWindows({ clock })
    const addresses = openAddressLimit({ windows })
    const authenticator = openAuthenticator({
      store,
      clock,
      log,
      random: systemRandom,
      pepper,
      addresses,
    })
    const gate = openGate({ authenticator, addresses, windows })
    const events = openEvents({
      ...{ store, feed, gate, addresses, clock, log },
      chains: [chain],
      markets: {
        feed: marketFeed,
        areTokens: (addresses) =>
          store.inTransaction('service', (tx) => tradedMints(tx, addresses)),
      },
      random: systemRandom,
      allowedOrigins: ['https://shop.example'],
      baseUrl: () => 'http://here.example',
    })
    const server = await openTestServer({
      routes: events.routes,
      sockets: events.sockets,
      streams: events.streams,
      gate,
      clock,
    })
    const instance = {
      url: server.url,
      store,
      socketUrl: `${server.url.replace('http', 'ws')}/api/data`,
      tell: (accountId: AccountId, ...names: readonly string[]) =>
        store.inTransaction('service', async (tx) => {
          for (const name of names) await tell(tx, accountId, name, { name })
        }),
      tellOf: (accountId: AccountId, name: string, data: object) =>
        store.inTransaction('service', (tx) => tell(tx, accountId, name, { name, ...data })),
      stop: async () => {
        if (!running.includes(instance)) return
        running.splice(running.indexOf(instance), 1)
        await server.close()
        await relay.stop()
        await marketRelay.stop()
        await events.stop()
        await feed.stop()
        await authenticator.close()
        await listener.stop()
      },
    }
    running.push(instance)
    return instance
  }

  return {
    database,
    start,
    aKey: async (plan = 'standard', accountId, scopes = ['read']) => {
      const account = accountId ?? (await createAccount(deps, 'events')).accountId
      const order = { accountId: account, name: 'k', mode: 'test', plan, scopes } as const
      const { facts, key } = await createKey(deps, { ...order, expiresAtMilliseconds: null })
      return { accountId: account, keyId: facts.keyId, text: key.reveal() }
    },
    close: async () => {
      for (const instance of [...running]) await instance.stop()
      await database.close()
    },
  }
}

/** What a socket was told, in order, and how it ended. */
export interface TestSocket {
  readonly socket: WebSocket
  readonly messages: Readonly<Record<string, unknown>>[]
  /** Of the events among them. */
  names(): readonly unknown[]
  send(message: object): void
  /** Waits for a message of that type beyond those that were waited for before. */
  next(type: string): Promise<Readonly<Record<string, unknown>>>
  closed(): Promise<{ readonly code: number; readonly reason: string }>
}

const SOON = { seconds: 30 }

/** Opens a socket, with a key at the upgrade or without. */
export async function openTestSocket(
  url: string,
  options: ClientOptions & { readonly key?: string } = {},
): Promise<TestSocket> {
  const { key, ...more } = options
  const socket = new WebSocket(url, {
    ...more,
    ...(key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } }),
  })
  const messages: Record<string, unknown>[] = []
  let seen = 0
  let end: { code: number; reason: string } | undefined
  socket.on('message', (data) => {
    messages.push(JSON.parse(Buffer.isBuffer(data) ? data.toString() : ''))
  })
  socket.on('close', (code, reason) => {
    end = { code, reason: String(reason) }
  })
  await once(socket, 'open')
  socket.on('error', () => undefined)
  return {
    socket,
    messages,
    names: () =>
      messages.flatMap(({ sequence, data }) =>
        sequence === undefined || typeof data !== 'object' || data === null
          ? []
          : [Reflect.get(data, 'name')],
      ),
    send: (message) => socket.send(JSON.stringify(message)),
    next: (type) =>
      until(
        `a message ${type}`,
        () => {
          const at = messages.findIndex(
            (message, index) => index >= seen && message['type'] === type,
          )
          if (at < 0) return undefined
          seen = at + 1
          return messages[at]
        },
        SOON,
      ),
    closed: () => until('the socket is closed', () => end, { seconds: 30 }),
  }
}

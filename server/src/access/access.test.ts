import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import pg from 'pg'
import { Refusal } from '@florin/wire/errors.ts'
import type { Clock } from '../kernel/clock.ts'
import { systemClock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import type { Random } from '../kernel/random.ts'
import { SecretBytes } from '../kernel/secret.ts'
import { StoreUnavailable } from '../store/postgres.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { openAuthenticator } from './authenticate.ts'
import { createAccount, openFirstAccount } from './create-account.ts'
import { createKey } from './create-key.ts'
import type { KeyOrder } from './create-key.ts'
import { deleteKey } from './delete-key.ts'
import { makeKey } from './key.ts'
import { listKeys } from './list-keys.ts'

const HOUR = 3_600_000
const pepper = new SecretBytes(new Uint8Array(systemRandom.bytes(32)))
const log = openLog('silent')
let database: TestDatabase
let now = Date.now()
const clock: Clock = { ...systemClock, nowMilliseconds: () => now }

beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

function deps() {
  return { store: database.store, clock, random: systemRandom, pepper, log }
}

/** The authenticator as one client sees it, counted by nobody. */
function openDoor(more: Omit<Parameters<typeof openAuthenticator>[0], 'addresses'>) {
  const free = { allowed: true, giveBack: () => undefined } as const
  const addresses = { count: () => undefined, countFile: () => undefined, countLookUp: () => free }
  const { authenticate, close } = openAuthenticator({ ...more, addresses })
  const at = '203.0.113.9'
  return {
    authenticate: async (values: readonly string[]) => await authenticate(values, at),
    atOnce: (values: readonly string[]) => authenticate(values, at),
    close,
  }
}

async function anAccount() {
  return (await createAccount(deps(), 'Sellers')).accountId
}

async function aKey(more: Partial<KeyOrder> = {}, random: Random = systemRandom) {
  const order: KeyOrder = {
    accountId: more.accountId ?? (await anAccount()),
    name: 'till',
    mode: 'test',
    plan: 'premium',
    scopes: ['read', 'write'],
    expiresAtMilliseconds: null,
    ...more,
  }
  const { facts, key } = await createKey({ ...deps(), random }, order)
  return { facts, text: key.reveal() }
}

async function refusalOf(work: Promise<unknown>): Promise<Refusal> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof Refusal)) throw new Error('was not refused', { cause: error })
  return error
}

const plain = ({ code, details, message }: Refusal) => ({ code, details, message })

describe('authenticate', () => {
  test('says who holds a live key, whatever the case of the scheme', async () => {
    const { facts, text } = await aKey()
    const { authenticate } = openDoor(deps())
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR ']) {
      expect(await authenticate([`${scheme} ${text}`])).toEqual({
        accountId: facts.accountId,
        keyId: facts.keyId,
        keyName: facts.name,
        plan: 'premium',
        scopes: new Set(['read', 'write']),
        requestsPerMinute: 1_000,
        exceptions: new Map(),
      })
    }
  })

  test('says at once who holds a key that was seen a moment ago, and at once when it has run out', async () => {
    const { facts, text } = await aKey({ expiresAtMilliseconds: now + 200 })
    const { atOnce } = openDoor(deps())
    expect(atOnce([`Bearer ${text}`])).toBeInstanceOf(Promise)
    await atOnce([`Bearer ${text}`])
    expect(atOnce([`Bearer ${text}`])).toMatchObject({ keyId: facts.keyId })
    now += 200
    expect(() => atOnce([`Bearer ${text}`])).toThrow(Refusal)
  })

  test('gives one and the same refusal for every key that does not open', async () => {
    const { authenticate } = openDoor(deps())
    const { text, facts } = await aKey()
    const { text: deleted, facts: gone } = await aKey()
    await deleteKey(deps(), gone)
    const { text: expired } = await aKey({ expiresAtMilliseconds: now + HOUR })
    const unknown = makeKey(systemRandom, 'live').text.reveal()
    now += HOUR
    const headers = [
      [],
      [''],
      ['Bearer'],
      ['Bearer '],
      [text],
      [`Basic ${text}`],
      [`Bearer ${text} ${text}`],
      [`Bearer ${text},`],
      [`Bearer ${text.slice(0, -1)}`],
      [`Bearer ${text}x`],
      [`Bearer ${text.replace('_test_', '_live_')}`],
      [`Bearer ${text}`, `Bearer ${text}`],
      [`Bearer ${text}`, ''],
      [`Bearer ${unknown}`],
      [`Bearer ${deleted}`],
      [`Bearer ${expired}`],
      [`Bearer ${facts.keyId}`],
      ['Bearer \u0000'],
      [`Bearer ${'a'.repeat(8000)}`],
    ]
    const refusals = await Promise.all(headers.map((values) => refusalOf(authenticate(values))))
    for (const refusal of refusals) {
      expect(plain(refusal)).toEqual(plain(new Refusal('UNAUTHORIZED')))
    }
  })

  test('a typo never reaches the database', async () => {
    const { text } = await aKey()
    const store = { ...database.store, query: () => Promise.reject(new Error('asked')) }
    const { authenticate } = openDoor({ ...deps(), store })
    const typo = text.slice(0, 20) + (text[20] === 'a' ? 'b' : 'a') + text.slice(21)
    expect((await refusalOf(authenticate([`Bearer ${typo}`]))).code).toBe('UNAUTHORIZED')
    await expect(authenticate([`Bearer ${text}`])).rejects.toThrow('asked')
  })

  test('a deletion holds within the stated time on every instance', async () => {
    const { facts, text } = await aKey()
    const instances = [openDoor(deps()), openDoor(deps())]
    for (const { authenticate } of instances) await authenticate([`Bearer ${text}`])
    await deleteKey(deps(), facts)
    now += limits.keyCacheMilliseconds
    expect(limits.keyCacheMilliseconds).toBeLessThanOrEqual(1000)
    for (const { authenticate } of instances) {
      expect((await refusalOf(authenticate([`Bearer ${text}`]))).code).toBe('UNAUTHORIZED')
    }
  })

  test('a clock that is set back does not make a deleted key live longer', async () => {
    const { facts, text } = await aKey()
    const { authenticate } = openDoor(deps())
    await authenticate([`Bearer ${text}`])
    await deleteKey(deps(), facts)
    now -= 1
    expect((await refusalOf(authenticate([`Bearer ${text}`]))).code).toBe('UNAUTHORIZED')
    now += 1
  })

  test('a key expires at its moment, remembered or not', async () => {
    const { text } = await aKey({ expiresAtMilliseconds: now + 100 })
    const { authenticate } = openDoor(deps())
    await authenticate([`Bearer ${text}`])
    now += 99
    await authenticate([`Bearer ${text}`])
    now += 1
    expect((await refusalOf(authenticate([`Bearer ${text}`]))).code).toBe('UNAUTHORIZED')
  })

  test('a busy key asks the database once per lifetime of the memory', async () => {
    const { text } = await aKey()
    let asked = 0
    const query: typeof database.store.query = (name, sql, values) => {
      if (name === 'access_find_key') asked += 1
      return database.store.query(name, sql, values)
    }
    const authenticator = openDoor({ ...deps(), store: { ...database.store, query } })
    const all = Array.from({ length: 50 }, () => authenticator.authenticate([`Bearer ${text}`]))
    expect(new Set((await Promise.all(all)).map(({ keyId }) => keyId)).size).toBe(1)
    expect(asked).toBe(1)
    now += limits.keyCacheMilliseconds
    await authenticator.authenticate([`Bearer ${text}`])
    expect(asked).toBe(2)
    await authenticator.close()
  })

  test('a database that is away is not a wrong key, and the next request asks again', async () => {
    const { text, facts } = await aKey()
    let away = true
    const query: typeof database.store.query = (name, sql, values) =>
      away ? Promise.reject(new StoreUnavailable('away')) : database.store.query(name, sql, values)
    const { authenticate } = openDoor({ ...deps(), store: { ...database.store, query } })
    await expect(authenticate([`Bearer ${text}`])).rejects.toThrow(StoreUnavailable)
    away = false
    expect((await authenticate([`Bearer ${text}`])).keyId).toBe(facts.keyId)
  })

  test('a key that is made after somebody asked for it works at once', async () => {
    const bytes = systemRandom.bytes(20)
    const random: Random = {
      bytes: (length) => (length === 20 ? bytes : systemRandom.bytes(length)),
    }
    const text = makeKey(random, 'test').text.reveal()
    const { authenticate } = openDoor(deps())
    expect((await refusalOf(authenticate([`Bearer ${text}`]))).code).toBe('UNAUTHORIZED')
    const { facts } = await aKey({}, random)
    expect((await authenticate([`Bearer ${text}`])).keyId).toBe(facts.keyId)
  })

  test('the last use is noted at most once a minute, and closing waits for the note', async () => {
    const { facts, text } = await aKey()
    const notes: (() => void)[] = []
    const noteUse: typeof database.store.write = async (...note) => {
      await new Promise<void>((resolve) => notes.push(resolve))
      return database.store.write(...note)
    }
    const authenticator = openDoor({ ...deps(), store: { ...database.store, write: noteUse } })
    const use = () => authenticator.authenticate([`Bearer ${text}`])
    const first = now
    await use()
    now += 59_999
    await use()
    expect(notes).toHaveLength(1)
    now += 1
    await use()
    expect(notes).toHaveLength(2)
    let closed = false
    const closing = authenticator.close().then(() => {
      closed = true
    })
    await database.store.query('a_round_trip', 'select 1')
    expect(closed).toBe(false)
    for (const note of notes) note()
    await closing
    const [listed] = await listKeys(deps(), facts.accountId)
    expect(listed?.lastUsedAtMilliseconds).toBe(first + 60_000)
  })
})

describe('keys of an account', () => {
  test('at most 20 are live, however many are asked for at once; deleted and expired ones do not count', async () => {
    const accountId = await anAccount()
    const { facts } = await aKey({ accountId, expiresAtMilliseconds: now + HOUR })
    const made = await Promise.allSettled(Array.from({ length: 25 }, () => aKey({ accountId })))
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(19)
    expect(await refusalOf(aKey({ accountId }))).toMatchObject({
      code: 'INVALID_PARAMETERS',
      details: { account: 'has 20 live keys, the most it may have' },
    })
    now += HOUR
    await aKey({ accountId })
    await deleteKey(deps(), facts)
    expect(await listKeys(deps(), accountId)).toHaveLength(20)
  })

  test('that have expired are kept so many, those that expired last, however many are made', async () => {
    const accountId = await anAccount()
    const max = limits.expiredKeysPerAccountMax
    const made: string[] = []
    for (let count = 0; count < max + 2; count += 1) {
      const { facts } = await aKey({ accountId, expiresAtMilliseconds: now + 1 })
      made.push(facts.keyId)
      now += 1
    }
    const living = await aKey({ accountId })
    const listed = await listKeys(deps(), accountId)
    expect(listed.map(({ keyId }) => keyId)).toEqual([...made.slice(-max), living.facts.keyId])
  })

  test('are listed with all facts but the key, and deleted by their own account only', async () => {
    const { facts, text } = await aKey({ expiresAtMilliseconds: now + HOUR })
    const listed = await listKeys(deps(), facts.accountId)
    expect(listed).toEqual([facts])
    expect(facts.lastFour).toBe(text.slice(-4))
    expect(JSON.stringify(listed)).not.toContain(text.slice(12, 39))
    const stranger = { accountId: await anAccount(), keyId: facts.keyId }
    expect((await refusalOf(deleteKey(deps(), stranger))).code).toBe('NOT_FOUND')
    await deleteKey(deps(), facts)
    expect((await refusalOf(deleteKey(deps(), facts))).code).toBe('NOT_FOUND')
    expect(await listKeys(deps(), facts.accountId)).toEqual([])
  })

  test.each([
    ['name', { name: '' }],
    ['name', { name: ' ' }],
    ['name', { name: 'x'.repeat(101) }],
    ['name', { name: 'a\u0000b' }],
    ['name', { name: 'a\ud800' }],
    ['scopes', { scopes: [] }],
    ['expiresAt', { expiresAtMilliseconds: 0 }],
  ])('a bad %s is refused', async (field, more) => {
    const refusal = await refusalOf(aKey(more))
    expect(refusal.code).toBe('INVALID_PARAMETERS')
    expect(Object.keys(refusal.details ?? {})).toEqual([field])
  })

  test('need an account that exists', async () => {
    const nobody = newId(systemRandom, 'acct')
    expect((await refusalOf(aKey({ accountId: nobody }))).code).toBe('NOT_FOUND')
  })

  test('are nowhere in the database in clear, nor is the pepper', async () => {
    const { text } = await aKey()
    const owner = new pg.Client({ connectionString: database.ownerUrl.reveal() })
    await owner.connect()
    try {
      const { rows } = await owner.query<{ row: string }>(
        'select row_to_json(k)::text as row from api_keys k',
      )
      const dump = rows.map(({ row }) => row).join('\n')
      expect(dump).not.toContain(text.slice(12, 39))
      expect(dump).not.toContain(Buffer.from(pepper.reveal()).toString('hex'))
      await owner.query('set enable_seqscan = off')
      const plan = await owner.query<{ 'QUERY PLAN': string }>(
        `explain select id from api_keys where digest = '\\x00'::bytea`,
      )
      expect(JSON.stringify(plan.rows)).toContain('Index')
    } finally {
      await owner.end()
    }
  })
})

test('the first account is one, however many ask for it at once', async () => {
  const empty = await openTestDatabase()
  try {
    const opened = await Promise.all(
      Array.from({ length: 8 }, () => openFirstAccount({ ...deps(), store: empty.store }, 'House')),
    )
    expect(new Set(opened.map(({ accountId }) => accountId)).size).toBe(1)
  } finally {
    await empty.close()
  }
})

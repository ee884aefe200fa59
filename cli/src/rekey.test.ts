import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createAccount } from '@florin/server/access/create-account.ts'
import { openAudit } from '@florin/server/audit/audit.ts'
import { SYSTEM } from '@florin/server/audit/entry.ts'
import { testNetwork } from '@florin/server/chains/evm/test-network.ts'
import { createWallet } from '@florin/server/custody/create-wallet.ts'
import type { Custody } from '@florin/server/custody/create-wallet.ts'
import { evmKeys } from '@florin/server/custody/evm-keys.ts'
import { loadInstallationSecret } from '@florin/server/custody/installation-secrets.ts'
import { findKeyProblem, openKeyEncryptionKey } from '@florin/server/custody/key-encryption-key.ts'
import { keyFromText } from '@florin/server/custody/key-file.ts'
import { localKeyWrapper } from '@florin/server/custody/key-wrapper.ts'
import { openSigner } from '@florin/server/custody/signer.ts'
import { insertWallet, listWallets } from '@florin/server/custody/store.ts'
import { systemClock as clock } from '@florin/server/kernel/clock.ts'
import type { AccountId, WebhookId } from '@florin/server/kernel/id.ts'
import { openLog } from '@florin/server/kernel/log.ts'
import { systemRandom as random } from '@florin/server/kernel/random.ts'
import { until } from '@florin/server/kernel/until.ts'
import { countConnectedInstances } from '@florin/server/store/connected-instances.ts'
import { openListener } from '@florin/server/store/listen.ts'
import { openTestDatabase } from '@florin/server/store/test-database.ts'
import type { TestDatabase } from '@florin/server/store/test-database.ts'
import { createWebhook, rotateSecret } from '@florin/server/webhooks/manage.ts'
import { openSecret } from '@florin/server/webhooks/secret.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WAITS_HERE } from '@florin/server/store/test-waits.ts'

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url))
const WALLETS = 40
const KILLS = 6
const network = testNetwork([])

const directory = mkdtempSync(join(tmpdir(), 'florin-rekey-'))
let database: TestDatabase
let accountId: AccountId
/** The key that everything is sealed under now, by the name of its file. */
let current = 'key-0'
const texts = new Map<string, string>()

function newKeyFile(name: string): string {
  const text = Buffer.from(random.bytes(32)).toString('hex')
  texts.set(name, text)
  writeFileSync(join(directory, name), `${text}\n`, { mode: 0o600 })
  return join(directory, name)
}

async function custodyOf(name: string): Promise<Custody> {
  const { store } = database
  const text = keyFromText(texts.get(name) ?? '')
  const keyEncryptionKey = await openKeyEncryptionKey({ store, text, random })
  const wrapper = localKeyWrapper({ keyEncryptionKey, random })
  return { wrapper, schemes: [evmKeys({ random })], networks: [network], random, clock }
}

beforeAll(async () => {
  database = await openTestDatabase()
  newKeyFile(current)
  const custody = await custodyOf(current)
  const { store } = database
  accountId = (await createAccount({ store, clock, random }, 'shop')).accountId
  for (let made = 0; made < WALLETS; made += 1) {
    const wallet = await createWallet(custody, { accountId, family: 'evm', label: null })
    await store.inTransaction(accountId, (tx) => insertWallet(tx, custody.wrapper, wallet))
  }
  await loadInstallationSecret({ store, wrapper: custody.wrapper, random }, 'key-pepper')
  const audit = openAudit({ clock, random })
  const deps = { store, wrapper: custody.wrapper, random, clock, audit, sandbox: true }
  const whose = { accountId, actor: SYSTEM, key: undefined }
  const terms = { url: 'http://127.0.0.1:9/', description: null, types: [], enabled: true }
  const { webhook } = await createWebhook(deps, { ...whose, ...terms, plan: 'standard' })
  await rotateSecret(deps, { ...whose, webhookId: webhook.id, previousValidSeconds: 3600 })
})
afterAll(async () => {
  rmSync(directory, { recursive: true })
  await database.close()
})

const environment = () => ({
  FLORIN_DATA_DIR: directory,
  DATABASE_URL: database.url.reveal(),
  FLORIN_KEY_FILE: join(directory, current),
})

const rekeyTo = (path: string, ...switches: readonly string[]) =>
  spawnSync(process.execPath, [MAIN, 'rekey', path, ...switches], {
    cwd: directory,
    env: environment(),
    encoding: 'utf8',
  })

/** Opens everything that is sealed, with a process that starts with this key. Gives what the webhook's secrets and the pepper are. */
async function openEverything(name: string): Promise<readonly string[]> {
  const custody = await custodyOf(name)
  const { store } = database
  const wallets = await store.inTransaction(accountId, (tx) => listWallets(tx, accountId))
  expect(wallets.length).toBeGreaterThanOrEqual(WALLETS)
  for (const wallet of wallets) (await openSigner(custody, wallet, network)).erase()
  const { wrapper } = custody
  const rows = await store.query<{ id: WebhookId; sealed: Uint8Array }>(
    'test_webhook_secrets',
    'select id, unnest(array[sealed_secret, sealed_previous_secret]) as sealed from webhooks',
  )
  const secrets = [await loadInstallationSecret({ store, wrapper, random }, 'key-pepper')]
  for (const { id, sealed } of rows) {
    secrets.push(await openSecret(wrapper, { webhookId: id, accountId }, sealed))
  }
  expect(secrets).toHaveLength(3)
  return secrets.map((secret) => Buffer.from(secret.reveal()).toString('hex'))
}

/** Which of two keys is the one of this database; exactly one must be. */
async function keyNow(names: readonly [string, string]): Promise<string> {
  const { store } = database
  const fits: string[] = []
  for (const name of names) {
    const text = keyFromText(texts.get(name) ?? '')
    if ((await findKeyProblem({ store, text })) === undefined) fits.push(name)
  }
  expect(fits).toHaveLength(1)
  return fits[0] ?? ''
}

/** Every column that holds something sealed, with a digest of all its rows. */
async function sealedColumns(): Promise<ReadonlyMap<string, string | null>> {
  const columns = await database.store.query<{ table: string; column: string }>(
    'test_sealed_columns',
    `select table_name as table, column_name as column from information_schema.columns
      where table_schema = 'public' and data_type = 'bytea' and column_name like '%sealed%' order by 1, 2`,
  )
  const found = new Map<string, string | null>()
  for (const { table, column } of columns) {
    const rows = await database.store.query<{ digest: string | null }>(
      `test_digest_${table}_${column}`,
      `select string_agg(encode(sha256(${column}), 'hex'), ' ' order by ${column}) as digest from ${table}`,
    )
    found.set(`${table}.${column}`, rows[0]?.digest ?? null)
  }
  return found
}

test('florin rekey seals everything anew that is sealed under the key, and says how much and what to do next', async () => {
  const secrets = await openEverything(current)
  const before = await sealedColumns()
  const path = newKeyFile('key-1')
  const { status, stdout, stderr } = rekeyTo(path)
  expect({ status, stdout }).toEqual({
    status: 0,
    stdout: `Sealed anew under the key of ${path}: wallets ${WALLETS}, webhooks 1, secrets of the installation 1.\n`,
  })
  expect(stderr).toContain('FLORIN_KEY_FILE')
  for (const text of texts.values()) expect(stdout + stderr).not.toContain(text)
  const after = await sealedColumns()
  const unchanged = [...before].filter(([name, digest]) => after.get(name) === digest)
  // A private key stays under its data key; a column without a row here would not be looked at.
  expect(unchanged.map(([name]) => name)).toEqual(['wallets.sealed_private_key'])
  expect([...before.values()]).not.toContain(null)
  current = 'key-1'
  expect(await openEverything(current)).toEqual(secrets)
})

test('the same again changes nothing, with either key in the settings', () => {
  const path = join(directory, current)
  expect(rekeyTo(path, '--json')).toMatchObject({ status: 0, stdout: '{"kind":"done before"}\n' })
  current = 'key-0'
  const { status, stdout } = rekeyTo(path)
  current = 'key-1'
  expect({ status, stdout }).toEqual({
    status: 0,
    stdout: `Everything is sealed under the key of ${path} already. Nothing was changed.\n`,
  })
})

test('killed in the middle, it has changed nothing', async () => {
  const path = newKeyFile('key-mid')
  const secrets = await openEverything(current)
  const held = Promise.withResolvers<void>()
  const letGo = Promise.withResolvers<void>()
  const holding = database.store.inTransaction('service', async (tx) => {
    await tx.query('test_hold', 'select id from webhooks for update')
    held.resolve()
    await letGo.promise
  })
  await held.promise
  const child = spawn(process.execPath, [MAIN, 'rekey', path], {
    cwd: directory,
    env: environment(),
    stdio: 'ignore',
  })
  const ended = once(child, 'exit')
  // Wallets are sealed anew by then, and the webhooks' secrets wait for a row that somebody holds.
  await until(
    'it stands in the middle',
    async () => {
      if (child.exitCode !== null) throw new Error('it ended by itself')
      const rows = await database.store.query<{ waits: boolean }>(
        'test_waits',
        `select exists (select from ${WAITS_HERE}) as waits`,
      )
      return rows[0]?.waits
    },
    { seconds: 30 },
  )
  child.kill('SIGKILL')
  await ended
  letGo.resolve()
  await holding
  await until('its transaction is over', isAlone, { seconds: 30 })
  expect(await keyNow([current, 'key-mid'])).toBe(current)
  expect(await openEverything(current)).toEqual(secrets)
})

async function isAlone(): Promise<boolean> {
  const rows = await database.store.query<{ others: string }>(
    'test_others',
    `select count(*) as others from pg_locks l join pg_class c on c.oid = l.relation
      where c.relname = 'installation_secrets' and l.pid <> pg_backend_pid()`,
  )
  return rows[0]?.others === '0'
}

test(`killed at any moment, ${KILLS} times, exactly one of the two keys opens everything`, async () => {
  const secrets = await openEverything(current)
  let usualMilliseconds = 1_500
  const moments: number[] = []
  for (let kill = 0; kill < KILLS; kill += 1) {
    const name = `key-kill-${kill}`
    const path = newKeyFile(name)
    const moment = Math.round(usualMilliseconds * (0.4 + (0.6 * kill) / KILLS))
    moments.push(moment)
    const began = performance.now()
    const child = spawn(process.execPath, [MAIN, 'rekey', path], {
      cwd: directory,
      env: environment(),
      stdio: 'ignore',
    })
    const ended = once(child, 'exit')
    await Promise.race([ended, delay(moment)])
    if (child.exitCode === null) child.kill('SIGKILL')
    else usualMilliseconds = performance.now() - began
    await ended
    await until('its transaction is over', isAlone, { seconds: 30 })
    current = await keyNow([current, name])
    expect(await openEverything(current)).toEqual(secrets)
  }
  expect(moments).toHaveLength(KILLS)
})

test('where the answer to its commit is lost it says to run it again, and that says that it was done', async () => {
  const secrets = await openEverything(current)
  const path = newKeyFile('key-lost')
  const lossy = await loseAnswerToCommit()
  const child = spawn(process.execPath, [MAIN, 'rekey', path], {
    cwd: directory,
    env: { ...environment(), DATABASE_URL: lossy.url },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [said, [status]] = await Promise.all([textOf(child.stderr), once(child, 'exit')])
  await lossy.close()
  expect(said).toContain('Run this again: it says whether it was done before.')
  expect(said).not.toContain('bug')
  expect(status).toBe(1)
  await until('its transaction is over', isAlone, { seconds: 30 })
  expect(rekeyTo(path).stdout).toContain('already. Nothing was changed.')
  current = 'key-lost'
  expect(await openEverything(current)).toEqual(secrets)
})

/** A way to the database on which an exchange's commit arrives, and its answer does not come back. */
async function loseAnswerToCommit() {
  const address = new URL(database.url.reveal())
  const { hostname, port } = address
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    let hasChanged = false
    for (const socket of [near, far]) socket.on('error', () => undefined)
    near.on('data', (bytes: Buffer) => {
      hasChanged ||= bytes.includes('update installation_secrets')
      if (hasChanged && bytes.includes('commit')) {
        far.unpipe(near)
        far.resume()
        far.once('data', () => near.destroy())
      }
      far.write(bytes)
    })
    far.pipe(near)
    near.on('close', () => far.end())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  address.port = String((server.address() as AddressInfo).port)
  return {
    url: address.href,
    close: async () => {
      server.close()
      await once(server, 'close')
    },
  }
}

test('while an instance is connected it is refused, and nothing is changed', async () => {
  const path = newKeyFile('key-early')
  const log = openLog('silent')
  const listener = openListener({ url: database.url, clock, log })
  try {
    await until(
      'the instance listens',
      async () => (await countConnectedInstances(database.url)) === 1,
      { seconds: 30 },
    )
    const { status, stderr } = rekeyTo(path)
    expect(stderr).toContain('stop every instance first: one is connected')
    expect(status).toBe(1)
  } finally {
    await listener.stop()
  }
  expect(await keyNow([current, 'key-early'])).toBe(current)
})

test.each([
  ['a file that is not there', 'absent', undefined, 'openssl rand -hex 32'],
  ['a weak key', 'weak', 'change-me-change-me-change-me-change-me', 'is weak'],
  ['a key that others can read', 'open', undefined, 'can be read by others'],
])('%s is refused with what to do', (_, name, text, said) => {
  const path = join(directory, name)
  if (name === 'open') chmodSync(newKeyFile(name), 0o644)
  if (text !== undefined) writeFileSync(path, text, { mode: 0o600 })
  const { status, stdout, stderr } = rekeyTo(path)
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  expect(stderr).toContain(said)
})

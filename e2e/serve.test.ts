import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { connect } from 'node:tls'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { privateKeyToAddress } from 'viem/accounts'
import { testCertificate } from '@florin/cli/serve/test-certificate.ts'
import { systemClock } from '@florin/server/kernel/clock.ts'
import { openLog } from '@florin/server/kernel/log.ts'
import { systemRandom } from '@florin/server/kernel/random.ts'
import { startTestProxy } from '@florin/server/chains/json-rpc/test-proxy.ts'
import type { TestProxy } from '@florin/server/chains/json-rpc/test-proxy.ts'
import { until } from '@florin/server/kernel/until.ts'
import { startPostgres } from '@florin/server/store/embedded/start-postgres.ts'
import type { EmbeddedPostgres } from '@florin/server/store/embedded/start-postgres.ts'
import { FLORIN } from './actors/florin.ts'
import { startPlainNode } from './actors/plain-node.ts'
import type { PlainNode } from './actors/plain-node.ts'
import { openTlsClient, spawnServe } from './actors/serve.ts'
import type { ServeHandle } from './actors/serve.ts'

const READY = fileURLToPath(new URL('../deploy/ready.js', import.meta.url))
const SEPOLIA = 11_155_111
const ETHER = 10n ** 18n
/** Secrets of this test: nothing may ever print them. */
const MASTER = randomBytes(32).toString('hex')
const NEXT_MASTER = randomBytes(32).toString('hex')
const PRIVATE = randomBytes(32)
const PASSWORD = randomBytes(24).toString('hex')
const PROVIDER_KEY = randomBytes(16).toString('hex')
/** Of a setting that nobody knows: it may hold a secret. */
const UNKNOWN = randomBytes(16).toString('hex')

let directory: string
let postgres: EmbeddedPostgres
let node: PlainNode
/** Two ways to the node, as from two providers. */
let gateways: readonly TestProxy[]
let env: Readonly<Record<string, string>>
const path = (name: string) => join(directory, name)
const certificates = [testCertificate(), testCertificate()]
const printed: string[] = []

function networks(change: object = {}) {
  return JSON.stringify({
    networks: [
      {
        network: node.network,
        name: 'Somebody else’s test network',
        rpcUrls: gateways.map(({ url }) => `${url}/v2/${PROVIDER_KEY}`),
        assets: [{ symbol: 'ETH', asset: 'native', decimals: 18, takesCommitment: true }],
        releaseDepth: 0,
        finality: { kind: 'tag' },
        blockTimeMilliseconds: 1_000,
        fees: {
          feePerGasMax: '500000000000',
          tipPerGasDefault: '1000000',
          ceilingMultiple: '2',
          bumpAfterBlocks: 3,
        },
        ...change,
      },
    ],
  })
}

/** Runs a command of ours to its end, as an operator would. */
async function florin(args: readonly string[], { input = '' }: { input?: string } = {}) {
  const { PATH = '' } = process.env
  const child = spawn(process.execPath, [FLORIN, ...args], {
    cwd: directory,
    env: { PATH, HOME: directory, ...env },
  })
  const ended = once(child, 'close')
  child.stdin.end(input)
  const [stdout, stderr] = await Promise.all([readAll(child.stdout), readAll(child.stderr)])
  await ended
  printed.push(stdout, stderr)
  return { status: child.exitCode, stdout, stderr }
}

/** As docs/operating/production.md says: a role that is no superuser, and a database of its own. */
async function makeDatabase(superuser: string): Promise<string> {
  const page = await readFile(new URL('../docs/operating/production.md', import.meta.url), 'utf8')
  const [, statements = ''] = /```sql\n(.*?)```/s.exec(page) ?? []
  const owner = new pg.Client({ connectionString: superuser })
  await owner.connect()
  try {
    // The embedded PostgreSQL has a superuser of that name already.
    const own = statements.replaceAll('florin', 'keeper').replace("'...'", `'${PASSWORD}'`)
    for (const statement of own.split(/;\n/)) {
      if (statement.trim() !== '') await owner.query(statement)
    }
  } finally {
    await owner.end()
  }
  const url = new URL(superuser)
  return Object.assign(url, { username: 'keeper', password: PASSWORD, pathname: '/keeper' }).href
}

async function showCertificate(index: number): Promise<void> {
  const { certificate = '', key = '' } = certificates[index] ?? {}
  await writeFile(path('chain.pem'), certificate)
  await writeFile(path('key.pem'), key, { mode: 0o600 })
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'florin-serve-'))
  await chmod(directory, 0o711)
  const surroundings = { log: openLog('silent'), clock: systemClock, random: systemRandom }
  ;[postgres, node] = await Promise.all([
    startPostgres({ directory: path('postgres'), ...surroundings }),
    startPlainNode(SEPOLIA),
  ])
  const databaseUrl = await makeDatabase(postgres.ownerUrl.reveal())
  gateways = await Promise.all([startTestProxy(node.rpcUrl), startTestProxy(node.rpcUrl)])
  await writeFile(path('master.key'), `${MASTER}\n`, { mode: 0o600 })
  await writeFile(path('networks.json'), networks())
  await showCertificate(0)
  env = {
    DATABASE_URL: databaseUrl,
    FLORIN_NETWORKS: path('networks.json'),
    FLORIN_KEY_FILE: path('master.key'),
    FLORIN_TLS_CERT: path('chain.pem'),
    FLORIN_TLS_KEY: path('key.pem'),
    FLORIN_PUBLIC_URL: 'https://localhost',
    FLORIN_METRIC_PORT: UNKNOWN,
  }
})
afterAll(async () => {
  await Promise.all((gateways ?? []).map((gateway) => gateway.stop()))
  await node?.stop()
  await postgres?.stop()
  await rm(directory, { recursive: true, force: true })
})

describe('from nothing to production', () => {
  test('serve says what an empty database needs, and migrate does it', async () => {
    const early = spawnServe(env, { directory })
    expect((await early.ended).code).toBe(78)
    expect(early.stderr()).toContain('one problem')
    expect(early.stderr()).toContain('florin migrate')
    const first = await florin(['migrate'])
    expect(first.stdout).toMatch(/^Applied \d+ migrations: 000001_foundation\.sql to /)
    expect((await florin(['migrate'])).stdout).toContain('nothing was applied')
  })

  test('a key comes by standard input only, and gives the same wallet each time', async () => {
    const hex = PRIVATE.toString('hex')
    const imported = await florin(['wallets', 'import', '--label', 'till', '--json'], {
      input: hex,
    })
    expect(imported.status, imported.stderr).toBe(0)
    const wallet = JSON.parse(imported.stdout) as Record<string, unknown>
    expect(wallet).toMatchObject({ address: privateKeyToAddress(`0x${hex}`), was: 'new' })
    const again = await florin(['wallets', 'import', '--json'], { input: `0x${hex}\n` })
    expect(JSON.parse(again.stdout)).toMatchObject({
      id: wallet['id'],
      label: 'till',
      was: 'there',
    })
    const onTheLine = [[hex], [`--key=${hex}`], ['--label', 'x', hex]]
    const refusals = onTheLine.map((args) => florin(['wallets', 'import', ...args]))
    for (const refused of await Promise.all(refusals)) {
      expect(refused).toMatchObject({ status: 2, stdout: '' })
      expect(refused.stderr).toContain('standard input')
    }
    expect((await florin(['wallets', 'import'], { input: 'not a key' })).status).toBe(1)
    const listed = await florin(['wallets', 'list'])
    expect(listed.stdout).toContain(String(wallet['address']))
    expect(printed.join('')).not.toContain(hex)
  })

  describe('a running instance', () => {
    let serve: ServeHandle
    let call: ReturnType<typeof openTlsClient>
    let shown = 0
    let apiKey = ''
    const wallet = privateKeyToAddress(`0x${PRIVATE.toString('hex')}`)
    const recipient = privateKeyToAddress(`0x${randomBytes(32).toString('hex')}`)
    beforeAll(async () => {
      await node.fund(wallet, 10n * ETHER)
      serve = spawnServe(env, { directory })
      const key = await florin(['keys', 'create', '--name', 'first', '--json'])
      apiKey = String((JSON.parse(key.stdout) as Record<string, unknown>)['key'])
      const port = await serve.port()
      call = openTlsClient(port, () => certificates[shown]?.certificate ?? '', apiKey)
    })
    afterAll(async () => {
      serve.signal('SIGKILL')
      await serve.ended
    })

    test('becomes ready and says so, in JSON on standard output', async () => {
      await until('ready', async () => (await call('GET', '/health/ready')).status === 200, {
        seconds: 60,
      })
      await until('ready in the log', () => serve.said('ready'), { seconds: 30 })
      const reply = await call('GET', '/health/live')
      expect(reply.headers['strict-transport-security']).toMatch(/^max-age=/)
      expect(serve.log().find(({ msg }) => msg === 'a setting is not known')).toMatchObject({
        level: 'warn',
        reason: expect.stringContaining('Did you mean FLORIN_METRICS_PORT?'),
      })
      const { body } = await call('GET', '/nowhere')
      expect(body['error']).toMatchObject({ docs: 'https://localhost/docs/errors/NOT_FOUND' })
      const said =
        /^Nobody runs this installation yet\..*\nhttps:\/\/localhost\/signin#link=(\S+)\n.*\n$/
      await until('the first link is said', () => said.test(serve.stderr()), { seconds: 60 })
      const link = said.exec(serve.stderr())?.[1] ?? ''
      expect(serve.stdout()).not.toContain(link)
      const first = await call('POST', '/session', { link })
      expect(first.body).toMatchObject({ operator: true, selected: { role: 'owner' } })
      expect((await call('POST', '/session', { link })).status).toBe(401)
      const { stdout } = await florin(['operator-link', '--json'])
      const [page, other] = String(Object(JSON.parse(stdout)).link).split('#link=')
      expect(page).toBe('https://localhost/signin')
      expect((await call('POST', '/session', { link: other })).body).toMatchObject({
        operator: true,
      })
      const settings = { FLORIN_PORT: String(await serve.port()), FLORIN_TLS_CERT: 'given' }
      const probe = spawn(process.execPath, [READY], { env: settings })
      await once(probe, 'exit')
      expect(probe.exitCode).toBe(0)
    })

    test('pays from the imported wallet over TLS', async () => {
      const reply = await call('POST', '/payment/send', {
        walletAddress: wallet,
        recipientAddress: recipient,
        amount: '1.5',
        timeout: 20,
      })
      expect(reply.body).toMatchObject({ success: true, status: 'confirmed' })
      expect(await node.balanceOf(recipient)).toBe((3n * ETHER) / 2n)
      const doctor = await florin(['doctor'])
      expect(doctor.stdout).toBe('Every invariant holds in what could be asked.\n')
      expect(doctor.status).toBe(0)
    })

    test('pays on when a node fails, stays ready, and says which one it does not read', async () => {
      const [first, second] = gateways
      first?.set('refuses')
      const reply = await call('POST', '/payment/send', {
        walletAddress: wallet,
        recipientAddress: recipient,
        amount: '0.5',
        timeout: 20,
      })
      expect(reply.body).toMatchObject({ success: true, status: 'confirmed' })
      const host = (gateway: TestProxy | undefined) => new URL(gateway?.url ?? '').host
      const ready = await call('GET', '/health/ready')
      expect(ready.body).toMatchObject({
        status: 'ready',
        nodes: {
          [node.network]: [
            { node: 1, host: host(first), state: 'aside' },
            { node: 2, host: host(second), state: 'ok' },
          ],
        },
      })
      const line = serve.log().find(({ msg }) => msg === 'a node is put aside')
      expect(line).toMatchObject({ network: node.network, host: host(first) })
      first?.set('passes')
    })

    test.each(['FLORIN_PORT', 'FLORIN_METRICS_PORT'])(
      'another one whose %s is taken says what to set and ends',
      async (name) => {
        const taken = String(await serve.port())
        const second = spawnServe({ ...env, [name]: taken }, { directory })
        await until('it has ended', () => second.code() !== null, { seconds: 60 })
        expect(second.stderr()).toMatch(
          new RegExp(`^florin: [^\\n]*port ${taken} [^\\n]*${name}[^\\n]*\\n$`),
        )
        expect(await second.ended).toEqual({ code: 1, signal: null })
      },
    )

    test('SIGHUP brings a new certificate in, and a bad one is not taken', async () => {
      await writeFile(path('chain.pem'), 'nothing')
      serve.signal('SIGHUP')
      const kept = 'SIGHUP: the new certificate is not fit, the old one stays'
      await until('the bad one is named', () => serve.said(kept), { seconds: 30 })
      expect((await call('GET', '/health/live')).status).toBe(200)
      await showCertificate(1)
      serve.signal('SIGHUP')
      const renewed = 'SIGHUP: the certificate was read again'
      await until('the new one is there', () => serve.said(renewed), { seconds: 30 })
      await expect(call('GET', '/health/live')).rejects.toThrow('self-signed')
      shown = 1
      expect((await call('GET', '/health/live')).status).toBe(200)
    })

    test('SIGTERM lets what is in flight finish, and ends with 0', async () => {
      await node.client.call('evm_setAutomine', [false])
      await node.client.call('evm_setIntervalMining', [0])
      const paying = call('POST', '/payment/send', {
        walletAddress: wallet,
        recipientAddress: recipient,
        amount: '0.5',
        timeout: 20,
      })
      await until(
        'the node has it',
        async () => {
          const pool = await node.client.call('txpool_status', [])
          return Number((pool as { pending?: string }).pending ?? '0') === 1
        },
        { seconds: 30 },
      )
      serve.signal('SIGTERM')
      const reply = await paying
      expect(reply.body).toMatchObject({ success: true, status: 'pending' })
      expect(await serve.ended).toEqual({ code: 0, signal: null })
      expect(serve.said('stopped')).toBe(true)
    })

    test('while it drains it is not ready, and another signal ends it at once', async () => {
      const draining = spawnServe(env, { directory })
      const port = await draining.port()
      const ask = openTlsClient(port, () => certificates[shown]?.certificate ?? '', 'none')
      const unfinished = connect({ host: '127.0.0.1', port, rejectUnauthorized: false })
      unfinished.on('error', () => undefined)
      await once(unfinished, 'secureConnect')
      // One that needs no key: reading a key takes a moment, and who is not let in by then is refused.
      const head = ['POST /session HTTP/1.1', 'host: localhost']
      const body = ['content-type: application/json', 'content-length: 9', 'expect: 100-continue']
      unfinished.write([...head, ...body, '', '{'].join('\r\n'))
      // The server asks for the rest: the request is in.
      await once(unfinished, 'data')
      expect((await ask('GET', '/health/live')).status).toBe(200)
      draining.signal('SIGTERM')
      await until(
        'it says that it stops',
        async () => {
          const { status, body } = await ask('GET', '/health/ready')
          const { details } = (body['error'] ?? {}) as { details?: { service?: string } }
          return status === 503 && details?.service === 'stopping'
        },
        { seconds: 30 },
      )
      let isOver = false
      void draining.ended.then(() => (isOver = true))
      await until('it ends', () => draining.signal('SIGTERM') === undefined && isOver, {
        seconds: 30,
      })
      expect(await draining.ended).toEqual({ code: 130, signal: null })
      unfinished.destroy()
    })

    test('the key-encryption key is exchanged while nothing runs, and then only the new one starts', async () => {
      await writeFile(path('new.key'), `${NEXT_MASTER}\n`, { mode: 0o600 })
      const running = spawnServe(env, { directory })
      await running.port()
      const early = await florin(['rekey', path('new.key')])
      expect(early).toMatchObject({ status: 1, stdout: '' })
      expect(early.stderr).toContain('stop every instance first')
      running.signal('SIGTERM')
      expect((await running.ended).code).toBe(0)
      const done = await florin(['rekey', path('new.key')])
      expect(done.stdout, done.stderr).toMatch(/^Sealed anew .*: wallets 1, webhooks 0, /)
      const old = spawnServe(env, { directory })
      expect((await old.ended).code).toBe(78)
      expect(old.stderr()).toContain('is not the one that sealed')
      env = { ...env, FLORIN_KEY_FILE: path('new.key') }
      serve = spawnServe(env, { directory })
      const ask = openTlsClient(
        await serve.port(),
        () => certificates[shown]?.certificate ?? '',
        apiKey,
      )
      await node.client.call('evm_setAutomine', [true])
      const asset = { walletAddress: wallet, recipientAddress: recipient, amount: '0.5' }
      const reply = await ask('POST', '/payment/send', { ...asset, timeout: 20 })
      expect(reply.body).toMatchObject({ success: true, status: 'confirmed' })
      printed.push(running.stdout(), running.stderr(), old.stdout(), old.stderr())
    })

    test('nothing that it or a command printed holds a secret', () => {
      const all = [...printed, serve.stdout(), serve.stderr()].join('\n')
      const secrets = [MASTER, NEXT_MASTER, PRIVATE.toString('hex'), PROVIDER_KEY]
      for (const secret of [...secrets, PASSWORD, UNKNOWN]) {
        expect(all).not.toContain(secret)
      }
    })
  })
})

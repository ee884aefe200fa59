import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createWallet } from '@florin/server/custody/create-wallet.ts'
import { evmKeys } from '@florin/server/custody/evm-keys.ts'
import { openKeyEncryptionKey } from '@florin/server/custody/key-encryption-key.ts'
import { keyFromText } from '@florin/server/custody/key-file.ts'
import { localKeyWrapper } from '@florin/server/custody/key-wrapper.ts'
import { insertWallet } from '@florin/server/custody/store.ts'
import { createAccount } from '@florin/server/access/create-account.ts'
import { systemClock } from '@florin/server/kernel/clock.ts'
import { systemRandom } from '@florin/server/kernel/random.ts'
import { until } from '@florin/server/kernel/until.ts'
import { startTestNode } from '@florin/server/chains/json-rpc/test-node.ts'
import { testNetwork } from '@florin/server/chains/evm/test-network.ts'
import { openTestDatabase } from '@florin/server/store/test-database.ts'
import type { TestDatabase } from '@florin/server/store/test-database.ts'
import { startSandbox } from './actors/sandbox.ts'
import type { SandboxHandle } from './actors/sandbox.ts'
import { spawnServe } from './actors/serve.ts'

const clock = systemClock
const random = systemRandom
const SEALED_WITH = randomBytes(32).toString('hex')
const CANARY = 'canary-provider-key'

let directory: string
let database: TestDatabase
let sandbox: SandboxHandle
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'florin-refusals-'))
  ;[database, sandbox] = await Promise.all([openTestDatabase(), startSandbox()])
})
afterAll(async () => {
  await sandbox?.stop()
  await database?.close()
  await rm(directory, { recursive: true, force: true })
})

const entry = (network: string, rpcUrls: readonly string[], native = 'ETH') => ({
  network,
  name: network,
  rpcUrls,
  assets: [{ symbol: native, asset: 'native', decimals: 18 }],
  releaseDepth: 0,
  finality: { kind: 'tag' },
  blockTimeMilliseconds: 1_000,
  fees: { feePerGasMax: '9', tipPerGasDefault: '1', ceilingMultiple: '2', bumpAfterBlocks: 3 },
})
const write = async (name: string, text: string, mode = 0o600) => {
  await writeFile(join(directory, name), text, { mode })
  return join(directory, name)
}
const writeNetworks = (...networks: readonly object[]) =>
  write('networks.json', JSON.stringify({ networks }))

/** Runs `florin serve` to its refusal, and gives the numbered problems. */
async function refusalsOf(
  env: Readonly<Record<string, string>>,
  remarks: readonly string[] = [],
): Promise<readonly string[]> {
  const serve = spawnServe(env, { directory })
  expect(await serve.ended).toEqual({ code: 78, signal: null })
  const [first = '', ...lines] = serve.stderr().split('\n')
  const problems = lines.filter((line) => /^ \d+\. /.test(line))
  expect(first).toContain(problems.length === 1 ? 'one problem' : `${problems.length} problems`)
  expect(lines.filter((line) => line.startsWith(' And: '))).toEqual(remarks)
  // Each with its way on.
  expect(lines.filter((line) => /^ {4}\S/.test(line))).toHaveLength(problems.length)
  for (const secret of [CANARY, SEALED_WITH])
    expect(serve.stderr() + serve.stdout()).not.toContain(secret)
  return problems
}

describe('florin serve starts nothing and names everything that is wrong at once', () => {
  test('with main networks, test networks, a sandbox, weak secrets and test switches', async () => {
    const url = new URL(database.url.reveal())
    const wrongChain = await startTestNode({ chainId: 5n })
    url.username = 'florin'
    url.password = 'florin'
    const problems = await refusalsOf({
      DATABASE_URL: url.href,
      FLORIN_NETWORKS: await writeNetworks(
        entry('eip155:8453', [`http://10.0.0.1/${CANARY}`, `https://base.node.example/${CANARY}`]),
        entry('eip155:84532', [`${sandbox.rpcUrl}/${CANARY}`]),
        entry('eip155:11155111', [wrongChain.url, wrongChain.url]),
        entry('solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1', [sandbox.solana.rpcUrl], 'SOL'),
      ),
      FLORIN_KEY_FILE: await write('weak.key', 'change-me-change-me-change-me-change-me'),
      FLORIN_HOST: '0.0.0.0',
      FLORIN_KILL_POINT: 'send.after-commit:1',
      FLORIN_SANDBOX_FAULTS: '1',
      FLORIN_PUBLIC_URL: 'https://pay.example.com',
      FLORIN_PORT: 'many',
    })
    await wrongChain.stop()
    const all = problems.join('\n')
    for (const said of [
      'FLORIN_PORT must be',
      'FLORIN_KILL_POINT is set',
      'FLORIN_SANDBOX_FAULTS is set',
      'plain HTTP to other machines',
      'example host pay.example.com',
      `The password in DATABASE_URL is "florin"`,
      'Main networks (eip155:8453) and test networks (eip155:84532,',
      'Node 1 of eip155:8453 is reached by plain HTTP',
      'Node 2 of eip155:8453 has the address of the example',
      'FLORIN_KEY_FILE is weak',
      `Node 1 of eip155:84532 (${new URL(sandbox.rpcUrl).host}) is the wrong one: it is a Florin sandbox`,
      'Node 1 of eip155:11155111',
      'it is on chain 5, not on chain 11155111',
      'Node 1 of solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
      'The database turns us away',
    ]) {
      expect(all).toContain(said)
    }
    // An address that is refused anyway is not asked: it may hold a key.
    expect(wrongChain.requests).toEqual([['eth_chainId']])
    expect(problems).toHaveLength(15)
  })

  test('with a key that others can read, a certificate without key, and no database', async () => {
    const problems = await refusalsOf(
      {
        FLORIN_KEY_FILE: await write('open.key', SEALED_WITH, 0o644),
        FLORIN_TLS_CERT: join(directory, 'nowhere.pem'),
        FLORIN_TRUSTED_PROXIES: 'everybody',
        FLORIN_DATABASE_URL: CANARY,
      },
      [
        ' And: FLORIN_DATABASE_URL is no setting of this version, and is ignored. Did you mean DATABASE_URL?',
      ],
    )
    const all = problems.join('\n')
    expect(all).toMatch(/FLORIN_TRUSTED_PROXIES must be.*FLORIN_TLS_KEY go together/s)
    expect(all).toMatch(/DATABASE_URL is not set.*FLORIN_NETWORKS is not set.*chmod 600/s)
    expect(problems).toHaveLength(5)
  })

  test('with a careless database that holds sandbox wallets under another key', async () => {
    const { store } = database
    const { accountId } = await createAccount({ store, clock, random }, 'first')
    const text = keyFromText(SEALED_WITH)
    const keyEncryptionKey = await openKeyEncryptionKey({ store, text, random })
    const custody = {
      wrapper: localKeyWrapper({ keyEncryptionKey, random }),
      schemes: [evmKeys({ random })],
      networks: [testNetwork([], { sandboxInstance: 'sandbox-1' })],
      random,
      clock,
    }
    const wallet = await createWallet(custody, { accountId, family: 'evm', label: null })
    await store.inTransaction(accountId, (tx) => insertWallet(tx, custody.wrapper, wallet))
    const node = await startTestNode({ reply: () => ({ error: { code: -32601, message: 'no' } }) })
    const owned = { url: database.url.reveal(), keyFile: 'master.key', sandbox: null }
    await mkdir(join(directory, 'up'))
    await write(join('up', 'database.json'), JSON.stringify(owned))
    const problems = await refusalsOf({
      DATABASE_URL: database.url.reveal(),
      FLORIN_DATA_DIR: join(directory, 'up'),
      FLORIN_NETWORKS: await writeNetworks(entry('eip155:84532', [node.url])),
      FLORIN_KEY: randomBytes(32).toString('hex'),
    })
    await node.stop()
    const all = problems.join('\n')
    expect(all).toContain('fsync = off')
    expect(all).toContain('wallets of a sandbox')
    expect(all).toContain('is not the one that sealed')
    expect(all).toContain('the embedded database of the `florin up`')
    expect(problems).toHaveLength(4)
  })
})

test('a database that does not answer is no problem of the configuration: it is waited for', async () => {
  const node = await startTestNode({ reply: () => ({ error: { code: -32601, message: 'no' } }) })
  const serve = spawnServe(
    {
      DATABASE_URL: 'postgresql://florin:8d1fe07c55aa4be09c@127.0.0.1:1/florin',
      FLORIN_NETWORKS: await writeNetworks(entry('eip155:84532', [node.url])),
      FLORIN_KEY: randomBytes(32).toString('hex'),
    },
    { directory },
  )
  await until('it waits', () => serve.said('the database does not answer yet'), { seconds: 60 })
  serve.signal('SIGTERM')
  expect(await serve.ended).toEqual({ code: 0, signal: null })
  await node.stop()
})

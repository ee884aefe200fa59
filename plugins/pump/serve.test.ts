import { randomBytes } from 'node:crypto'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FLORIN } from '../../e2e/actors/florin.ts'
import { spawnServe } from '../../e2e/actors/serve.ts'
import { startTestNode } from '../../server/src/chains/json-rpc/test-node.ts'
import type { TestNode } from '../../server/src/chains/json-rpc/test-node.ts'
import { TOKEN_PROGRAM } from '../../server/src/chains/solana/programs.ts'
import { ALICE, HASH, MINT, nodeWith } from '../../server/src/chains/solana/test-scene.ts'
import { chainLines } from '../../server/src/chains/solana/markets/test-router.ts'
import { error, script } from '../../server/src/chains/solana/test-script.ts'
import { systemClock } from '../../server/src/kernel/clock.ts'
import { until } from '../../server/src/kernel/until.ts'
import { openLog } from '../../server/src/kernel/log.ts'
import { systemRandom } from '../../server/src/kernel/random.ts'
import { startPostgres } from '../../server/src/store/embedded/start-postgres.ts'
import type { EmbeddedPostgres } from '../../server/src/store/embedded/start-postgres.ts'
import { HELD, LAMPORTS, worldOf } from './test-scene.ts'
import { SETTINGS, curveOf, pump } from './test-vectors.ts'

const DEVNET = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG'
const NETWORK = `solana:${DEVNET.slice(0, 32)}`
const IN = 1_000_000_000n
/** One signature, and 400,000 units at a millionth of a lamport each, rounded up. */
const FEE = 5_001n
const quote = pump.quote(
  { side: 'buy', mint: { address: MINT, program: TOKEN_PROGRAM }, amountIn: IN },
  [curveOf(2), ...SETTINGS],
)
const quotedOut = quote.ok ? quote.amountOut : 0n

let directory: string
let postgres: EmbeddedPostgres
let node: TestNode
let env: Readonly<Record<string, string>>
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'florin-pump-'))
  const lines = nodeWith(worldOf(), {
    ...chainLines(LAMPORTS - IN - FEE, HELD + quotedOut),
    getSlot: 50,
    getFirstAvailableBlock: 0,
    getBlocksWithLimit: [50],
    getBlock: {
      blockhash: HASH,
      parentSlot: 49,
      previousBlockhash: MINT,
      blockTime: 1_790_000_000,
      signatures: [],
      transactions: [],
    },
    getGenesisHash: DEVNET,
    florin_sandbox: () => error(-32_601, 'Method not found'),
  })
  ;[postgres, node] = await Promise.all([
    startPostgres({
      directory: join(directory, 'postgres'),
      log: openLog('silent'),
      clock: systemClock,
      random: systemRandom,
    }),
    startTestNode(script(lines)),
  ])
  const network = {
    network: NETWORK,
    name: 'Devnet, as a script has it',
    rpcUrls: [node.url],
    assets: [{ symbol: 'SOL', asset: 'native', decimals: 9 }],
    releaseDepth: 0,
    finality: { kind: 'tag' },
    blockTimeMilliseconds: 400,
    fees: { feePerGasMax: '9', tipPerGasDefault: '1', ceilingMultiple: '2', bumpAfterBlocks: 3 },
    markets: [{ venue: 'module', name: 'pump' }],
  }
  await writeFile(join(directory, 'networks.json'), JSON.stringify({ networks: [network] }))
  await writeFile(join(directory, 'master.key'), randomBytes(32).toString('hex'), { mode: 0o600 })
  env = {
    DATABASE_URL: postgres.ownerUrl.reveal(),
    FLORIN_NETWORKS: join(directory, 'networks.json'),
    FLORIN_KEY_FILE: join(directory, 'master.key'),
  }
})
afterAll(async () => {
  await node?.stop()
  await postgres?.stop()
  await rm(directory, { recursive: true, force: true })
})

test('nothing is traded with a module that is not listed', async () => {
  const serve = spawnServe(env, { directory })
  expect(await serve.ended).toEqual({ code: 78, signal: null })
  expect(serve.stderr()).toContain(
    'networks[0].markets[0].name: must be a venue of FLORIN_VENUES for this network',
  )
})

/** Runs a command of ours to its end. */
async function florin(...args: readonly string[]): Promise<string> {
  const { PATH = '' } = process.env
  const options = { cwd: directory, env: { PATH, HOME: directory, ...env } }
  return (await promisify(execFile)(process.execPath, [FLORIN, ...args], options)).stdout
}

test('a service that lists it quotes by it, and builds for a wallet of others', async () => {
  const FLORIN_VENUES = fileURLToPath(new URL('venue.ts', import.meta.url))
  await florin('migrate')
  const serve = spawnServe({ ...env, FLORIN_VENUES }, { directory })
  try {
    const url = `http://127.0.0.1:${await serve.port()}`
    const made = await florin('keys', 'create', '--name', 'first', '--scopes', 'trade', '--json')
    const { key }: { key: string } = JSON.parse(made)
    const authorization = `Bearer ${key}`
    const query = new URLSearchParams({ network: NETWORK, mint: MINT, side: 'buy', amount: '1' })
    const quoted = await fetch(`${url}/trade/quote?${query}`, { headers: { authorization } })
    expect(await quoted.json()).toMatchObject({
      venue: 'pump',
      estimatedBaseUnits: String(quotedOut),
    })
    const isFollowed = async () => (await fetch(`${url}/health/ready`)).status === 200
    await until('the network is followed', isFollowed, { seconds: 30 })
    const built = await fetch(`${url}/transaction/buy`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ network: NETWORK, publicKey: ALICE, mint: MINT, amount: 1 }),
    })
    expect(await built.json()).toMatchObject({
      venue: 'pump',
      estimatedBaseUnits: String(quotedOut),
    })
  } finally {
    serve.signal('SIGKILL')
    await serve.ended
  }
})

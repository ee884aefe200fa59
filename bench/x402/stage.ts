import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPublicClient, erc20Abi, getAddress, http } from 'viem'
import { systemClock } from '@florin/server/kernel/clock.ts'
import { openLog } from '@florin/server/kernel/log.ts'
import { systemRandom } from '@florin/server/kernel/random.ts'
import { until } from '@florin/server/kernel/until.ts'
import { startPostgres } from '@florin/server/store/embedded/start-postgres.ts'
import { migrate } from '@florin/server/store/migrate.ts'
import { startSandbox } from '../../e2e/actors/sandbox.ts'
import type { SandboxHandle } from '../../e2e/actors/sandbox.ts'
import { startService } from '../../e2e/actors/service.ts'
import type { BenchContext } from '../bench.ts'
import { cpuSeconds, pin, treeOf } from './cores.ts'
import { startProxy } from './proxy.ts'
import type { CountingProxy, Counts } from './proxy.ts'
import { startReference } from './reference.ts'
import type { Reference } from './reference.ts'

const FACILITATOR_CORE = 0
/** Of the chains, the proxies and the callers. */
const OTHER_CORE = 1
/** Keys that were just filled are seen within this. */
const READY_SECONDS = 60
const FUNDS = '1000'

/** A facilitator that is measured. */
export interface Side {
  readonly name: 'as shipped' | 'reference' | 'florin'
  readonly baseUrl: string
  readonly apiKey: string
  /** The one key that settles, and the one that pays Solana's fees. */
  readonly settlers: { readonly evm: string; readonly solana: string }
  /** CPU seconds of its own process, and of its database. */
  cpu(): Promise<{ readonly own: number; readonly database: number }>
  /** What it has asked the EVM node. */
  counts(): Promise<Counts>
}

/** Both facilitators on the same chains, each with keys of its own. */
export interface Stage {
  readonly sandbox: SandboxHandle
  /** The official facilitator as its examples set it up. */
  readonly shipped: Side
  /** The same, with a nonce manager. */
  readonly reference: Side
  readonly florin: Side
  /** Whether facilitators have one core and everybody else the other. */
  readonly isPinned: boolean
  /** Holds callers to the core of everybody else. */
  pinCallers(pid: number): Promise<void>
  /** Transactions of an address that were included. */
  transactionsOf(address: string): Promise<number>
  usdcOf(address: string): Promise<bigint>
}

export async function openStage({ defer }: Pick<BenchContext, 'defer'>): Promise<Stage> {
  const directory = await mkdtemp(join(tmpdir(), 'florin-bench-'))
  defer(() => rm(directory, { recursive: true, force: true }))
  const sandbox = await startSandbox()
  defer(sandbox.stop)
  const log = openLog('silent')
  const postgres = await startPostgres({
    directory: join(directory, 'database'),
    log,
    clock: systemClock,
    random: systemRandom,
  })
  defer(postgres.stop)
  await migrate({ url: postgres.ownerUrl, log })
  const proxies = [
    await startProxy(sandbox.rpcUrl),
    await startProxy(sandbox.rpcUrl),
    await startProxy(sandbox.rpcUrl),
  ] as const
  for (const { stop } of proxies) defer(stop)
  const service = await startService({
    sandbox,
    databaseUrl: postgres.socketUrl.reveal(),
    rpcUrl: proxies[0].url,
    solana: true,
    checkAnswers: false,
  })
  defer(service.stop)
  const startOfficial = async (rpcUrl: string, isAsShipped: boolean) => {
    const started = await startReference({
      evm: { rpcUrl, key: `0x${randomBytes(32).toString('hex')}`, isAsShipped },
      solana: { rpcUrl: sandbox.solana.rpcUrl, key: randomBytes(32).toString('hex') },
    })
    defer(started.stop)
    return started
  }
  const reference = await startOfficial(proxies[1].url, false)
  const shipped = await startOfficial(proxies[2].url, true)

  // One key each: the others have nothing to pay with.
  const ownSettlers = { evm: settlerOf(service, 'evm'), solana: settlerOf(service, 'solana') }
  for (const { evm, solana } of [ownSettlers, reference.settlers, shipped.settlers]) {
    await sandbox.fund(evm, 'native', FUNDS)
    await sandbox.fund(solana, 'native', FUNDS)
  }
  const apiKey = service.apiKeys.enterprise
  await until('both keys are known to be full', () => settles(service.baseUrl, apiKey), {
    seconds: READY_SECONDS,
  })

  const facilitators = [service.pid, postgres.pid, reference.pid, shipped.pid]
  const others = [sandbox.pid, ...proxies.map(({ pid }) => pid)]
  const pinned = [await pin(FACILITATOR_CORE, facilitators), await pin(OTHER_CORE, others)]
  const isPinned = pinned.every(Boolean)
  const chain = createPublicClient({ transport: http(sandbox.rpcUrl) })
  const usdc = { address: getAddress(sandbox.usdc), abi: erc20Abi } as const
  return {
    sandbox,
    isPinned,
    reference: official('reference', reference, proxies[1]),
    shipped: official('as shipped', shipped, proxies[2]),
    florin: {
      name: 'florin',
      baseUrl: service.baseUrl,
      apiKey,
      settlers: ownSettlers,
      cpu: async () => {
        const backends = await Promise.all((await treeOf(postgres.pid)).map(cpuSeconds))
        const database = backends.reduce((sum, each) => sum + each, 0)
        return { own: await cpuSeconds(service.pid), database }
      },
      counts: proxies[0].counts,
    },
    pinCallers: async (pid) => {
      if (isPinned) await pin(OTHER_CORE, [pid])
    },
    transactionsOf: (address) => chain.getTransactionCount({ address: getAddress(address) }),
    usdcOf: (address) =>
      chain.readContract({ ...usdc, functionName: 'balanceOf', args: [getAddress(address)] }),
  }
}

function official(
  name: 'as shipped' | 'reference',
  { baseUrl, settlers, pid }: Reference,
  { counts }: CountingProxy,
): Side {
  const cpu = async () => ({ own: await cpuSeconds(pid), database: 0 })
  return { name, baseUrl, apiKey: 'none', settlers, cpu, counts }
}

function settlerOf(
  { settlers }: Awaited<ReturnType<typeof startService>>,
  wanted: 'evm' | 'solana',
): string {
  const address = settlers.find(({ family }) => family === wanted)?.address
  if (address === undefined) throw new Error('there is no settling key')
  return address
}

/** Whether EVM and Solana are both offered. */
async function settles(baseUrl: string, apiKey: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${apiKey}` }
  const answer = await fetch(`${baseUrl}/x402/supported`, { headers })
  const text = await answer.text()
  return ['"eip155:', '"solana:'].every((family) => text.includes(`"network":${family}`))
}

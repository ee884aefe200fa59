import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { baseUnits } from '@florin/wire/amount.ts'
import { parseNetworkId } from '@florin/wire/network.ts'
import type { NetworkId } from '@florin/wire/network.ts'
import { NodeFailure } from '../chains/chain.ts'
import type { FeeEstimate } from '../chains/chain.ts'
import { openTestServer } from '../http/test-server.ts'
import type { Clock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'
import { openLog } from '../kernel/log.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import { Secret } from '../kernel/secret.ts'
import { until } from '../kernel/until.ts'
import { scriptedChain } from '../sender/test-chain.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { openCurrentFees } from './current-fees.ts'
import { networkRoutes } from './routes.ts'
import { write } from '../store/test-write.ts'

const [BASE, SOLANA] = [id('eip155:8453'), id('solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp')]
const config = (network: NetworkId, more: Partial<NetworkConfig> = {}): NetworkConfig => ({
  network,
  family: 'evm',
  name: 'Base',
  sandbox: false,
  sandboxInstance: null,
  rpcUrls: [new Secret('https://node.example/secret-key')],
  assets: [
    { symbol: 'ETH', asset: 'native', decimals: 18, takesCommitment: true },
    {
      symbol: 'USDC',
      asset: '0xa',
      decimals: 6,
      takesCommitment: true,
      domain: { name: 'USD Coin', version: '2' },
    },
  ],
  releaseDepth: 1,
  finality: { kind: 'depth', blocks: 12 },
  blockTimeMilliseconds: 2_000,
  fees: { feePerGasMax: 1n, tipPerGasDefault: 1n, ceilingMultiple: 1n, bumpAfterBlocks: 1 },
  ...more,
})
const FEES: FeeEstimate = { transfer: baseUnits(44_880_000_000n), priorityFee: baseUnits(1n) }

function id(text: string): NetworkId {
  const network = parseNetworkId(text)
  if (network === undefined) throw new Error(text)
  return network
}

/** Time that only the test moves; sleepers wake when it has passed or their signal aborts. */
function handClock() {
  let now = 1_790_000_000_000
  const sleepers = new Set<{ at: number; wake: () => void }>()
  const clock: Clock = {
    nowMilliseconds: () => now,
    sleep: (milliseconds, signal) =>
      new Promise((resolve) => {
        const sleeper = { at: now + milliseconds, wake: resolve }
        sleepers.add(sleeper)
        signal?.addEventListener('abort', () => {
          sleepers.delete(sleeper)
          resolve()
        })
      }),
  }
  const pass = (milliseconds: number) => {
    now += milliseconds
    for (const sleeper of sleepers) if (sleeper.at <= now) sleeper.wake()
  }
  return { clock, pass, sleeping: () => sleepers.size }
}

describe('the fees of a network', () => {
  const LIFETIME = limits.networkFeesSeconds * 1000
  let asked = 0
  let answer: () => Promise<FeeEstimate>
  const open = (clock: Clock) => {
    asked = 0
    const chain = scriptedChain(config(BASE), {
      estimateFees: () => {
        asked += 1
        return answer()
      },
    })
    return openCurrentFees({ chains: new Map([[BASE, chain]]), clock, log: openLog('silent') })
  }

  test('are asked for once per lifetime, however many want to know', async () => {
    const { clock, pass, sleeping } = handClock()
    answer = async () => FEES
    const fees = open(clock)
    const first = { ...FEES, updatedAtMilliseconds: clock.nowMilliseconds() }
    const many = await Promise.all(Array.from({ length: 20 }, () => fees.of(BASE)))
    expect(many).toEqual(many.map(() => first))
    pass(LIFETIME - 1)
    expect(await fees.of(BASE)).toEqual(first)
    expect(asked).toBe(1)
    pass(1)
    expect(await fees.of(BASE)).toEqual({
      ...FEES,
      updatedAtMilliseconds: first.updatedAtMilliseconds + LIFETIME,
    })
    expect(asked).toBe(2)
    expect(sleeping()).toBe(0)
  })

  test('are null when the node fails, which is asked again only after the lifetime', async () => {
    const { clock, pass } = handClock()
    answer = () => Promise.reject(new NodeFailure('away'))
    const fees = open(clock)
    expect([await fees.of(BASE), await fees.of(BASE)]).toEqual([null, null])
    expect(asked).toBe(1)
    answer = async () => FEES
    pass(LIFETIME)
    expect(await fees.of(BASE)).toMatchObject(FEES)
  })

  test('are null, not what they once were, when the node fails later', async () => {
    const { clock, pass } = handClock()
    answer = async () => FEES
    const fees = open(clock)
    await fees.of(BASE)
    answer = () => Promise.reject(new NodeFailure('away'))
    pass(LIFETIME)
    expect(await fees.of(BASE)).toBeNull()
  })

  test('keep nobody waiting for a node that hangs, and are there once it has answered', async () => {
    const { clock, pass, sleeping } = handClock()
    const late = Promise.withResolvers<FeeEstimate>()
    answer = () => late.promise
    const fees = open(clock)
    const waiting = fees.of(BASE)
    await until('the caller waits', () => sleeping() === 1, { seconds: 30 })
    pass(limits.networkFeesWaitMilliseconds)
    expect(await waiting).toBeNull()
    late.resolve(FEES)
    expect(await fees.of(BASE)).toMatchObject(FEES)
    expect(asked).toBe(1)
  })

  test('of a network that is not enabled are null', async () => {
    answer = async () => FEES
    expect(await open(handClock().clock).of(SOLANA)).toBeNull()
  })
})

describe('GET /networks', () => {
  let database: TestDatabase
  let server: Awaited<ReturnType<typeof openTestServer>>
  let isFollowed = true
  beforeAll(async () => {
    database = await openTestDatabase()
    server = await openTestServer({
      routes: networkRoutes({
        store: database.store,
        networks: [
          config(BASE),
          config(SOLANA, {
            family: 'solana',
            name: 'Solana',
            sandbox: true,
            finality: { kind: 'tag' },
          }),
        ],
        fees: {
          of: async (network) =>
            network === BASE ? { ...FEES, updatedAtMilliseconds: 1_790_000_000_000 } : null,
        },
        isFollowed: () => isFollowed,
      }),
    })
  })
  afterAll(async () => {
    await server.close()
    await database.close()
  })
  beforeEach(async () => {
    isFollowed = true
    await write(database.store, 'test_clear', 'delete from followers')
  })
  const follow = (reason: string | null = null) =>
    write(
      database.store,
      'test_follow',
      `insert into followers (network, height, block_hash, finalized_height, halted_reason)
       values ($1, 34118222, 'a', 34118000, $2)`,
      [BASE, reason],
    )
  const healthy = async () => {
    const { body } = await server.ask('GET', '/networks')
    return (body as { networks: { healthy: boolean }[] }).networks.map((each) => each.healthy)
  }

  test('shows every enabled network, and null for what is not known', async () => {
    await follow()
    const { body, status } = await server.ask('GET', '/networks')
    expect(status).toBe(200)
    const assets = [
      { symbol: 'ETH', asset: 'native', decimals: 18 },
      { symbol: 'USDC', asset: '0xa', decimals: 6, eip712: { name: 'USD Coin', version: '2' } },
    ]
    expect(body).toMatchObject({
      success: true,
      networks: [
        {
          network: BASE,
          family: 'evm',
          name: 'Base',
          assets,
          releaseDepth: 1,
          finality: '12 blocks on top',
          height: 34118222,
          fees: {
            transfer: 0.00000004488,
            transferBaseUnits: '44880000000',
            priorityFee: 1e-18,
            priorityFeeBaseUnits: '1',
            updatedAt: 1_790_000_000_000,
          },
          healthy: true,
          sandbox: false,
        },
        { network: SOLANA, height: null, fees: null, healthy: false, sandbox: true },
      ],
    })
    expect(JSON.stringify(body)).not.toContain('secret-key')
  })

  test('calls a network healthy only while somebody follows it and no operator has to look', async () => {
    expect(await healthy()).toEqual([false, false])
    await follow()
    expect(await healthy()).toEqual([true, false])
    isFollowed = false
    expect(await healthy()).toEqual([false, false])
    isFollowed = true
    await write(database.store, 'test_clear', 'delete from followers')
    await follow('a reorg beyond the policy')
    expect(await healthy()).toEqual([false, false])
  })
})

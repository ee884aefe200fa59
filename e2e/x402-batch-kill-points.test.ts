import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openEscrow } from '../sandbox/src/evm/test-batch-scene.ts'
import type { Escrow } from '../sandbox/src/evm/test-batch-scene.ts'
import { asked } from './actors/batch-channel.ts'
import type { BatchChannel } from './actors/batch-channel.ts'
import type { Asked } from './actors/batch-judges.ts'
import { aChannel, settled } from './actors/batch-scene.ts'
import { openClient } from './actors/client.ts'
import type { Reply } from './actors/client.ts'
import type { World } from './actors/world.ts'
import { openWorld } from './actors/world.ts'

const POINTS = [
  'claim.before-commit',
  'claim.after-commit',
  'broadcast.before-node',
  'broadcast.after-node',
] as const
const DEPOSIT = 10_000n

let world: World
let escrow: Escrow
beforeAll(async () => {
  world = await openWorld()
  escrow = openEscrow(world.sandbox)
})
afterAll(() => world.stop())

/** What is asked for, and whether the chain shows it once. */
interface Wanted {
  readonly body: Asked
  isDoneOnce(): Promise<boolean>
}

async function aDeposited(): Promise<BatchChannel> {
  const channel = await aChannel(world, 'cold')
  await settled(world, asked(await channel.deposit('eip3009'), channel.terms()))
  return channel
}

const WANTED = {
  deposit: async (): Promise<Wanted> => {
    const channel = await aChannel(world, 'cold')
    return {
      body: asked(await channel.deposit('eip3009'), channel.terms()),
      isDoneOnce: async () => (await escrow.channel(channel.id))[0] === DEPOSIT,
    }
  },
  'deposit by Permit2': async (): Promise<Wanted> => {
    const channel = await aChannel(world, 'warm')
    return {
      body: asked(await channel.deposit('permit2'), channel.terms()),
      isDoneOnce: async () => (await escrow.channel(channel.id))[0] === DEPOSIT,
    }
  },
  claim: async (): Promise<Wanted> => {
    const channel = await aDeposited()
    return {
      body: asked(await channel.claim([await channel.row(3_000n)]), channel.managerTerms()),
      isDoneOnce: async () => (await escrow.channel(channel.id))[1] === 3_000n,
    }
  },
  settlement: async (): Promise<Wanted> => {
    const channel = await aDeposited()
    const claim = await channel.claim([await channel.row(3_000n)])
    await settled(world, asked(claim, channel.managerTerms()))
    return {
      body: asked(channel.sweep(), channel.managerTerms()),
      isDoneOnce: async () => (await escrow.balanceOf(channel.config.receiver)) === 3_000n,
    }
  },
  refund: async (): Promise<Wanted> => {
    const channel = await aDeposited()
    const rows = [await channel.row(3_000n)]
    return {
      body: asked(await channel.refund(500n, 0n, rows), channel.managerTerms()),
      isDoneOnce: async () => {
        const [balance, claimed] = await escrow.channel(channel.id)
        const nonce = await escrow.refundNonce(channel.id)
        return balance === DEPOSIT - 500n && claimed === 3_000n && nonce === 1n
      },
    }
  },
} as const
const NAMES = Object.keys(WANTED) as (keyof typeof WANTED)[]

const ask = (body: Asked, service = world.service()): Promise<Reply> =>
  openClient(service.baseUrl, service.apiKeys.enterprise).post('/x402/settle', body)

/** How many transactions of ours in blocks call the escrow. */
async function callsMined(): Promise<number> {
  const [row] = await world.database.store.query<{ n: string }>(
    'test_calls_mined',
    `select count(*) as n from chain_transactions t where t.state in ('mined', 'final')
       and exists (select from attempts a where a.chain_transaction_id = t.id and a.hash = t.mined_hash
         and lower(a.terms ->> 'to') = '0x4020074e9df2ce1dee5a9c1b5c3f541d02a10003')`,
  )
  return Number(row?.n)
}

describe.each(NAMES)('a service that is killed in a %s', (name) => {
  test.each(POINTS)('at %s makes it once, and says so when it is asked again', async (point) => {
    const survivor = world.service()
    const { body, isDoneOnce } = await WANTED[name]()
    const before = await callsMined()
    const doomed = await world.start({ killPoint: `${point}:1` })
    await ask(body, doomed).catch(() => null)
    expect(await doomed.ended).toMatchObject({ signal: 'SIGKILL' })
    await survivor.stop()
    await world.start()
    const again = await ask(body)
    expect(again.body).toMatchObject({ success: true })
    expect(await isDoneOnce()).toBe(true)
    await world.expectSound()
    expect((await callsMined()) - before).toBe(1)
  })
})

describe('two instances that are asked at the same time', () => {
  test.each(NAMES)('make a %s once', async (name) => {
    const { body, isDoneOnce } = await WANTED[name]()
    const [one, other] = [world.service(), await world.start()]
    const before = await callsMined()
    const said = await Promise.all([one, other, one, other].map((each) => ask(body, each)))
    const successes = said.filter((reply) => reply.body['success'] === true)
    // Of a deposit one is told, who serves what it pays for; the others change nothing when they hear it twice.
    expect(successes).toHaveLength(name.startsWith('deposit') ? 1 : said.length)
    expect(new Set(said.map((reply) => reply.body['transaction'])).size).toBe(1)
    expect(await isDoneOnce()).toBe(true)
    await world.expectSound()
    expect((await callsMined()) - before).toBe(1)
    await one.stop()
  })
})

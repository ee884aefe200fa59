import {
  BATCH_SETTLEMENT_ADDRESS,
  ERC3009_COLLECTOR_ADDRESS,
  PERMIT2_COLLECTOR_ADDRESS,
} from '@florin/sandbox/evm/chain-facts.ts'
import { until } from '@florin/server/kernel/until.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { asked } from './actors/batch-channel.ts'
import { aChannel } from './actors/batch-scene.ts'
import type { World } from './actors/world.ts'
import { openWorld } from './actors/world.ts'

const CONTRACTS = [
  BATCH_SETTLEMENT_ADDRESS,
  ERC3009_COLLECTOR_ADDRESS,
  PERMIT2_COLLECTOR_ADDRESS,
] as const
const SCHEME = 'batch-settlement'

let world: World
let code: Map<string, unknown>
beforeAll(async () => {
  world = await openWorld()
  code = new Map()
  for (const address of CONTRACTS) code.set(address, await rpc('eth_getCode', address, 'latest'))
})
afterAll(() => world.stop())

async function rpc(method: string, ...params: readonly unknown[]): Promise<unknown> {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const answer = await fetch(world.sandbox.rpcUrl, { method: 'POST', headers, body })
  return ((await answer.json()) as { result?: unknown }).result
}

/** A service that starts on a chain with these contracts of the scheme alone. */
async function startedWith(there: readonly string[]): Promise<string> {
  for (const address of CONTRACTS) {
    await rpc('anvil_setCode', address, there.includes(address) ? code.get(address) : '0x')
  }
  const { log } = await world.start({ logLevel: 'warn' })
  let schemes: readonly string[] = []
  const isNamed = async () => {
    const { body } = await world.client().get('/x402/supported')
    schemes = (body['kinds'] as readonly { readonly scheme: string }[]).map((kind) => kind.scheme)
    return schemes.includes('exact')
  }
  // Settlers' funds are looked at beside the start.
  await until('the network is named', isNamed, { seconds: 30 })
  expect(schemes.includes(SCHEME)).toBe(there.length > 1)
  return log.filter((line) => line.includes(SCHEME)).join('\n')
}

async function callsStored(): Promise<number> {
  const { store } = world.database
  const [row] = await store.query<{ n: string }>(
    'test_calls_of_nobody',
    'select count(*) as n from escrow_calls',
  )
  return Number(row?.n)
}

test('a network without the escrow does not name the scheme, sends nothing to nobody, and says why', async () => {
  expect(await startedWith([])).toMatch(/take batchSettlement out of the networks file/)
  const channel = await aChannel(world, 'warm')
  const bodies = [
    asked(await channel.deposit('eip3009'), channel.terms()),
    asked(await channel.claim([await channel.row(1_000n)]), channel.managerTerms()),
    asked(channel.sweep(), channel.managerTerms()),
  ]
  for (const body of bodies) {
    const { body: answer } = await world.client().post('/x402/settle', body)
    expect(answer).toMatchObject({ success: false, errorReason: 'unsupported_scheme' })
  }
  expect(await callsStored()).toBe(0)
})

test('a deposit by a collector that is not there is refused with its name, and the others are taken', async () => {
  const said = await startedWith([BATCH_SETTLEMENT_ADDRESS, ERC3009_COLLECTOR_ADDRESS])
  expect(said).toContain(PERMIT2_COLLECTOR_ADDRESS)
  const channel = await aChannel(world, 'warm')
  const body = asked(await channel.deposit('permit2'), channel.terms())
  const lacks = { message: 'This network has no collector of deposits by Permit2.' }
  expect((await world.client().post('/x402/verify', body)).body).toMatchObject({
    ...{ isValid: false, invalidMessage: lacks.message },
    invalidReason: 'invalid_batch_settlement_evm_deposit_simulation_failed',
  })
  expect((await world.client().post('/x402/settle', body)).body).toMatchObject({
    ...{ success: false, errorMessage: lacks.message },
    errorReason: 'invalid_batch_settlement_evm_deposit_simulation_failed',
  })
  const other = asked(await channel.deposit('eip3009'), channel.terms())
  expect((await world.client().post('/x402/settle', other)).body).toMatchObject({ success: true })
})

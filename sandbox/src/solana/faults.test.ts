import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startSandbox } from '../../../e2e/actors/sandbox.ts'
import type { SandboxHandle } from '../../../e2e/actors/sandbox.ts'
import { until } from '../../../server/src/kernel/until.ts'
import type { SolanaFault } from '../faults/fault.ts'
import { testClient } from './test-client.ts'

const SOL = 1_000_000_000n

let sandbox: SandboxHandle
let client: ReturnType<typeof testClient>
let payer: Awaited<ReturnType<typeof client.newKey>>
beforeAll(async () => {
  sandbox = await startSandbox({ faults: true })
  client = testClient(sandbox)
  payer = await client.newKey()
  await sandbox.fund(payer.address, 'native', '100')
})
afterEach(async () => {
  await sandbox.clearFaults()
})
afterAll(async () => {
  await sandbox.stop()
})

type Bare<F> = F extends SolanaFault ? Omit<F, 'chain'> : never
const fault = async (one: Bare<SolanaFault>): Promise<void> =>
  await sandbox.fault({ ...one, chain: 'solana' })
/** How many faults wait for a call. */
const standing = async (): Promise<number> => {
  const state: unknown = await (await fetch(`${sandbox.adminUrl ?? ''}/faults`)).json()
  if (typeof state !== 'object' || state === null || !('faults' in state)) return Number.NaN
  return Array.isArray(state.faults) ? state.faults.length : Number.NaN
}
const pass = async (blocks: number): Promise<void> => await fault({ kind: 'mine', blocks })
const balance = async (
  address: typeof payer.address,
  commitment: 'processed' | 'confirmed' | 'finalized' = 'processed',
): Promise<bigint> => (await client.rpc.getBalance(address, { commitment }).send()).value

describe('a minority fork', () => {
  test('shows a transaction as confirmed, takes it back, and lets it land again', async () => {
    const to = (await client.newKey()).address
    await fault({ kind: 'stop-blocks' })
    const { wire, signature } = await client.transfer(payer, to, SOL)
    const before = await balance(payer.address)
    await fault({ kind: 'fork', transactions: 1, slots: 3 })
    await client.send(wire)
    await pass(1)
    const lost = await client.status(signature)
    expect(lost?.confirmationStatus).toBe('processed')
    await pass(2)
    expect((await client.status(signature))?.confirmationStatus).toBe('confirmed')
    expect(await balance(to, 'confirmed')).toBe(SOL)
    await pass(1)
    expect(await client.status(signature)).toBeNull()
    expect(await balance(to)).toBe(0n)
    expect(await balance(payer.address)).toBe(before)
    const blocks = await client.rpc
      .getBlocks((lost?.slot ?? 0n) - 1n, undefined, { commitment: 'confirmed' })
      .send()
    expect(blocks).toContain((lost?.slot ?? 0n) - 1n)
    expect(blocks).toContain((lost?.slot ?? 0n) + 1n)
    expect(blocks).not.toContain(lost?.slot)
    const skipped = await client.raw('getBlock', [Number(lost?.slot), { commitment: 'confirmed' }])
    expect(skipped.error?.code).toBe(-32_007)

    await client.send(wire)
    await pass(7)
    expect((await client.status(signature))?.confirmationStatus).toBe('finalized')
    expect(await balance(to)).toBe(SOL)
  })

  test('keeps what others sent meanwhile, unless it builds on the fork', async () => {
    const [lost, kept, orphan] = await Promise.all([
      client.newKey(),
      client.newKey(),
      client.newKey(),
    ])
    await fault({ kind: 'stop-blocks' })
    const within = await client.lifetime()
    const first = await client.transfer(payer, lost.address, SOL, within)
    const second = await client.transfer(payer, kept.address, SOL, within)
    await fault({ kind: 'fork', transactions: 1, slots: 4 })
    await client.send(first.wire)
    await pass(2)
    await client.send(second.wire)
    const third = await client.transfer(payer, orphan.address, SOL)
    await client.send(third.wire)
    await pass(4)
    expect(await balance(lost.address)).toBe(0n)
    expect(await balance(kept.address)).toBe(SOL)
    expect(await balance(orphan.address)).toBe(0n)
    expect(await client.status(second.signature)).not.toBeNull()
    await expect(client.send(third.wire)).rejects.toMatchObject({
      cause: { message: expect.stringContaining('Blockhash not found') },
    })
  })

  test('nothing on it is ever final', async () => {
    const to = (await client.newKey()).address
    await fault({ kind: 'stop-blocks' })
    const { wire, signature } = await client.transfer(payer, to, SOL)
    await fault({ kind: 'fork', transactions: 1, slots: 12 })
    await client.send(wire)
    for (let blocks = 0; blocks < 12; blocks += 1) {
      await pass(1)
      expect((await client.status(signature))?.confirmationStatus).not.toBe('finalized')
      expect(await balance(to, 'finalized')).toBe(0n)
    }
    await pass(1)
    expect(await client.status(signature)).toBeNull()
  })
})

describe('reads', () => {
  test('lag: everything is as of some slots ago', async () => {
    const to = (await client.newKey()).address
    await fault({ kind: 'stop-blocks' })
    await pass(1)
    const slot = await client.rpc.getSlot({ commitment: 'processed' }).send()
    const { wire, signature } = await client.transfer(payer, to, SOL)
    await client.send(wire)
    await pass(8)
    expect((await client.status(signature))?.confirmationStatus).toBe('finalized')
    await fault({ kind: 'lag', slots: 8 })
    expect(await client.rpc.getSlot({ commitment: 'processed' }).send()).toBe(slot)
    expect(await client.status(signature)).toBeNull()
    expect(await balance(to)).toBe(0n)
    const config = {
      commitment: 'confirmed',
      encoding: 'json',
      maxSupportedTransactionVersion: 0,
    } as const
    expect(await client.rpc.getTransaction(signature, config).send()).toBeNull()
    await sandbox.clearFaults()
    expect(await balance(to)).toBe(SOL)
  })

  test('blind: a landed transaction is not found, so many times', async () => {
    const to = (await client.newKey()).address
    await fault({ kind: 'stop-blocks' })
    const { wire, signature } = await client.transfer(payer, to, SOL)
    await client.send(wire)
    await pass(6)
    await fault({ kind: 'blind', count: 2 })
    expect(await client.status(signature)).toBeNull()
    expect(await client.rpc.getSignaturesForAddress(to).send()).toEqual([])
    expect(await balance(to)).toBe(SOL)
    expect(await client.status(signature)).not.toBeNull()
  })
})

describe('sends', () => {
  test('drop: the signature is answered and nothing lands; the same bytes land later', async () => {
    const to = (await client.newKey()).address
    const { wire, signature } = await client.transfer(payer, to, SOL)
    await fault({ kind: 'drop', count: 1 })
    expect(await client.send(wire)).toBe(signature)
    expect(await client.status(signature)).toBeNull()
    await client.send(wire)
    expect((await client.status(signature))?.err).toBeNull()
  })

  test.each([
    'http-500',
    'connection-reset',
    { code: -32_005, message: 'Node is behind' },
  ] as const)('fail with forward: it lands, and the caller hears %j', async (answer) => {
    const to = (await client.newKey()).address
    const { wire, signature } = await client.transfer(payer, to, SOL)
    await fault({ kind: 'fail', forward: true, answer, methods: ['sendTransaction'], count: 1 })
    await expect(client.send(wire)).rejects.toThrow()
    expect((await client.status(signature))?.err).toBeNull()
  })

  test('fail without forward: nothing lands', async () => {
    const to = (await client.newKey()).address
    const { wire, signature } = await client.transfer(payer, to, SOL)
    const answer = { code: -32_603, message: 'Internal error' }
    await fault({ kind: 'fail', forward: false, answer, methods: ['sendTransaction'], count: 1 })
    await expect(client.send(wire)).rejects.toThrow()
    expect(await client.status(signature)).toBeNull()
  })

  test('hang: ends when the caller gives up', async () => {
    await fault({ kind: 'hang', methods: ['getSlot'], count: 1 })
    const leaving = new AbortController()
    const hanging = client.rpc
      .getSlot()
      .send({ abortSignal: leaving.signal })
      .then(
        () => 'answered',
        () => 'given up',
      )
    // Who leaves before the call is there leaves the fault to the next one.
    await until('the call hangs', async () => (await standing()) === 0, { seconds: 30 })
    leaving.abort()
    expect(await hanging).toBe('given up')
    expect(await client.rpc.getSlot().send()).toBeGreaterThan(0n)
  })
})

test('down: every request of this chain, none of the other', async () => {
  await fault({ kind: 'down', how: 'http-500' })
  await expect(client.rpc.getSlot().send()).rejects.toThrow()
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] })
  expect((await fetch(sandbox.rpcUrl, { method: 'POST', body })).status).toBe(200)
})

test('kill-node: the process comes back on its ports with what was final', async () => {
  const to = (await client.newKey()).address
  const { wire, signature } = await client.transfer(payer, to, SOL)
  await client.send(wire)
  await until(
    'it is final',
    async () => (await client.status(signature))?.confirmationStatus === 'finalized',
    { seconds: 30 },
  )
  await fault({ kind: 'kill-node' })
  await until(
    'it answers again',
    async () =>
      await client.rpc
        .getSlot()
        .send()
        .catch(() => null),
    {
      seconds: 30,
    },
  )
  expect((await client.status(signature))?.confirmationStatus).toBe('finalized')
  expect(await balance(to, 'finalized')).toBe(SOL)
})

test.each([
  { kind: 'reorg', depth: 1 },
  { kind: 'fork' },
  { kind: 'lag', slots: 0 },
  { kind: 'lag', slots: 1_000 },
  { kind: 'mine' },
])('%j is no fault of Solana', async (value) => {
  const answer = await fetch(`${sandbox.adminUrl}/faults`, {
    method: 'POST',
    body: JSON.stringify({ chain: 'solana', ...value }),
  })
  expect(answer.status).toBe(400)
})

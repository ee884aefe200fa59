import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSandbox } from '../../../e2e/actors/sandbox.ts'
import type { SandboxHandle } from '../../../e2e/actors/sandbox.ts'
import { testClient } from './test-client.ts'

const SOL = 1_000_000_000n
const WINDOW = 150n

let sandbox: SandboxHandle
let client: ReturnType<typeof testClient>
let payer: Awaited<ReturnType<typeof client.newKey>>
beforeAll(async () => {
  sandbox = await startSandbox({ faults: true })
  client = testClient(sandbox)
  payer = await client.newKey()
  await sandbox.fund(payer.address)
  // From here on slots pass by hand only.
  await sandbox.fault({ chain: 'solana', kind: 'stop-blocks' })
})
afterAll(async () => {
  await sandbox.stop()
})

const pass = async (blocks: number): Promise<void> =>
  await sandbox.fault({ chain: 'solana', kind: 'mine', blocks })
const height = async (): Promise<bigint> =>
  await client.rpc.getBlockHeight({ commitment: 'processed' }).send()
const isValid = async (within: Awaited<ReturnType<typeof client.lifetime>>): Promise<boolean> =>
  (await client.rpc.isBlockhashValid(within.blockhash, { commitment: 'processed' }).send()).value

describe('a blockhash', () => {
  test('is good for exactly 150 blocks, and then for none', async () => {
    const to = (await client.newKey()).address
    const within = await client.lifetime()
    expect(within.lastValidBlockHeight).toBe((await height()) - 1n + WINDOW)
    await pass(Number(within.lastValidBlockHeight - (await height())) - 1)

    const last = await client.transfer(payer, to, SOL, within)
    await client.send(last.wire)
    // It lands in the next block, the last one that takes it.
    await pass(1)
    expect(await height()).toBe(within.lastValidBlockHeight)
    expect((await client.status(last.signature))?.err).toBeNull()
    expect(await isValid(within)).toBe(true)

    const late = await client.transfer(payer, to, 2n * SOL, within)
    await client.send(late.wire)
    await pass(1)
    expect(await isValid(within)).toBe(false)
    expect(await client.status(late.signature)).toBeNull()
    await expect(client.send(late.wire)).rejects.toMatchObject({
      context: { __code: -32002 },
      cause: { message: expect.stringContaining('Blockhash not found') },
    })
    await expect(client.send(late.wire, { skipPreflight: true })).resolves.toBe(late.signature)
    await pass(3)
    expect(await client.status(late.signature)).toBeNull()
    expect((await client.rpc.getBalance(to, { commitment: 'processed' }).send()).value).toBe(SOL)
  })

  test('expire: none of now lives on', async () => {
    const to = (await client.newKey()).address
    const within = await client.lifetime()
    const { wire, signature } = await client.transfer(payer, to, SOL, within)
    await sandbox.fault({ chain: 'solana', kind: 'expire' })
    await client.send(wire, { skipPreflight: true })
    await pass(2)
    expect(await client.status(signature)).toBeNull()
    expect(await client.rpc.getBlockHeight({ commitment: 'finalized' }).send()).toBeGreaterThan(0n)
  })

  test('is judged at the commitment of the preflight: a fresh one is unknown at finalized', async () => {
    await pass(1)
    const { wire } = await client.transfer(payer, payer.address, 1n)
    const config = { encoding: 'base64', preflightCommitment: 'finalized' } as const
    await expect(client.rpc.sendTransaction(wire, config).send()).rejects.toMatchObject({
      cause: { message: expect.stringContaining('Blockhash not found') },
    })
  })
})

describe('a transaction', () => {
  test('lands once, however often and in whatever clothes it comes', async () => {
    const to = (await client.newKey()).address
    const { wire, signature } = await client.transfer(payer, to, SOL)
    for (let again = 0; again < 5; again += 1) await client.send(wire, { skipPreflight: true })
    await pass(1)
    for (let again = 0; again < 5; again += 1) await client.send(wire, { skipPreflight: true })
    await pass(2)
    expect((await client.rpc.getBalance(to, { commitment: 'processed' }).send()).value).toBe(SOL)
    const history = await client.rpc.getSignaturesForAddress(to, { commitment: 'confirmed' }).send()
    expect(history.map((entry) => entry.signature)).toEqual([signature])
  })

  test('that fails on the chain is charged and stays a failure', async () => {
    const to = (await client.newKey()).address
    const before = (await client.rpc.getBalance(payer.address, { commitment: 'processed' }).send())
      .value
    const { wire, signature } = await client.transfer(payer, to, 1_000_000n * SOL)
    await client.send(wire, { skipPreflight: true })
    await pass(2)
    const status = await client.status(signature)
    expect(status?.err).toEqual({ InstructionError: [0n, { Custom: 1n }] })
    const after = (await client.rpc.getBalance(payer.address, { commitment: 'processed' }).send())
      .value
    expect(before - after).toBe(5_000n)
    const transaction = await client.rpc
      .getTransaction(signature, {
        commitment: 'confirmed',
        maxSupportedTransactionVersion: 0,
        encoding: 'json',
      })
      .send()
    expect(transaction?.meta?.fee).toBe(5_000n)
  })

  test('becomes processed, confirmed and finalized by depth', async () => {
    const { wire, signature } = await client.transfer(payer, payer.address, 7n)
    const seen: (string | null | undefined)[] = []
    await client.send(wire)
    for (let blocks = 0; blocks < 6; blocks += 1) {
      seen.push((await client.status(signature))?.confirmationStatus)
      await pass(1)
    }
    expect(seen).toEqual([
      undefined,
      'processed',
      'confirmed',
      'confirmed',
      'confirmed',
      'finalized',
    ])
  })

  test('reads at a commitment know nothing younger', async () => {
    const to = (await client.newKey()).address
    const { wire } = await client.transfer(payer, to, SOL)
    await client.send(wire)
    const balances = async (): Promise<readonly bigint[]> =>
      await Promise.all(
        (['processed', 'confirmed', 'finalized'] as const).map(
          async (commitment) => (await client.rpc.getBalance(to, { commitment }).send()).value,
        ),
      )
    await pass(1)
    expect(await balances()).toEqual([SOL, 0n, 0n])
    await pass(1)
    expect(await balances()).toEqual([SOL, SOL, 0n])
    await pass(4)
    expect(await balances()).toEqual([SOL, SOL, SOL])
  })
})

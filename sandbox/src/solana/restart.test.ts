import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startSandbox } from '../../../e2e/actors/sandbox.ts'
import type { SandboxHandle } from '../../../e2e/actors/sandbox.ts'
import { until } from '../../../server/src/kernel/until.ts'
import { testClient } from './test-client.ts'

const ONE_SOL = 1_000_000_000n
const TEN_SOL = 10_000_000_000n

let directory: string
let sandbox: SandboxHandle
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'florin-solana-'))
  sandbox = await start()
})
afterEach(async () => {
  await sandbox.stop()
  rmSync(directory, { recursive: true, force: true })
})

const start = async (): Promise<SandboxHandle> => await startSandbox({ directory, faults: true })
const file = (name: string): string => join(directory, 'solana', name)
const finalSlot = async ({ rpc }: ReturnType<typeof testClient>): Promise<bigint> =>
  await rpc.getSlot({ commitment: 'finalized' }).send()

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

describe('after SIGKILL of everything', () => {
  test('the chain goes on at or above what was final, with the same blocks', async () => {
    const client = testClient(sandbox)
    const payer = await client.newKey()
    const to = (await client.newKey()).address
    await sandbox.fund(payer.address)
    const { wire, signature } = await client.transfer(payer, to, ONE_SOL)
    await client.send(wire)
    const final = await until(
      'the payment is final',
      async () => {
        const { value } = await client.rpc.getBalance(to).send()
        return value === ONE_SOL ? await finalSlot(client) : undefined
      },
      { seconds: 30 },
    )
    const slots = await client.rpc.getBlocks(final - 3n, final).send()
    const read = { transactionDetails: 'none', rewards: false } as const
    const blocks = async (): Promise<unknown> =>
      await Promise.all(
        slots.map(async (slot) => (await client.rpc.getBlock(slot, read).send())?.blockhash),
      )
    const before = await blocks()
    const genesis = await client.rpc.getGenesisHash().send()
    const { instance, solana } = sandbox
    const { pid } = await sandbox.solanaState()

    await sandbox.kill('SIGKILL')
    await until('its process has ended, too', () => !isAlive(pid), { seconds: 30 })
    sandbox = await start()
    expect(sandbox.solana).toEqual(solana)
    expect(sandbox.instance).toBe(instance)
    expect(await client.rpc.getGenesisHash().send()).toBe(genesis)
    expect(await finalSlot(client)).toBeGreaterThanOrEqual(final)
    expect(await blocks()).toEqual(before)
    const [entry] = await client.rpc.getSignaturesForAddress(to).send()
    expect(entry).toMatchObject({ signature, confirmationStatus: 'finalized' })

    // It does not land again, and the chain takes new ones.
    await client.send(wire, { skipPreflight: true })
    await expect(client.send(wire)).rejects.toMatchObject({
      cause: { message: expect.stringContaining('already been processed') },
    })
    await sandbox.fund(to)
    expect((await client.rpc.getBalance(to, { commitment: 'confirmed' }).send()).value).toBe(
      ONE_SOL + TEN_SOL,
    )
  })

  test('an idle chain does not fall back either, and a blockhash lives on', async () => {
    const client = testClient(sandbox)
    const payer = await client.newKey()
    await sandbox.fund(payer.address)
    await sandbox.fault({ chain: 'solana', kind: 'mine', blocks: 80 })
    const within = await client.lifetime()
    await sandbox.fault({ chain: 'solana', kind: 'mine', blocks: 10 })
    const final = await finalSlot(client)
    await sandbox.kill('SIGKILL')
    sandbox = await start()
    expect(await finalSlot(client)).toBeGreaterThanOrEqual(final)
    const { wire, signature } = await client.transfer(payer, payer.address, 1n, within)
    await client.send(wire)
    expect((await client.status(signature))?.err).toBeNull()
  })
})

test('a stop in good order keeps everything', async () => {
  const client = testClient(sandbox)
  const { address } = await client.newKey()
  await sandbox.fund(address, 'USDC')
  const slot = await client.rpc.getSlot({ commitment: 'processed' }).send()
  await sandbox.stop()
  sandbox = await start()
  const { value } = await client.rpc
    .getTokenAccountsByOwner(
      address,
      { mint: sandbox.solana.usdc as typeof address },
      { encoding: 'jsonParsed' },
    )
    .send()
  expect(value[0]?.account.data.parsed.info.tokenAmount.amount).toBe('1000000000')
  expect(await client.rpc.getSlot().send()).toBeGreaterThanOrEqual(slot)
})

describe('files', () => {
  test('nothing good left: both chains start anew, under a new instance', async () => {
    const client = testClient(sandbox)
    const genesis = await client.rpc.getGenesisHash().send()
    const { address } = await client.newKey()
    await sandbox.fund(address)
    const { instance } = sandbox
    await sandbox.kill('SIGKILL')
    writeFileSync(file('chain.state'), 'x')
    writeFileSync(file('chain.state.previous'), 'x')
    sandbox = await start()
    expect(sandbox.instance).not.toBe(instance)
    expect(await client.rpc.getGenesisHash().send()).not.toBe(genesis)
    expect((await client.raw('florin_sandbox')).result).toMatchObject({
      instance: sandbox.instance,
    })
    expect((await client.rpc.getBalance(address).send()).value).toBe(0n)
    expect(sandbox.log.join('\n')).toMatch(/NEW instance/)
  })

  test('the EVM chain is gone: the Solana chain starts anew, too', async () => {
    const client = testClient(sandbox)
    const genesis = await client.rpc.getGenesisHash().send()
    const { instance } = sandbox
    await sandbox.stop()
    rmSync(join(directory, 'evm'), { recursive: true })
    sandbox = await start()
    expect(sandbox.instance).not.toBe(instance)
    expect(await client.rpc.getGenesisHash().send()).not.toBe(genesis)
  })
})

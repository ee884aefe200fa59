import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { toHex } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runKillLoop } from '../../../e2e/actors/sandbox-kill-loop.ts'
import { startSandbox } from '../../../e2e/actors/sandbox.ts'
import type { SandboxHandle } from '../../../e2e/actors/sandbox.ts'
import { until } from '../../../server/src/kernel/until.ts'
import { findAnvil } from './anvil-binary.ts'
import { leftoversOf } from './leftover.ts'
import { statePathsOf } from './state-file.ts'

const ETHER = 10n ** 18n
const PAYEE = '0x8888888888888888888888888888888888888888'
const OTHER_PAYEE = '0x9999999999999999999999999999999999999999'
const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url))

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'florin-restart-'))
})
afterEach(() => {
  rmSync(directory, { recursive: true, force: true })
})
const start = async (): Promise<SandboxHandle> => await startSandbox({ directory, faults: true })
const evm = (): string => join(directory, 'evm')

async function rpc(sandbox: SandboxHandle, method: string, params: readonly unknown[] = []) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const answer: unknown = await (await fetch(sandbox.rpcUrl, { method: 'POST', body })).json()
  return typeof answer === 'object' && answer !== null && 'result' in answer
    ? answer.result
    : undefined
}
describe('a sandbox that comes back', () => {
  test('goes on with the same chain, ports and keys, and had mined its pool', async () => {
    const first = await start()
    const hash = await first.fund(PAYEE, 'native', '3')
    const receipt = await rpc(first, 'eth_getTransactionReceipt', [hash])
    const height = Number(await rpc(first, 'eth_blockNumber'))
    const pooled = first.fund(OTHER_PAYEE, 'native', '1').catch(() => undefined)
    await until('it is in the pool or mined', async () => await reaches(first, OTHER_PAYEE), {
      seconds: 30,
    })
    await first.stop()
    await pooled
    const second = await start()
    expect([second.rpcUrl, second.faucetUrl, second.instance]).toEqual([
      first.rpcUrl,
      first.faucetUrl,
      first.instance,
    ])
    expect(await rpc(second, 'eth_getTransactionReceipt', [hash])).toEqual(receipt)
    expect(Number(await rpc(second, 'eth_blockNumber'))).toBeGreaterThanOrEqual(height)
    expect(await rpc(second, 'eth_getBalance', [OTHER_PAYEE, 'latest'])).toBe(toHex(ETHER))
    await second.fund(PAYEE, 'USDC', '1')
    await second.stop()
    expectPrivateFiles(second)
  })

  test('ends the anvil that a killed sandbox left, and no other', async () => {
    const other = await startSandbox({ faults: true })
    const first = await start()
    const orphan = await first.anvilPid()
    await first.kill('SIGKILL')
    expect(leftoversOf(findAnvil(), evm())).toEqual([orphan])
    const second = await start()
    expect(leftoversOf(findAnvil(), evm())).toEqual([await second.anvilPid()])
    expect(second.log.join()).toContain(`ending anvil ${orphan}`)
    expect(await rpc(other, 'eth_chainId')).toBe('0x14a34')
    await Promise.all([second.stop(), other.stop()])
    expect(leftoversOf(findAnvil(), evm())).toEqual([])
  })

  test('an end that comes while anvil is being started again leaves nothing behind', async () => {
    const sandbox = await start()
    const before = await sandbox.anvilPid()
    await sandbox.fault({ kind: 'kill-node' })
    const isNew = (pids: readonly number[]) => pids.length > 0 && !pids.includes(before)
    await until('the next anvil is on its way', () => isNew(leftoversOf(findAnvil(), evm())), {
      seconds: 30,
    })
    process.kill(sandbox.pid, 'SIGTERM')
    await until('anvil is gone', () => leftoversOf(findAnvil(), evm()).length === 0, {
      seconds: 30,
    })
    await sandbox.stop()
  })

  test('ends at once although a WebSocket is open', async () => {
    const sandbox = await start()
    const socket = new WebSocket(sandbox.rpcUrl.replace('http', 'ws'))
    await once(socket, 'open')
    const closed = once(socket, 'close')
    await sandbox.stop()
    await closed
    expect(sandbox.log.join()).not.toContain('giving up')
    expect(leftoversOf(findAnvil(), evm())).toEqual([])
  })

  test('a second one on a live directory is refused in one sentence', async () => {
    const first = await start()
    const second = spawnSync(process.execPath, [MAIN, '--directory', directory], {
      encoding: 'utf8',
      timeout: 240_000,
    })
    expect([second.status, second.stdout]).toEqual([1, ''])
    expect(second.stderr.trim()).toMatch(
      new RegExp(`^sandbox: a sandbox \\(pid ${first.pid}\\) already runs on [^\\n]*$`),
    )
    expect(await rpc(first, 'eth_chainId')).toBe('0x14a34')
    await first.stop()
  })

  test('ends with its parent, even when that is killed, and takes anvil along', async () => {
    const words = [MAIN, '--directory', directory, '--parent-pipe']
    const program = `require('child_process').spawn(process.execPath, ${JSON.stringify(words)})
      .stdout.once('data', () => process.stdout.write('ready'))`
    const parent = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'ignore'] })
    await once(parent.stdout, 'data')
    expect(leftoversOf(findAnvil(), evm())).toHaveLength(1)
    parent.kill('SIGKILL')
    await until('anvil is gone', () => leftoversOf(findAnvil(), evm()).length === 0, {
      seconds: 30,
    })
  })
})

test('a torn chain file falls back to the last good copy; none left means a new chain', async () => {
  const first = await start()
  await first.fund(PAYEE)
  await first.mine(3)
  await first.stop()
  const [path, previous] = statePathsOf(evm())
  truncateSync(path, statSync(path).size - 7)
  expect(existsSync(previous)).toBe(true)

  const second = await start()
  expect(second.instance).toBe(first.instance)
  expect(second.log.join('\n')).toMatch(/torn.*\n.*going on from the last good copy, block \d+/)
  expect(await rpc(second, 'eth_getBalance', [PAYEE, 'latest'])).toBe(toHex(10n * ETHER))
  await second.stop()

  for (const torn of statePathsOf(evm())) truncateSync(torn, 100)
  const third = await start()
  expect(third.instance).not.toBe(first.instance)
  expect(third.log.join('\n')).toContain(`starting a NEW chain, instance ${third.instance}`)
  expect(await rpc(third, 'eth_getBalance', [PAYEE, 'latest'])).toBe('0x0')
  await third.fund(PAYEE)
  await third.stop()
})

test('SIGKILL at any moment takes back no final block', { timeout: 240_000 }, async () => {
  const report = await runKillLoop({ kills: 3, seed: Date.now() })
  expect(report.broken, `seed ${report.seed}`).toEqual([])
  expect(report.finalBlocksChecked).toBeGreaterThan(3)
})

async function reaches(sandbox: SandboxHandle, address: string): Promise<boolean> {
  const status = await rpc(sandbox, 'txpool_status')
  const balance = await rpc(sandbox, 'eth_getBalance', [address, 'latest'])
  return BigInt(String(balance)) > 0n || JSON.stringify(status).includes('"pending":"0x1"')
}

function expectPrivateFiles(sandbox: SandboxHandle): void {
  for (const name of ['identity.json', 'chain.state']) {
    expect(statSync(join(evm(), name)).mode & 0o077).toBe(0)
  }
  const key = /0x[0-9a-f]{64}/.exec(readFileSync(join(evm(), 'identity.json'), 'utf8'))?.[0]
  expect(key).toBeDefined()
  expect(sandbox.log.join()).not.toContain(key)
}

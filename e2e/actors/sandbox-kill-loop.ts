import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isJsonObject, parseJson } from '@florin/sandbox/host/json.ts'
import type { Json } from '@florin/sandbox/host/json.ts'
import { until } from '../../server/src/kernel/until.ts'
import { fractions } from './fractions.ts'
import { startSandbox } from './sandbox.ts'
import type { SandboxHandle } from './sandbox.ts'

const PAYEE = '0x7777777777777777777777777777777777777777'
const BETWEEN_KILLS_MILLISECONDS_MAX = 700
const RECOVERY_SECONDS = 60

export interface KillLoopReport {
  /** Decides victims' moments; give it again to repeat a run as far as a running system repeats itself. */
  readonly seed: number
  /** Kills done. */
  readonly kills: number
  /** Blocks that were called final and looked up again after a later kill. */
  readonly finalBlocksChecked: number
  /** What broke the promise; empty when it held. */
  readonly broken: readonly string[]
}

type Victim = 'anvil' | 'sandbox' | 'both'
const VICTIMS: readonly Victim[] = ['anvil', 'sandbox', 'both']

/**
 * Kills (SIGKILL) at random moments while transactions flow, and remembers every block that the chain called final. After
 * each restart those blocks must be there under the same hash, and final blocks must not have gone back.
 */
export async function runKillLoop({
  kills,
  seed,
}: {
  readonly kills: number
  readonly seed: number
}): Promise<KillLoopReport> {
  const random = fractions(seed)
  const directory = mkdtempSync(join(tmpdir(), 'florin-kill-'))
  const finals = new Map<string, string>()
  const broken: string[] = []
  let checked = 0
  let sandbox = await startSandbox({ directory, faults: true })
  const { instance, rpcUrl, faucetUrl } = sandbox
  let isOver = false
  const blockAt = async (number: string): Promise<{ block: Json } | undefined> => {
    const block = await rpc(rpcUrl, 'eth_getBlockByNumber', [number, false])
    return block === undefined ? undefined : { block }
  }
  const watching = (async () => {
    while (!isOver) {
      const block = await finalBlock(rpcUrl)
      if (block !== undefined) finals.set(block.number, block.hash)
    }
  })()
  const paying = (async () => {
    while (!isOver) await pay(faucetUrl)
  })()

  try {
    for (let kill = 0; kill < kills; kill += 1) {
      // A kill before which nothing new became final would prove nothing.
      await until('another block is final', () => finals.size > kill, {
        seconds: RECOVERY_SECONDS,
      })
      await delay(random() * BETWEEN_KILLS_MILLISECONDS_MAX)
      const victim = VICTIMS[kill % VICTIMS.length] ?? 'both'
      const highest = [...finals.keys()].reduce((most, height) => Math.max(most, Number(height)), 0)
      sandbox = await strike(victim, sandbox)
      const now = await until('a final block shows', async () => await finalBlock(rpcUrl), {
        seconds: RECOVERY_SECONDS,
      })
      if (Number(now.number) < highest) {
        broken.push(`${victim}: block ${highest} was final, now ${Number(now.number)} is`)
      }
      for (const [number, hash] of finals) {
        // A look-up that failed is no other block: whoever was killed may still be on the way back.
        const { block } = await until('a final block is looked up', async () => blockAt(number), {
          seconds: RECOVERY_SECONDS,
        })
        const present = isJsonObject(block) ? block['hash'] : null
        if (present !== hash) broken.push(`${victim}: final block ${number} is another one now`)
        checked += 1
      }
      if (sandbox.instance !== instance) broken.push(`${victim}: the chain started over`)
    }
  } finally {
    isOver = true
    await Promise.all([watching, paying])
    await sandbox.stop()
    rmSync(directory, { recursive: true, force: true })
  }
  return { seed, kills, finalBlocksChecked: checked, broken }
}

async function strike(victim: Victim, sandbox: SandboxHandle): Promise<SandboxHandle> {
  const anvil = await until('anvil runs', async () => await sandbox.anvilPid().catch(() => null), {
    seconds: RECOVERY_SECONDS,
  })
  if (victim !== 'sandbox') process.kill(anvil, 'SIGKILL')
  if (victim === 'anvil') return sandbox
  await sandbox.kill('SIGKILL')
  return await startSandbox({ directory: sandbox.directory, faults: true })
}

async function finalBlock(url: string): Promise<{ number: string; hash: string } | undefined> {
  const block = await rpc(url, 'eth_getBlockByNumber', ['finalized', false])
  if (!isJsonObject(block)) return undefined
  const { number, hash } = block
  return typeof number === 'string' && typeof hash === 'string' ? { number, hash } : undefined
}

/** The result, or undefined while nobody answers. */
async function rpc(
  url: string,
  method: string,
  params: readonly Json[],
): Promise<Json | undefined> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  try {
    const answer = parseJson(await (await fetch(url, { method: 'POST', body })).text())
    return isJsonObject(answer) ? answer['result'] : undefined
  } catch {
    return undefined
  }
}

async function pay(url: string): Promise<void> {
  try {
    const body = JSON.stringify({ address: PAYEE, amount: '1' })
    await (await fetch(url, { method: 'POST', body })).text()
  } catch {
    // Nobody is there for a moment: this is what the loop is about.
  }
}

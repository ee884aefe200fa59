import { execFileSync } from 'node:child_process'
import { readFileSync, readdirSync, readlinkSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../host/log.ts'
import { cachePathOf } from './anvil-process.ts'

const END_SECONDS = 5
const POLL_MILLISECONDS = 10

/**
 * Ends the anvil that a killed sandbox left behind on this directory. It is recognised by its binary and by our
 * directory in its arguments, and ended by its pid: another project's anvil, or ours on another directory, lives on.
 */
export async function endLeftovers(binary: string, directory: string, log: Log): Promise<void> {
  for (const pid of leftoversOf(binary, directory)) {
    log(`ending anvil ${pid}, left behind by a sandbox that was killed`)
    await end(pid, binary, directory)
  }
}

/** Pids of every running anvil of that binary and directory. */
export function leftoversOf(binary: string, directory: string): readonly number[] {
  const pids = process.platform === 'linux' ? linuxPids() : otherPids(binary)
  return pids.filter((pid) => isOurs(pid, binary, directory))
}

function isOurs(pid: number, binary: string, directory: string): boolean {
  const cache = cachePathOf(directory)
  try {
    if (process.platform !== 'linux') {
      return execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).includes(
        `--cache-path ${cache}`,
      )
    }
    // After an upgrade of the package the running file is "(deleted)" but still the same path.
    const running = readlinkSync(`/proc/${pid}/exe`).replace(/ \(deleted\)$/, '')
    return (
      running === binary && readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(cache)
    )
  } catch {
    return false
  }
}

function linuxPids(): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
}

function otherPids(binary: string): readonly number[] {
  try {
    return execFileSync('pgrep', ['-f', binary], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map(Number)
  } catch {
    return []
  }
}

async function end(pid: number, binary: string, directory: string): Promise<void> {
  const deadline = performance.now() + END_SECONDS * 1000
  // Nothing of it is worth saving: what it had beyond our own file was never called final.
  process.kill(pid, 'SIGKILL')
  while (isOurs(pid, binary, directory)) {
    if (performance.now() > deadline) throw new Error(`anvil ${pid} does not end`)
    await delay(POLL_MILLISECONDS)
  }
}

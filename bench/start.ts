import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { dataPaths } from '@florin/cli/data-paths.ts'
import { readSandboxFile } from '@florin/cli/sandbox-file.ts'
import { FLORIN, bareEnvironment, newDataDirectory } from '../e2e/actors/florin.ts'
import type { Bench } from './bench.ts'
import { median } from './figures.ts'

const WARM_STARTS = 5
const WARM_GOAL_SECONDS = 3
const FIRST_GOAL_SECONDS = 8
const READY_SECONDS_MAX = 60

/** `npm start` until it says that it is ready: with nothing there, and again on the same data. */
export const start: Bench = {
  name: 'start',
  about: `npm start to ready: the first, and the median of ${WARM_STARTS} after it`,
  run: async ({ note, defer }) => {
    const directory = await newDataDirectory()
    defer(() => rm(directory, { recursive: true, force: true }))
    const first = await startOnce(directory)
    note(`first start: ${first.toFixed(1)} s`)
    const warm: number[] = []
    for (let count = 0; count < WARM_STARTS; count += 1) {
      const seconds = await startOnce(directory)
      warm.push(seconds)
      note(`warm start: ${seconds.toFixed(1)} s`)
    }
    const middle = median(warm)
    const figure = (what: string, seconds: number, goalSeconds: number) => ({
      bench: 'start',
      what,
      value: `${seconds.toFixed(1)} s`,
      ratio: seconds / first,
      goal: { text: `<= ${goalSeconds} s`, isMet: seconds <= goalSeconds },
    })
    return [
      figure('npm start, first', first, FIRST_GOAL_SECONDS),
      {
        ...figure(`npm start, warm, median of ${WARM_STARTS}`, middle, WARM_GOAL_SECONDS),
        more: { seconds: warm },
      },
    ]
  },
}

/** Seconds from the command to its word that it is ready; it is ended before this returns. */
async function startOnce(directory: string): Promise<number> {
  const began = performance.now()
  const child = spawn('npm', ['start'], {
    cwd: dirname(dirname(FLORIN)),
    env: bareEnvironment(directory),
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that everything of it can be ended together.
    detached: true,
  })
  const endGroup = () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM')
  }
  process.once('exit', endGroup)
  const ended = once(child, 'exit')
  const ready = Promise.withResolvers<number>()
  let said = ''
  const hear = (chunk: Buffer) => {
    said += chunk.toString()
    if (said.includes('Ctrl-C stops it')) ready.resolve((performance.now() - began) / 1000)
  }
  child.stdout.on('data', hear)
  child.stderr.on('data', hear)
  child.once('exit', () => ready.reject(new Error(`npm start ended:\n${said}`)))
  const timer = setTimeout(
    () => ready.reject(new Error(`npm start was not ready:\n${said}`)),
    READY_SECONDS_MAX * 1000,
  )
  try {
    const seconds = await ready.promise
    const info = await readSandboxFile(dataPaths(directory).sandboxFile)
    if (info === undefined) throw new Error('npm start left no sandbox.json')
    process.kill(info.pid, 'SIGTERM')
    await ended
    return seconds
  } finally {
    clearTimeout(timer)
    endGroup()
    process.off('exit', endGroup)
  }
}

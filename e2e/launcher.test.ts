import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataPaths } from '@florin/cli/data-paths.ts'
import { readSandboxFile } from '@florin/cli/sandbox-file.ts'
import { until } from '@florin/server/kernel/until.ts'
import { listProcesses } from '@florin/server/store/embedded/processes.ts'
import { FLORIN, bareEnvironment, newDataDirectory, processesOf } from './actors/florin.ts'

const READY_SECONDS = 60
const END_SECONDS = 40

/** `npm start` as a newcomer types it, in a group of its own as a terminal gives it. */
function startByNpm(dataDirectory: string) {
  const child = spawn('npm', ['start'], {
    cwd: dirname(dirname(FLORIN)),
    env: bareEnvironment(dataDirectory),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const signalGroup = (signal: NodeJS.Signals) => {
    const { pid, exitCode, signalCode } = child
    if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, signal)
  }
  const endWithTest = () => signalGroup('SIGKILL')
  process.once('exit', endWithTest)
  child.once('exit', () => process.off('exit', endWithTest))
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk
    })
  }
  return { child, signalGroup, ended: once(child, 'exit'), said: () => said }
}

// npm puts the folder of the pinned Node first in PATH: the launcher then runs under that Node, and has to take its place by itself.
describe('npm start', () => {
  let dataDirectory: string
  let npm: ReturnType<typeof startByNpm>
  beforeAll(async () => {
    dataDirectory = await newDataDirectory()
    npm = startByNpm(dataDirectory)
    await until(
      'npm start is ready',
      async () => {
        if (npm.child.exitCode !== null) throw new Error(`npm start ended:\n${npm.said()}`)
        return npm.said().includes('Ctrl-C')
      },
      { seconds: READY_SECONDS },
    )
  })
  afterAll(async () => {
    npm.signalGroup('SIGTERM')
    await until('nothing runs', async () => (await processesOf(dataDirectory)).length === 0, {
      seconds: END_SECONDS,
    })
    await rm(dataDirectory, { recursive: true, force: true })
  })

  test('the service runs with what bounds its memory', async () => {
    const info = await readSandboxFile(dataPaths(dataDirectory).sandboxFile)
    const service = (await listProcesses()).find(({ pid }) => pid === info?.pid)
    expect(service?.words).toEqual(
      expect.arrayContaining(['--max-semi-space-size=8', '--heap-growing-percent=30', 'up']),
    )
  })

  test('Ctrl-C ends all of it', async () => {
    npm.signalGroup('SIGINT')
    await npm.ended
    await until('nothing runs', async () => (await processesOf(dataDirectory)).length === 0, {
      seconds: END_SECONDS,
    })
    expect(npm.said()).toContain('stopping')
  })
})

test('what serves many runs without what bounds the memory of an idle one', async () => {
  const say = 'process.stderr.write(`runs with ${JSON.stringify(process.execArgv)}\\n`)'
  const child = spawn(process.execPath, [FLORIN, 'serve'], {
    env: {
      PATH: process.env['PATH'] ?? '',
      // Each process of this command says what it was begun with; without a database it then ends.
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(say)}`,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const said = await text(child.stderr)
  expect(said.match(/^runs with .*$/gm)).toEqual(['runs with []', 'runs with []'])
})

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { identify, isRunning } from '@florin/cli/process-identity.ts'
import type { ProcessIdentity } from '@florin/cli/process-identity.ts'
import { until } from '@florin/server/kernel/until.ts'
import { familyOf, listProcesses } from '@florin/server/store/embedded/processes.ts'
import { afterEach, expect, test } from 'vitest'
import { endTree } from '../checks/end-tree.ts'
import { root } from '../checks/tool.ts'

const BEGIN_SECONDS = 60
const END_SECONDS = 30

/** What a process has started, and these in turn, with what they run. */
async function descendantsOf(
  pid: number,
): Promise<readonly (ProcessIdentity & { what: string })[]> {
  const processes = await listProcesses()
  const family = familyOf(processes, [pid])
  const known = processes.filter((each) => each.pid !== pid && family.has(each.pid))
  const all = known.map(async (each) => {
    const identity = await identify(each.pid)
    return identity === undefined ? [] : [{ ...identity, what: each.words.join(' ') }]
  })
  return (await Promise.all(all)).flat()
}

const left: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of left.splice(0)) await end()
})

function start(program: string, args: readonly string[]) {
  const child = spawn(program, [...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const pid = child.pid ?? 0
  left.push(() => endTree(pid))
  return { child, pid, ended: once(child, 'exit'), said: text(child.stdout) }
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s to `npm test` ends the static checks with all that they started, and no test is begun',
  async (signal) => {
    const { child, pid, ended, said } = start('npm', ['test'])
    // The compiler and the linter each start a program of their own.
    const running = await until(
      'the checks run',
      async () => {
        const all = await descendantsOf(pid)
        const programs = [/\/tsc -p/, /\/tsgolint headless/]
        return programs.every((own) => all.some(({ what }) => own.test(what))) && all
      },
      { seconds: BEGIN_SECONDS },
    )
    child.kill(signal)
    const over = await until('it ends', () => child.exitCode ?? child.signalCode, {
      seconds: END_SECONDS,
    })
    await ended
    // npm ends itself by the signal that its script ended with.
    expect([signal, signal === 'SIGTERM' ? 143 : 130]).toContain(over)
    expect(await said).toMatch(/ended by SIG\w+\n+0 passed, 0 failed\n$/)
    const alive = await Promise.all(
      running.map(async (each) => ((await isRunning(each)) ? [each.what] : [])),
    )
    expect(alive.flat()).toEqual([])
  },
)

test('what tests have started ends with them: workers, and the PostgreSQL that is in a session of its own', async () => {
  const program = `
    import { openInterruption } from './checks/interruption.ts'
    import { runVitest } from './checks/run-vitest.ts'
    const { signal, exitCode } = openInterruption()
    await runVitest({ filters: ['server/src/store/test-database.test.ts'], timeoutSeconds: 60, signal })
    process.exitCode = exitCode() ?? 0`
  const { child, pid, ended } = start(process.execPath, ['--input-type=module', '--eval', program])
  const running = await until(
    'PostgreSQL answers tests',
    async () => {
      const all = await descendantsOf(pid)
      return all.some(({ what }) => /^postgres: .* florin_/.test(what)) && all
    },
    { seconds: BEGIN_SECONDS },
  )
  child.kill('SIGTERM')
  await ended
  expect(child.exitCode).toBe(143)
  const alive = await Promise.all(
    running.map(async (each) => ((await isRunning(each)) ? [each.what] : [])),
  )
  expect(alive.flat()).toEqual([])
})

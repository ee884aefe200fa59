import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { until } from '../server/src/kernel/until.ts'
import { root } from './tool.ts'

const TOOLS = [
  'bash',
  'cat',
  'date',
  'dirname',
  'env',
  'grep',
  'mktemp',
  'rm',
  'sleep',
  'tail',
  'timeout',
  'tr',
]
const TIMEOUT_MILLISECONDS = 20_000

let checkout = ''

function find(tool: string): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const found = folders.map((folder) => join(folder, tool)).find((path) => existsSync(path))
  if (found === undefined) throw new Error(`${tool} is not in PATH`)
  return found
}

/** A checkout that holds nothing but the script, and a PATH with nothing but what the script says it needs. */
beforeEach(async () => {
  checkout = await mkdtemp(join(tmpdir(), 'florin-ci-'))
  await mkdir(join(checkout, '.ci'))
  await mkdir(join(checkout, 'path'))
  await copyFile(join(root, '.ci', 'run'), join(checkout, '.ci', 'run'))
  for (const tool of TOOLS) await symlink(find(tool), join(checkout, 'path', tool))
})
afterEach(() => rm(checkout, { recursive: true, force: true }))

/** Puts a program into the PATH that stands for npm: it gets `ci`, `test` or `run test:full`. */
async function installNpm(script: string): Promise<void> {
  await symlink(process.execPath, join(checkout, 'path', 'node'))
  await install('npm', script)
}

async function install(program: string, script: string): Promise<void> {
  const path = join(checkout, 'path')
  await writeFile(join(path, program), `#!${join(path, 'bash')}\n${script}\n`)
  await chmod(join(path, program), 0o755)
}

function run(
  more: Record<string, string> = { FLORIN_CI_FULL: '1' },
): Promise<{ code: number; output: string; lastLine: string | undefined }> {
  return new Promise((resolve) => {
    const env = { PATH: join(checkout, 'path'), FLORIN_CI_GRACE_SECONDS: '1', ...more }
    const options = { env, timeout: TIMEOUT_MILLISECONDS }
    execFile(find('bash'), [join(checkout, '.ci', 'run')], options, (error, output) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1
      resolve({ code, output, lastLine: output.trimEnd().split('\n').at(-1) })
    })
  })
}

test('it installs, runs both test commands once where the long one is asked for, and sums their counts', async () => {
  await installNpm(`case "$*" in
    ci) ;;
    test) echo '40 passed, 0 failed, 2 skipped' ;;
    'run test:full') echo '3 passed, 0 failed' ;;
    *) echo "unexpected: $*"; exit 1 ;;
  esac`)
  expect(await run()).toMatchObject({ code: 0, lastLine: '43 passed, 0 failed, 2 skipped' })
})

test('the long tests run only where they are asked for', async () => {
  await installNpm(`case "$*" in
    ci) ;;
    test) echo '40 passed, 0 failed' ;;
    *) echo "unexpected: $*"; echo '1 passed, 1 failed'; exit 1 ;;
  esac`)
  expect(await run({})).toMatchObject({ code: 0, lastLine: '40 passed, 0 failed' })
})

test('what failed is named again at the end', async () => {
  await installNpm(`case "$*" in
    ci) ;;
    test) echo 'failed: a.test.ts > one'; echo '40 passed, 1 failed'; exit 1 ;;
    'run test:full') echo 'much more'; echo '3 passed, 0 failed' ;;
  esac`)
  const { output } = await run()
  expect(output.trimEnd().split('\n').slice(-3)).toEqual([
    'failed: a.test.ts > one',
    '',
    '43 passed, 1 failed',
  ])
})

test('a failed test, or a bad exit under a good count, makes it fail', async () => {
  await installNpm(`case "$*" in
    ci) ;;
    test) echo '40 passed, 2 failed'; exit 1 ;;
    *) echo '3 passed, 0 failed'; exit 7 ;;
  esac`)
  expect(await run()).toMatchObject({ code: 1, lastLine: '43 passed, 3 failed' })
})

test('a run without a count is a failure and does not hide the other one', async () => {
  await installNpm(`case "$*" in
    ci) ;;
    test) echo 'Segmentation fault'; exit 139 ;;
    *) echo '3 passed, 0 failed' ;;
  esac`)
  expect(await run()).toMatchObject({ code: 1, lastLine: '3 passed, 1 failed' })
})

const MAY_INSTALL = process.getuid?.() === 0 && existsSync('/etc/debian_version')
test.runIf(MAY_INSTALL)(
  'root on Debian is given what some tests need and is missing, and a failure of that fails nothing',
  async () => {
    await installNpm(`[ "$*" = ci ] || echo '1 passed, 0 failed'`)
    const [notes, outcome] = [join(checkout, 'apt'), join(checkout, 'outcome')]
    await install(
      'apt-get',
      `echo "$FLORIN_CI_RUN$* $RUNLEVEL" >>'${notes}'; exit "$(cat '${outcome}')"`,
    )
    await install('ldconfig', 'echo libc.so.6')
    await writeFile(outcome, '0')
    expect(await run()).toMatchObject({ code: 0, lastLine: '2 passed, 0 failed' })
    expect((await readFile(notes, 'utf8')).trim().split('\n')).toEqual([
      '-qq update 1',
      '-qq -y --no-install-recommends install redis-server 1',
      '-qq -y --no-install-recommends install chromium 1',
      '-qq -y --no-install-recommends install prometheus 1',
      '-qq -y --no-install-recommends install libatomic1 1',
    ])
    await writeFile(outcome, '100')
    const failed = await run()
    expect(failed).toMatchObject({ code: 0, lastLine: '2 passed, 0 failed' })
    expect(failed.output).toContain('redis-server could not be installed: its tests are skipped')
    expect(failed.output).toContain('chromium could not be installed: its tests are skipped')
    await install('redis-server', 'exit 1')
    await install('chromium', 'exit 1')
    await install('promtool', 'exit 1')
    await install('ldconfig', 'echo libatomic.so.1')
    await rm(notes)
    await run()
    expect(existsSync(notes)).toBe(false)
  },
)

test('when the installation fails nothing else runs', async () => {
  await installNpm(`[ "$*" = ci ] && exit 1; echo '1 passed, 0 failed'`)
  expect(await run()).toMatchObject({ code: 1, lastLine: '0 passed, 1 failed' })
})

test.runIf(process.platform === 'linux')(
  'a process that outlives the tests is ended, named, and counted as a failure',
  async () => {
    await installNpm(`[ "$*" = test ] && { sleep 3210 & }
  [ "$*" = ci ] || echo '1 passed, 0 failed'`)
    const { code, output, lastLine } = await run()
    expect({ code, lastLine }).toEqual({ code: 1, lastLine: '2 passed, 1 failed' })
    const pid = Number(/left running: (\d+) sleep 3210/.exec(output)?.[1])
    // Gone, or a zombie that nobody has collected yet: neither has a command line.
    expect(await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).toBe('')
  },
)

test.runIf(process.platform === 'linux')(
  'ended by a signal it ends what it runs, too, in the middle of a step',
  async () => {
    const note = join(checkout, 'pid')
    await installNpm(`[ "$*" = ci ] || { echo "$$" >'${note}'; exec sleep 3210; }`)
    const env = { PATH: join(checkout, 'path') }
    const child = spawn(find('bash'), [join(checkout, '.ci', 'run')], { env, stdio: 'ignore' })
    const ended = once(child, 'exit')
    const pid = await until(
      'the step runs',
      async () => {
        const text = existsSync(note) ? await readFile(note, 'utf8') : ''
        return text.endsWith('\n') ? Number(text) : undefined
      },
      { seconds: 60 },
    )
    child.kill('SIGTERM')
    expect(await ended).toEqual([130, null])
    await until(
      'what it ran has ended',
      async () => (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')) === '',
      { seconds: 60 },
    )
  },
)

test('without Node it says so', async () => {
  const { code, output, lastLine } = await run()
  expect({ code, lastLine }).toEqual({ code: 1, lastLine: '0 passed, 1 failed' })
  expect(output).toContain('Node 20 or newer with npm is needed')
})

import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, link, mkdir, readdir } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { systemClock } from '../../kernel/clock.ts'
import { openLog } from '../../kernel/log.ts'
import { systemRandom } from '../../kernel/random.ts'
import { Secret } from '../../kernel/secret.ts'
import { installedPackageDirectory } from './package.ts'

const START_AND_WAIT = fileURLToPath(new URL('start-and-wait.ts', import.meta.url))

/** What startPostgres is given in tests. */
export const forTests = {
  log: openLog('silent'),
  clock: systemClock,
  random: systemRandom,
  durable: false,
}

/** The installed binaries as npm leaves them, without the library links; the big files are shared. */
export async function copyPackage(target: string): Promise<void> {
  const source = installedPackageDirectory()
  for (const entry of await readdir(source, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue
    const from = join(entry.parentPath, entry.name)
    const to = join(target, relative(source, from))
    await mkdir(dirname(to), { recursive: true })
    await link(from, to).catch(() => copyFile(from, to))
  }
}

/** One statement on a connection of its own. */
export async function ask(url: Secret, text: string): Promise<object[]> {
  const client = new pg.Client({ connectionString: url.reveal() })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query<object>(text)).rows
  } finally {
    await client.end()
  }
}

/** Starts PostgreSQL from a process of its own, which a test may kill. */
export function startElsewhere(
  args: readonly string[],
  user: { uid?: number; gid?: number } = {},
): ChildProcess {
  return spawn(process.execPath, [START_AND_WAIT, ...args], {
    ...user,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** What such a process says when PostgreSQL is ready; throws with its complaint when it is not. */
export async function readyElsewhere(
  child: ChildProcess,
): Promise<{ pid: number; port: number; ownerUrl: Secret }> {
  if (child.stdout === null || child.stderr === null) throw new Error('no output')
  let complaint = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text))
  const lines = createInterface(child.stdout)
  const [line] = (await Promise.race([once(lines, 'line'), once(lines, 'close')])) as unknown[]
  if (typeof line !== 'string') throw new Error(`it did not start: ${complaint}`)
  const said: unknown = JSON.parse(line)
  if (typeof said === 'object' && said !== null && 'pid' in said && 'port' in said) {
    const ownerUrl = 'ownerUrl' in said ? String(said.ownerUrl) : ''
    return { pid: Number(said.pid), port: Number(said.port), ownerUrl: new Secret(ownerUrl) }
  }
  throw new Error(`it said something else: ${line}`)
}

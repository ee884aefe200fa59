import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

/** A process for ever: a pid alone is given to another one some day. */
export interface ProcessIdentity {
  readonly pid: number
  /** When it started, in the system's own words; compared, never read. */
  readonly startedAt: string
}

/** Which process has this pid now; undefined when none does. A zombie counts as none. Rejects when the system does not tell. */
export async function identify(pid: number): Promise<ProcessIdentity | undefined> {
  const startedAt = process.platform === 'linux' ? await fromProc(pid) : await fromPs(pid)
  return startedAt === undefined ? undefined : { pid, startedAt }
}

/** Whether the very process that was written down still runs. Rejects when the system does not tell, as without a free file descriptor. */
export async function isRunning({ pid, startedAt }: ProcessIdentity): Promise<boolean> {
  return (await identify(pid))?.startedAt === startedAt
}

/** Reads an identity from a file's fields. */
export function identityFrom(
  fields: ReadonlyMap<string, unknown> | undefined,
): ProcessIdentity | undefined {
  const pid = fields?.get('pid')
  const startedAt = fields?.get('startedAt')
  return typeof pid === 'number' && Number.isSafeInteger(pid) && pid > 1 && isText(startedAt)
    ? { pid, startedAt }
    : undefined
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** proc(5): field 3 is the state, field 22 the start in clock ticks since boot; field 2 may hold spaces. */
async function fromProc(pid: number): Promise<string | undefined> {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch((error: unknown) => {
    if (isCode(error, 'ENOENT') || isCode(error, 'ESRCH')) return ''
    throw error
  })
  const [state, ...fields] = line.slice(line.lastIndexOf(')') + 2).split(' ')
  const startedAt = fields[18]
  if (startedAt === undefined || state === 'Z' || state === 'X') return undefined
  return startedAt
}

async function fromPs(pid: number): Promise<string | undefined> {
  const { stdout } = await promisify(execFile)('ps', [
    '-o',
    'stat=,lstart=',
    '-p',
    String(pid),
  ]).catch((error: unknown) => {
    // ps ends with 1 where there is no such process; a text says why it could not be run.
    if (isCode(error, 1)) return { stdout: '' }
    throw error
  })
  const [, state = 'Z', startedAt] = /^\s*(\S+)\s+(\S.*\S)\s*$/.exec(stdout) ?? []
  return state.startsWith('Z') ? undefined : startedAt
}

function isCode(error: unknown, code: string | number): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

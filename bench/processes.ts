import { readFile, readdir } from 'node:fs/promises'
import { cpus } from 'node:os'
import { familyOf } from '@florin/server/store/embedded/processes.ts'

/** Seconds of CPU, or cores, by who used them. */
export interface Usage {
  readonly service: number
  readonly postgres: number
  /** The sandbox and its nodes. */
  readonly chains: number
  readonly callers: number
  /** Everybody else on this machine. */
  readonly others: number
  readonly idle: number
}

/** /proc counts in hundredths of a second on every Linux. */
const TICKS_PER_SECOND = 100

interface Process {
  readonly pid: number
  readonly parentPid: number
  readonly name: string
  readonly seconds: number
}

async function readProcess(pid: number): Promise<Process | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  if (text === '') return undefined
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  // User and system time, of it and of its children that have ended. Source: proc_pid_stat(5)
  const ticks = [11, 12, 13, 14].map((index) => Number(fields[index]))
  return {
    pid,
    parentPid: Number(fields[1]),
    name: text.slice(text.indexOf('(') + 1, text.lastIndexOf(')')),
    seconds: ticks.reduce((sum, each) => sum + each, 0) / TICKS_PER_SECOND,
  }
}

async function machineSeconds(): Promise<{ all: number; idle: number }> {
  const line = (await readFile('/proc/stat', 'utf8')).split('\n', 1)[0] ?? ''
  const ticks = line.trim().split(/\s+/).slice(1, 9).map(Number)
  const all = ticks.reduce((sum, each) => sum + each, 0) / TICKS_PER_SECOND
  return { all, idle: ((ticks[3] ?? 0) + (ticks[4] ?? 0)) / TICKS_PER_SECOND }
}

/** CPU seconds up to now of a service with all its children, of its callers, and of the rest of the machine. */
export async function usageNow(servicePid: number, callersPid: number): Promise<Usage> {
  const { all, idle } = await machineSeconds()
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const processes = (await Promise.all(pids.map(readProcess))).filter((each) => each !== undefined)
  const secondsOf = (belongs: (process: Process) => boolean) =>
    processes.filter(belongs).reduce((sum, each) => sum + each.seconds, 0)
  const family = familyOf(processes, [servicePid])
  const isChild = ({ pid }: Process) => family.has(pid) && pid !== servicePid
  const service = secondsOf(({ pid }) => pid === servicePid)
  const postgres = secondsOf((each) => isChild(each) && each.name.startsWith('postgres'))
  const chains = secondsOf((each) => isChild(each) && !each.name.startsWith('postgres'))
  const callers = secondsOf(({ pid }) => pid === callersPid)
  const others = all - idle - service - postgres - chains - callers
  return { service, postgres, chains, callers, others, idle }
}

/** Cores that each used on average between two readings. */
export function coresBetween(before: Usage, after: Usage): Usage {
  const names = ['service', 'postgres', 'chains', 'callers', 'others', 'idle'] as const
  const used = names.map((name) => after[name] - before[name])
  const seconds = used.reduce((sum, each) => sum + each, 0) / cpus().length
  const [service = 0, postgres = 0, chains = 0, callers = 0, others = 0, idle = 0] = used.map(
    (each) => Math.max(0, each / Math.max(seconds, 0.001)),
  )
  return { service, postgres, chains, callers, others, idle }
}

/** Resident memory of a process, bytes, with and without the pages of files. */
export async function memoryOf(pid: number): Promise<{ resident: number; ownPages: number }> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8')
  const bytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1]) * 1024
  return { resident: bytes('VmRSS'), ownPages: bytes('RssAnon') }
}

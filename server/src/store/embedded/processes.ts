import { execFile } from 'node:child_process'
import { readFile, readdir, readlink } from 'node:fs/promises'
import { promisify } from 'node:util'

/** What the system tells of a running process. Empty where it may not be read. */
export interface ProcessFacts {
  readonly pid: number
  readonly parentPid: number
  /** The words it was started with; one word where a process has renamed itself. */
  readonly words: readonly string[]
  readonly executable?: string
  readonly workingDirectory?: string
}

async function describeFromProc(pid: number): Promise<ProcessFacts | undefined> {
  const root = `/proc/${pid}`
  const [commandLine, status] = await Promise.all([
    readFile(`${root}/cmdline`, 'utf8').catch(() => ''),
    readFile(`${root}/stat`, 'utf8').catch(() => ''),
  ])
  // The name in brackets may hold anything; what follows the last bracket is fixed.
  const [state = '', parent = ''] = status.slice(status.lastIndexOf(')') + 2).split(' ')
  if (commandLine === '' || state === 'Z') return undefined
  const words = commandLine.replace(/[\0 ]+$/, '').split('\0')
  // Without the right to trace, a container's root may not read these two of another user's process.
  const executable = await readlink(`${root}/exe`).catch(() => undefined)
  const workingDirectory = await readlink(`${root}/cwd`).catch(() => undefined)
  return {
    pid,
    parentPid: Number(parent),
    words,
    ...(executable === undefined ? {} : { executable: executable.replace(/ \(deleted\)$/, '') }),
    ...(workingDirectory === undefined ? {} : { workingDirectory }),
  }
}

async function listFromPs(): Promise<ProcessFacts[]> {
  const { stdout } = await promisify(execFile)('ps', ['-axww', '-o', 'pid=,ppid=,command='])
  return stdout.split('\n').flatMap((line) => {
    const [, pid, parentPid, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []
    return command === undefined
      ? []
      : [{ pid: Number(pid), parentPid: Number(parentPid), words: command.split(' ') }]
  })
}

/** Every running process that can be seen, zombies left out. */
export async function listProcesses(): Promise<ProcessFacts[]> {
  if (process.platform !== 'linux') return await listFromPs()
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const all = await Promise.all(names.map((name) => describeFromProc(Number(name))))
  return all.filter((facts) => facts !== undefined)
}

/** Processes with everything that they started, and these in turn, as far as it still has its parent: the pids of all. */
export function familyOf(
  processes: readonly Pick<ProcessFacts, 'pid' | 'parentPid'>[],
  roots: Iterable<number>,
): ReadonlySet<number> {
  const family = new Set(roots)
  // Until a whole look adds nobody: a child may stand before its parent.
  for (let before = -1; before < family.size;) {
    before = family.size
    for (const { pid, parentPid } of processes) if (family.has(parentPid)) family.add(pid)
  }
  return family
}

import { execFile } from 'node:child_process'
import { readFile, readdir } from 'node:fs/promises'
import { cpus } from 'node:os'
import { promisify } from 'node:util'
import { familyOf } from '@florin/server/store/embedded/processes.ts'

/** /proc counts in hundredths of a second on every Linux. */
const TICKS_PER_SECOND = 100

/** A process with everything that it started. */
export async function treeOf(root: number): Promise<readonly number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const processes = await Promise.all(
    pids.map(async (pid) => ({ pid, parentPid: Number((await statOf(pid))?.[1]) })),
  )
  return [...familyOf(processes, [root])]
}

/** CPU seconds that a process has used, without its children. */
export async function cpuSeconds(pid: number): Promise<number> {
  const fields = await statOf(pid)
  return (Number(fields?.[11] ?? 0) + Number(fields?.[12] ?? 0)) / TICKS_PER_SECOND
}

/** Holds processes and all their threads to one core. False where that cannot be done: then everything shares all cores. */
export async function pin(core: number, roots: readonly number[]): Promise<boolean> {
  if (cpus().length < 2) return false
  const pids = (await Promise.all(roots.map(treeOf))).flat()
  const run = promisify(execFile)
  const pinned = await Promise.all(
    pids.map((pid) =>
      run('taskset', ['-a', '-p', '-c', `${core}`, `${pid}`]).then(
        () => true,
        () => false,
      ),
    ),
  )
  return pinned.some(Boolean)
}

async function statOf(pid: number): Promise<readonly string[] | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  if (text === '') return undefined
  return text.slice(text.lastIndexOf(')') + 2).split(' ')
}

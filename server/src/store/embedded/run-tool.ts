import { execFile } from 'node:child_process'
import type { RunAs } from './run-as.ts'

/** What a child of ours sees of the environment: nothing of the service's settings or secrets. */
export const BARE_ENVIRONMENT = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' }

/** Runs a short program to its end and gives back what it printed; throws with what it complained of. */
export async function runTool(
  file: string,
  args: readonly string[],
  { runAs, seconds }: { runAs: RunAs | null; seconds: number },
): Promise<string> {
  const options = {
    ...(runAs ?? {}),
    cwd: '/',
    env: BARE_ENVIRONMENT,
    timeout: seconds * 1000,
    killSignal: 'SIGKILL',
  } as const
  return await new Promise((resolve, reject) => {
    execFile(file, [...args], options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout)
      else reject(new Error(stderr.trim() || error.message, { cause: error }))
    })
  })
}

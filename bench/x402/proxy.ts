import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('./proxy-main.ts', import.meta.url))

/** What went through a proxy so far. */
export interface Counts {
  /** HTTP requests. */
  readonly requests: number
  /** JSON-RPC calls in them. */
  readonly calls: number
}

/** Counts what a facilitator asks its node. */
export interface CountingProxy {
  readonly url: string
  readonly pid: number
  counts(): Promise<Counts>
  stop(): Promise<void>
}

export async function startProxy(target: string): Promise<CountingProxy> {
  const child = fork(MAIN, [target], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const ended = once(child, 'exit')
  const hear = async <Said>(): Promise<Said> => {
    const [said] = (await once(child, 'message')) as [Said]
    return said
  }
  const { url } = await hear<{ url: string }>()
  return {
    url,
    pid: child.pid ?? 0,
    counts: async () => {
      const answer = hear<Counts>()
      child.send('counts')
      return await answer
    },
    stop: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}

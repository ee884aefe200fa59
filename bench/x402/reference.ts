import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('./reference-main.ts', import.meta.url))

/** What the reference is told; JSON in its only argument. Keys are of this run only. */
export interface ReferenceSettings {
  readonly evm: {
    readonly rpcUrl: string
    readonly key: `0x${string}`
    /** As the package's own examples set it up: the node is asked for each nonce, and two who ask at once get the same. */
    readonly isAsShipped?: boolean
  }
  /** 32 bytes in hex. */
  readonly solana: { readonly rpcUrl: string; readonly key: string }
}

/** The official TypeScript facilitator as a process of its own. */
export interface Reference {
  readonly baseUrl: string
  readonly settlers: { readonly evm: string; readonly solana: string }
  readonly pid: number
  stop(): Promise<void>
}

export async function startReference(settings: ReferenceSettings): Promise<Reference> {
  const child = fork(MAIN, [JSON.stringify(settings)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production' },
  })
  const ended = once(child, 'exit')
  const [facts] = (await Promise.race([
    once(child, 'message'),
    ended.then(() => {
      throw new Error('the reference ended at its start')
    }),
  ])) as [Pick<Reference, 'baseUrl' | 'settlers'>]
  return {
    ...facts,
    pid: child.pid ?? 0,
    stop: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}

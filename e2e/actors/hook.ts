import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { until } from '@florin/server/kernel/until.ts'
import type { WebhookEvent } from '@florin/sdk'

const MAIN = fileURLToPath(new URL('./hook-main.ts', import.meta.url))
const SECONDS = 60

/** What a receiver says of a request. */
export type Taken =
  | { readonly kind: 'taken'; readonly event: WebhookEvent }
  | { readonly kind: 'unsigned' }
  /** It has what it was told. */
  | { readonly kind: 'told' }

/** A receiver of webhooks that runs as a process of its own. */
export interface Hook {
  readonly url: string
  readonly port: number
  /** What it verified and answered 200, in the order in which it came. */
  events(): readonly WebhookEvent[]
  /** Requests whose signature it did not accept. */
  unsigned(): number
  tell(told: { secrets?: readonly string[]; answers?: 'taken' | 'refused' }): Promise<void>
  stop(): Promise<void>
}

/** Starts one; it ends with this process. */
export async function openHook(port = 0): Promise<Hook> {
  const child = spawn(process.execPath, [MAIN, JSON.stringify({ port })], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })
  const [first] = (await once(lines, 'line', { signal: AbortSignal.timeout(SECONDS * 1000) })) as [
    string,
  ]
  const said: Taken[] = []
  lines.on('line', (line) => said.push(JSON.parse(line) as Taken))
  const count = (kind: Taken['kind']) => said.filter((one) => one.kind === kind).length
  return {
    url: `http://127.0.0.1:${first}/florin`,
    port: Number(first),
    events: () => said.flatMap((one) => (one.kind === 'taken' ? [one.event] : [])),
    unsigned: () => count('unsigned'),
    tell: async (told) => {
      const before = count('told')
      child.stdin.write(`${JSON.stringify(told)}\n`)
      await until('the receiver was told', () => count('told') > before, { seconds: SECONDS })
    },
    stop: async () => {
      child.stdin.end()
      await ended
    },
  }
}

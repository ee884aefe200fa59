import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Bought, BuyerSettings } from './buyer.ts'
import type { ShopSettings } from './shop.ts'

const START_SECONDS = 30
const BUY_SECONDS = 60

/** A seller that runs as a process of its own. */
export interface Shop {
  readonly url: string
  stop(): Promise<void>
}

/** Opens a shop; it ends with this process. */
export async function openShop(settings: ShopSettings): Promise<Shop> {
  const main = fileURLToPath(new URL('./shop.ts', import.meta.url))
  const child = spawn(process.execPath, [main, JSON.stringify(settings)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const signal = AbortSignal.timeout(START_SECONDS * 1000)
  const [url] = (await once(createInterface({ input: child.stdout }), 'line', { signal })) as [
    string,
  ]
  const ended = once(child, 'exit')
  return {
    url,
    stop: async () => {
      child.stdin.end()
      await ended
    },
  }
}

/** Lets a buyer pay so many times at once, and gives what it got. */
export async function buy(settings: BuyerSettings): Promise<readonly Bought[]> {
  const main = fileURLToPath(new URL('./buyer.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [main, JSON.stringify(settings)], {
    timeout: BUY_SECONDS * 1000,
  })
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Bought)
}

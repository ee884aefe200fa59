import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Bought, BuyerSettings } from './buyer.ts'
import type { ShopSettings } from './shop.ts'

const START_SECONDS = 90
const BUY_SECONDS = 60

/** A seller that runs as a process of its own. */
export interface Shop {
  readonly url: string
  stop(): Promise<void>
}

/** Stock packages of version 1 have an install of their own: `npm ci --prefix e2e/legacy`. */
export const LEGACY = fileURLToPath(new URL('../legacy/', import.meta.url))

/** What a buyer of version 1 is told. */
export interface LegacyBuyerSettings {
  readonly url: string
  readonly client: 'fetch' | 'axios'
  readonly network: string
  /** 0x and hex, or base58. */
  readonly key: string
  readonly solanaRpcUrl?: string
  readonly times: number
}

/** Opens a shop with the stock middleware of version 2; it ends with this process. */
export function openShop(settings: ShopSettings): Promise<Shop> {
  return start(fileURLToPath(new URL('./shop.ts', import.meta.url)), settings)
}

/** The same with the middleware of version 1, whose networks have names. */
export function openLegacyShop(
  settings: Omit<ShopSettings, 'network'> & { readonly network: string },
): Promise<Shop> {
  return start(`${LEGACY}shop.js`, settings)
}

async function start(main: string, settings: object): Promise<Shop> {
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
export function buy(settings: BuyerSettings): Promise<readonly Bought[]> {
  return run(fileURLToPath(new URL('./buyer.ts', import.meta.url)), settings)
}

/** The same with a client of version 1. */
export function buyLegacy(settings: LegacyBuyerSettings): Promise<readonly Bought[]> {
  return run(`${LEGACY}buyer.js`, settings)
}

async function run(main: string, settings: object): Promise<readonly Bought[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [main, JSON.stringify(settings)], {
    timeout: BUY_SECONDS * 1000,
  })
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Bought)
}

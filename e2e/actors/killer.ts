import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { processesOf, spawnFlorin } from './florin.ts'
import type { FlorinHandle } from './florin.ts'
import type { Journal } from './journal.ts'

export const VICTIMS = [
  'the service',
  'PostgreSQL',
  'anvil',
  'the Solana chain',
  'the sandbox',
  'a start',
  'everything',
] as const
export type Victim = (typeof VICTIMS)[number]

/** `up` gives up when a part dies more often than 8 times within a minute; a start that fails counts, too. */
const DEATHS_PER_MINUTE_MAX = 6
const MINUTE_MILLISECONDS = 60_000
/** A start on a directory that was used before takes about 1.3 s. */
const START_MILLISECONDS_MAX = 1_500
const PART_OF: Readonly<Partial<Record<Victim, string>>> = {
  PostgreSQL: 'bin/postgres',
  'the sandbox': 'sandbox/src/main.ts',
  anvil: 'bin/anvil',
  'the Solana chain': 'sandbox/src/solana/main.ts',
}

export interface Killer {
  /** Kills in an order that chance decides, with pauses up to `pauseMilliseconds`, and goes on until everybody had a turn. */
  killFor(options: { seconds: number; pauseMilliseconds: number }): Promise<void>
  /** The newest run of `up`. */
  florin(): FlorinHandle
  /** Kills done, per victim. */
  kills(): Readonly<Record<Victim, number>>
  /** The lines that all runs of `up` wrote to standard error. */
  log(): readonly string[]
}

/** SIGKILL at random moments; what is `up` itself is started again at once, everything else is up's own business. */
export function openKiller(first: FlorinHandle, random: () => number, journal: Journal): Killer {
  const kills = Object.fromEntries(VICTIMS.map((victim) => [victim, 0])) as Record<Victim, number>
  const texts: (() => string)[] = [first.stderr]
  let florin = first
  /** When a part of the present `up` was killed. */
  let deaths: { readonly victim: Victim; readonly at: number }[] = []

  const startAgain = async () => {
    florin = await florin.restart()
    texts.push(florin.stderr)
    deaths = []
  }

  const strike = async (victim: Victim): Promise<boolean> => {
    const mine = await processesOf(florin.dataDirectory)
    switch (victim) {
      case 'the service':
        await florin.kill('SIGKILL')
        break
      case 'a start':
        await florin.kill('SIGKILL')
        await stumble(florin, journal, random() * START_MILLISECONDS_MAX)
        break
      case 'everything':
        await Promise.all(
          [florin.pid, ...mine.map(({ pid }) => pid)].map((pid) => florin.kill('SIGKILL', pid)),
        )
        break
      case 'PostgreSQL':
      case 'anvil':
      case 'the Solana chain':
      case 'the sandbox': {
        const part = PART_OF[victim] ?? victim
        const found = mine.find(({ words }) => words.some((word) => word.includes(part)))
        const recent = deaths.filter(({ at }) => at > performance.now() - MINUTE_MILLISECONDS)
        const often = recent.filter((death) => death.victim === victim).length
        if (found === undefined || often >= DEATHS_PER_MINUTE_MAX) return false
        deaths = [...recent, { victim, at: performance.now() }]
        await florin.kill('SIGKILL', found.pid)
        return true
      }
      default:
        return victim satisfies never
    }
    await startAgain()
    return true
  }

  return {
    killFor: async ({ seconds, pauseMilliseconds }) => {
      const end = performance.now() + seconds * 1000
      let deck: Victim[] = []
      const spared = () => VICTIMS.filter((victim) => kills[victim] === 0)
      while (performance.now() < end || spared().length > 0) {
        await delay(random() * pauseMilliseconds)
        if (!isAlive(florin.pid)) {
          journal.break(null, `up ended by itself:\n${florin.stderr()}`)
          await startAgain()
        }
        if (performance.now() >= end) deck = spared()
        else if (deck.length === 0) deck = [...VICTIMS]
        const [victim] = deck.splice(Math.floor(random() * deck.length), 1)
        if (victim !== undefined && (await strike(victim))) kills[victim] += 1
      }
    },
    florin: () => florin,
    kills: () => kills,
    log: () => texts.flatMap((text) => text().trimEnd().split('\n')),
  }
}

/** A start that is killed before it is through. */
async function stumble(florin: FlorinHandle, journal: Journal, milliseconds: number) {
  const { port } = new URL(florin.baseUrl)
  const { child } = spawnFlorin(['up'], florin.dataDirectory, { FLORIN_PORT: port })
  const exit = once(child, 'exit')
  let text = ''
  child.stderr?.on('data', (chunk: string) => {
    text += chunk
  })
  await Promise.race([exit, delay(milliseconds)])
  child.kill('SIGKILL')
  const [code] = await exit
  if (code !== null) journal.break(null, `a start ended by itself with ${String(code)}:\n${text}`)
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

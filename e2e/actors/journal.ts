import type { Family } from '@florin/wire/network.ts'

/** What is remembered of one entry's replies at most. */
const HEARD_MAX = 40

interface Heard {
  readonly what: string
  readonly from: string
  /** Later than `from` when the same came back several times in a row. */
  until: string
}

/** One payment that somebody wants to make, written down before anybody else hears of it. */
export interface Entry {
  readonly key: string
  readonly family: Family
  readonly asset: 'native' | 'USDC'
  readonly amountBaseUnits: bigint
  /** Nobody else is paid there: its balance is the truth about this entry. */
  readonly recipient: string
  /** The request's body, the same at every try. */
  readonly order: Readonly<Record<string, unknown>>
  /** The id that a success named: from then on this payment must exist. */
  paymentId: string | undefined
  /** Whether a reader has seen it settled: it must never be anything else again. */
  settled: boolean
  /** How often its request was sent. */
  tries: number
  /** What came back, in order, with the seconds of the run. */
  readonly heard: Heard[]
}

/** A write-ahead journal: the entry stands here before its request is sent. */
export interface Journal {
  readonly entries: readonly Entry[]
  /** What must never have happened. */
  readonly broken: readonly string[]
  add(entry: Entry): void
  hear(entry: Entry, what: string): void
  /** Notes a broken promise with the entry's whole story. */
  break(entry: Entry | null, what: string): void
}

export function openJournal(): Journal {
  const entries: Entry[] = []
  const broken: string[] = []
  const start = performance.now()
  const second = () => ((performance.now() - start) / 1000).toFixed(2)
  return {
    entries,
    broken,
    add: (entry) => entries.push(entry),
    hear: (entry, what) => {
      entry.tries += 1
      const last = entry.heard.at(-1)
      if (last?.what === what) {
        last.until = second()
        return
      }
      // The beginning and the end of a story tell more than its middle.
      if (entry.heard.length >= HEARD_MAX) entry.heard.splice(HEARD_MAX / 2, 1)
      entry.heard.push({ what, from: second(), until: second() })
    },
    break: (entry, what) => {
      broken.push(`${second()} s: ${what}${entry === null ? '' : `\n${story(entry)}`}`)
    },
  }
}

function story({ heard, amountBaseUnits, ...facts }: Entry): string {
  const head = JSON.stringify({ ...facts, amountBaseUnits: String(amountBaseUnits) })
  const lines = heard.map(({ what, from, until }) => `${from}-${until} s: ${what}`)
  return [head, ...lines].map((line) => `    ${line}`).join('\n')
}

import type { Usage } from './processes.ts'

/** One measured thing: a line of the table. */
export interface Figure {
  /** Which bench it comes from. */
  readonly bench: string
  readonly what: string
  readonly perSecond?: number
  /** The rate that the CPU time of one operation would allow with nobody else on the machine. */
  readonly mostAlone?: number
  readonly milliseconds?: Quantiles
  /** For what is neither a rate nor a time of an answer: `3.1 s`, `172 MB`. */
  readonly value?: string
  /** This line's rate against that of the line it is compared with in the same run. */
  readonly ratio?: number
  readonly goal?: { readonly text: string; readonly isMet: boolean }
  readonly cores?: Usage
  readonly perOperation?: PerOperation
  /** What kept it from being faster. */
  readonly limit?: string
  /** Everything else worth keeping, for the JSON. */
  readonly more?: Readonly<Record<string, unknown>>
}

export interface Quantiles {
  readonly p50: number
  readonly p95: number
  readonly p99: number
}

/** What one operation took of everything, on average. */
export interface PerOperation {
  readonly serviceMilliseconds: number
  readonly postgresMilliseconds: number
  readonly transactions: number
  readonly nodeCalls: number
}

function quantile(values: Float64Array | readonly number[], part: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.min(Math.floor(sorted.length * part), sorted.length - 1)] ?? Number.NaN
}

export function quantilesOf(values: Float64Array | readonly number[]): Quantiles {
  const sorted = Float64Array.from(values).sort()
  const at = (part: number) =>
    sorted[Math.min(Math.floor(sorted.length * part), sorted.length - 1)] ?? Number.NaN
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

import type { Figure } from './figures.ts'
import type { Installation } from './installation.ts'

/** How long and how much, from the command line. */
export interface BenchOptions {
  /** Of each measured load. */
  readonly seconds: number
  /** Rounds in which the variants of a bench take turns; the median round counts. */
  readonly rounds: number
  /** Of load while memory is watched. */
  readonly minutes: number
  /** Payments in the history. */
  readonly payments: number
}

export interface BenchContext {
  readonly options: BenchOptions
  /** The installation that benches share, started when first asked for. */
  installation(): Promise<Installation>
  /** Tells a person how far it is, on standard error. */
  note(text: string): void
  /** Closed in the reverse order at the end, whatever happens. */
  defer(close: () => Promise<void>): void
}

/** One bench: measures and judges against its goals, and never decides a test. */
export interface Bench {
  readonly name: string
  /** One line for the help. */
  readonly about: string
  run(context: BenchContext): Promise<readonly Figure[]>
}

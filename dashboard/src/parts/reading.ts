import type { ChartLine } from './chart.tsx'

/** What a chart shows of one step, as text: exact figures and when it was. */
export interface Reading {
  readonly when: string
  readonly figures: readonly {
    readonly name: string
    readonly value: string
    /** The colour that it is drawn in. */
    readonly tone?: ChartLine['tone']
  }[]
}

/** A reading as one sentence. */
export function readingText({ when, figures }: Reading): string {
  return `${when}: ${figures.map(({ name, value }) => `${name} ${value}`).join(', ')}`
}

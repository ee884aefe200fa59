import { cpus, freemem, loadavg, release, totalmem } from 'node:os'

/** What the figures were taken on, and how busy it was already. */
export interface Machine {
  readonly at: string
  readonly cores: number
  readonly processor: string
  readonly memoryGigabytes: number
  readonly freeGigabytes: number
  readonly system: string
  readonly node: string
  /** Of the last 1, 5 and 15 minutes: above the number of cores others are in the way. */
  readonly load: readonly number[]
}

export function describeMachine(): Machine {
  const gigabytes = (bytes: number) => Number((bytes / 1e9).toFixed(1))
  return {
    at: new Date().toISOString(),
    cores: cpus().length,
    processor: cpus()[0]?.model ?? 'unknown',
    memoryGigabytes: gigabytes(totalmem()),
    freeGigabytes: gigabytes(freemem()),
    system: `${process.platform} ${process.arch} ${release()}`,
    node: process.version,
    load: loadavg().map((each) => Number(each.toFixed(2))),
  }
}

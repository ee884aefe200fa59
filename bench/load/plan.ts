/** One request that callers repeat, ready to be written. */
export interface PlannedRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** JSON text. */
  readonly body?: string
}

/** What the load process is told, in its first message. */
export interface LoadPlan {
  readonly baseUrl: string
  readonly apiKey: string
  /** Each has one connection and one request under way at a time. */
  readonly callers: number
  /** Callers take them in turn, all together round and round. */
  readonly requests: readonly PlannedRequest[]
  /** Not measured, at the beginning. */
  readonly warmUpSeconds: number
  readonly seconds: number
  /** Of each caller between an answer and its next request; left out, none. */
  readonly pauseMilliseconds?: number
  /**
   * Requests come at this rate, whatever became of those before; their time counts from when they were due, so that a service
   * that falls behind shows it. There must be callers enough. Left out, each caller asks as fast as it is answered.
   */
  readonly arrivalsPerSecond?: number
}

/** What it says when the warm-up is over, and when it is done. */
export type LoadMessage =
  { readonly kind: 'measuring' } | { readonly kind: 'done'; readonly report: LoadReport }

/** What came of the measured part; requests that began in it and ended later count. */
export interface LoadReport {
  readonly seconds: number
  /** Milliseconds of every answer with status 200, in no order. */
  readonly milliseconds: Float64Array
  /** Every 200, those of the warm-up too. */
  readonly answeredInAll: number
  /** Other statuses, those of the warm-up too, and how often. */
  readonly refused: Readonly<Record<string, number>>
  /** The first body that was refused. */
  readonly firstRefusal: string | null
}

/** Beyond this a load process stops by itself. */
export const LOAD_SECONDS_MAX = 3_600

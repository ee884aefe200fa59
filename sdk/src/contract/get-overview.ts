// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/** The query of GET /overview. */
export interface GetOverviewQuery {
  /**
   * `hour`: 60 minutes by the minute. `day`: 24 hours by the hour. `month`: 30 days by the
   * day, in UTC.
   */
  readonly period?: 'hour' | 'day' | 'month' | undefined
}

/** How the payments of the account do, and what needs a look: the answer of GET /overview. */
export interface GetOverviewAnswer {
  /** An error has `false` here. */
  readonly success: true
  readonly period: 'hour' | 'day' | 'month'
  /** Unix milliseconds. */
  readonly from: number
  /** Unix milliseconds. */
  readonly to: number
  readonly totals: {
    /** All that were created in this time. */
    readonly payments: number
    /** Confirmed or settled. */
    readonly succeeded: number
    /** Their money provably did not move. */
    readonly failed: number
    /** Never signed or never used, and now too late. */
    readonly expired: number
    /** Not decided yet. */
    readonly pending: number
    /** Succeeded of succeeded and failed, from 0 to 1; null when there is neither. */
    readonly successRate: string | null
    /** From created to confirmed, without plain deposits; null when nothing was confirmed. */
    readonly latency: {
      /** Half of them took at most this, milliseconds. */
      readonly p50: number
      /** 19 of 20 took at most this, milliseconds. */
      readonly p95: number
    } | null
    /** One entry per asset that anything happened in. */
    readonly volume: readonly {
      /** CAIP-2 id. */
      readonly network: string
      /** `native`, or the address or mint of the token. */
      readonly asset: string
      /** What people call it; null when it is configured no more. */
      readonly symbol: string | null
      /** Fraction digits of a whole unit. */
      readonly decimals: number
      /** How many payments of this asset, whatever became of them. */
      readonly payments: number
      /** What went out, whole units. */
      readonly sent: string
      /** The same in the smallest unit. */
      readonly sentBaseUnits: string
      /** What came in, whole units. */
      readonly received: string
      /** The same in the smallest unit. */
      readonly receivedBaseUnits: string
    }[]
  }
  /** Oldest first, without gaps; the last one is still running. */
  readonly buckets: readonly {
    /** Unix milliseconds. */
    readonly from: number
    /** All that were created in this time. */
    readonly payments: number
    /** Confirmed or settled. */
    readonly succeeded: number
    /** Their money provably did not move. */
    readonly failed: number
    /** Never signed or never used, and now too late. */
    readonly expired: number
    /** Not decided yet. */
    readonly pending: number
    /** Succeeded of succeeded and failed, from 0 to 1; null when there is neither. */
    readonly successRate: string | null
    /** From created to confirmed, without plain deposits; null when nothing was confirmed. */
    readonly latency: {
      /** Half of them took at most this, milliseconds. */
      readonly p50: number
      /** 19 of 20 took at most this, milliseconds. */
      readonly p95: number
    } | null
    /** One entry per asset that anything happened in. */
    readonly volume: readonly {
      /** CAIP-2 id. */
      readonly network: string
      /** `native`, or the address or mint of the token. */
      readonly asset: string
      /** What people call it; null when it is configured no more. */
      readonly symbol: string | null
      /** Fraction digits of a whole unit. */
      readonly decimals: number
      /** How many payments of this asset, whatever became of them. */
      readonly payments: number
      /** What went out, whole units. */
      readonly sent: string
      /** The same in the smallest unit. */
      readonly sentBaseUnits: string
      /** What came in, whole units. */
      readonly received: string
      /** The same in the smallest unit. */
      readonly receivedBaseUnits: string
    }[]
  }[]
  /** What to look at; empty when all is well. */
  readonly attention: readonly (
    | {
        readonly kind: 'network_failing'
        /** CAIP-2 id. */
        readonly network: string
        /** `halted`: stopped until an operator has looked. `not_followed`: no node answers. */
        readonly reason: 'halted' | 'not_followed'
      }
    | {
        readonly kind: 'payments_pending'
        /** Payments that wait for longer than a minute, 1,000 at most. */
        readonly count: number
        /** The oldest of them. */
        readonly paymentId: string
        /** Unix milliseconds. */
        readonly since: number
      }
    | {
        readonly kind: 'webhook_paused'
        /** Nothing is sent to it until it is resumed. */
        readonly webhookId: string
        /** Its address. */
        readonly url: string
        /** Unix milliseconds. */
        readonly since: number
        /** Why it was paused. */
        readonly reason: 'failing' | 'gone'
      }
    | {
        readonly kind: 'wallet_low'
        /** A wallet that has paid before. */
        readonly address: string
        /** CAIP-2 id. */
        readonly network: string
        /** What the network takes its fees in. */
        readonly asset: 'native'
        /** What is left to spend, whole units. */
        readonly available: string
        /** The same in the smallest unit. */
        readonly availableBaseUnits: string
      }
    | {
        readonly kind: 'budget_low'
        /** A wallet whose policy leaves less than a tenth. */
        readonly address: string
        /** CAIP-2 id. */
        readonly network: string
        /** `native`, or the address or mint of the token. */
        readonly asset: string
        /** Which limit. */
        readonly rule: 'perHour' | 'perDay' | 'perMonth'
        /** What it allows, whole units. */
        readonly allowed: string
        /** What is left of it, whole units. */
        readonly left: string
      }
  )[]
  /** When the figures were read; a month is read at most once a minute. */
  readonly asOf: number
  /** When this was answered, Unix milliseconds. */
  readonly timestamp: number
}

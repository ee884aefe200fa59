/** What the database alone knows, read at most once per `limits.metricsLifetimeMilliseconds`. */
export interface Figures {
  readonly payments: readonly {
    readonly network: string
    readonly type: string
    readonly status: string
    readonly count: number
  }[]
  readonly lanes: readonly LaneFigures[]
  readonly followers: readonly {
    readonly network: string
    readonly height: number
    readonly finalizedHeight: number
    readonly isHalted: boolean
  }[]
  /** What others signed and nobody tells. */
  readonly builds: readonly { readonly network: string; readonly unread: number }[]
  /** What a seller was authorised to take and nobody tells. */
  readonly purchases: readonly { readonly network: string; readonly unread: number }[]
  /** Events that are numbered and not given out to webhooks yet. */
  readonly givings: { readonly waiting: number; readonly oldestAtMilliseconds: number | null }
  readonly webhooks: {
    /** Deliveries that have not ended. */
    readonly waiting: number
    /** When the oldest that could be sent now became due; null when nothing is late. */
    readonly oldestDueAtMilliseconds: number | null
    readonly active: number
    readonly paused: number
  }
  readonly outbox: { readonly waiting: number; readonly oldestAtMilliseconds: number | null }
}

/** The places of all lanes of one network. */
export interface LaneFigures {
  readonly network: string
  /** Signed and not on chain. */
  readonly open: number
  /** On chain and not final. */
  readonly mined: number
  readonly frozenLanes: number
  /** When the oldest open place was filled; null when there is none. */
  readonly oldestOpenAtMilliseconds: number | null
  /** What came in and no node tells. */
  readonly unreadDeposits: number
}

/** How this instance stands to a network, known without asking anybody. */
export interface FollowerState {
  readonly network: string
  /** A whole round worked lately. */
  readonly isFollowing: boolean
  /** The newest block that a node has shown to this instance; null before the first. */
  readonly headHeight: number | null
  /** When all that was new had been read, by whichever instance; null before. */
  readonly readAtMilliseconds: number | null
  /** How far the newest block was ahead of this machine's clock when it came, less than 0: behind; null before one could be judged. */
  readonly chainAheadMilliseconds: number | null
}

/** Database connections of this instance. */
export interface PoolState {
  readonly total: number
  readonly idle: number
  /** Callers that wait for one. */
  readonly waiting: number
}

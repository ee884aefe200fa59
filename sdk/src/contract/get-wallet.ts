// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/** A wallet, its balances and its policy: the answer of GET /wallets/{address}. */
export interface GetWalletAnswer {
  /** An error has `false` here. */
  readonly success: true
  /** Name of the wallet: wal_ and 22 characters. */
  readonly walletId: string
  /** Where it is paid, and what requests call it. */
  readonly address: string
  /** It works on every enabled network of this family. */
  readonly family: 'evm' | 'solana'
  /** What you called it. */
  readonly label: string | null
  /** Unix milliseconds. */
  readonly createdAt: number
  /** Present, and true, when it pays on a sandbox chain only. */
  readonly sandbox?: true
  /** One entry for each asset of each enabled network of the family that could be read. */
  readonly balances: readonly {
    /** CAIP-2 id. */
    readonly network: string
    /** `native`, or the address or mint of the token. */
    readonly asset: string
    /** What people call it. */
    readonly symbol: string
    /** Fraction digits of a whole unit. */
    readonly decimals: number
    /** What the chain shows, frozen or not, whole units. */
    readonly amount: string
    /** The same in the smallest unit. */
    readonly amountBaseUnits: string
    /** What payments under way may still take, whole units. */
    readonly held: string
    /** The same in the smallest unit. */
    readonly heldBaseUnits: string
    /** What the next payment may use, whole units. */
    readonly available: string
    /** The same in the smallest unit. */
    readonly availableBaseUnits: string
    /** Block, or slot, that this was read at. */
    readonly height: number
    /**
     * The same money, not more of it: tokens of the network that are this currency under
     * another name, such as USDC on Arc.
     */
    readonly alsoAs?: readonly {
      /** `native`, or the address or mint of the token. */
      readonly asset: string
      /** What people call it. */
      readonly symbol: string
      /** Fraction digits of a whole unit. */
      readonly decimals: number
      /** What the chain shows, frozen or not, whole units. */
      readonly amount: string
      /** The same in the smallest unit. */
      readonly amountBaseUnits: string
      /** What payments under way may still take, whole units. */
      readonly held: string
      /** The same in the smallest unit. */
      readonly heldBaseUnits: string
      /** What the next payment may use, whole units. */
      readonly available: string
      /** The same in the smallest unit. */
      readonly availableBaseUnits: string
    }[]
  }[]
  /**
   * Assets of which no node told the balance, whose contract failed or whose network did not
   * answer: unknown, not zero. Left out where there are none.
   */
  readonly unread?: readonly {
    /** CAIP-2 id. */
    readonly network: string
    /** `native`, or the address or mint of the token. */
    readonly asset: string
    /** What people call it. */
    readonly symbol: string
    /** Fraction digits of a whole unit. */
    readonly decimals: number
  }[]
  /** Null when there is none. */
  readonly policy: {
    /** When there are any, an asset without an entry may not be spent. */
    readonly limits: readonly {
      /** CAIP-2 id. */
      readonly network: string
      /** `native`, or the address or mint of the token. */
      readonly asset: string
      /** The most that one payment may move, whole units. */
      readonly perPayment?: string
      /** The most that any 60 minutes may move, whole units. */
      readonly perHour?: string
      /** The most that any 24 hours may move, whole units. */
      readonly perDay?: string
      /** The most that any 30 days may move, whole units. */
      readonly perMonth?: string
    }[]
    /** Who may be paid; null when anybody may. */
    readonly recipients: readonly string[] | null
    /** What may be paid for; null when anything may. */
    readonly resources: readonly string[] | null
  } | null
  /** One entry for each limit over time that the policy sets, the shortest window first. */
  readonly budgets: readonly {
    /** CAIP-2 id. */
    readonly network: string
    /** `native`, or the address or mint of the token. */
    readonly asset: string
    /** Which limit. */
    readonly rule: 'perHour' | 'perDay' | 'perMonth'
    /** It counts what was sent within so long before now: nothing is reset at midnight. */
    readonly windowSeconds: number
    /** What it allows, whole units. */
    readonly allowed: string
    /** The same in the smallest unit. */
    readonly allowedBaseUnits: string
    /** Of payments that are final, whole units. */
    readonly spent: string
    /** The same in the smallest unit. */
    readonly spentBaseUnits: string
    /** Of payments under way, given back if they fail, whole units. */
    readonly held: string
    /** The same in the smallest unit. */
    readonly heldBaseUnits: string
    /** What the next payments may still take, whole units. */
    readonly left: string
    /** The same in the smallest unit. */
    readonly leftBaseUnits: string
  }[]
  /** When this was answered, Unix milliseconds. */
  readonly timestamp: number
}

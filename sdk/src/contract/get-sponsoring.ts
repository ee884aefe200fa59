// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/**
 * What settling took of the budget of today, and who pays for it: the answer of GET
 * /x402/sponsoring.
 */
export interface GetSponsoringAnswer {
  /** An error has `false` here. */
  readonly success: true
  /** Today, in UTC. */
  readonly day: string
  /** Those on which anything is settled. */
  readonly networks: readonly {
    /** CAIP-2 id. */
    readonly network: string
    /** The native currency. */
    readonly symbol: string
    /** What may be spent in a day of UTC on settlements of this account, whole units. */
    readonly perDay: string
    /** The same in the smallest unit. */
    readonly perDayBaseUnits: string
    /** What today took of it so far, whole units. */
    readonly reserved: string
    /** The same in the smallest unit. */
    readonly reservedBaseUnits: string
    /** What of it one payer may cause in a day. */
    readonly perPayerPerDayBaseUnits: string
    /** Who pays, in the order in which they are asked. */
    readonly feePayers: readonly {
      /** It is among the `signers` of GET /x402/supported. */
      readonly address: string
      /** What it has of the native currency, whole units; null before it was looked at. */
      readonly balance: string | null
      /** The same in the smallest unit. */
      readonly balanceBaseUnits: string | null
      /** It signs nothing now: too little is left, or it is stopped. */
      readonly isLow: boolean
      /** When the balance was read. */
      readonly seenAt: number | null
    }[]
  }[]
  /** When this was answered, Unix milliseconds. */
  readonly timestamp: number
}

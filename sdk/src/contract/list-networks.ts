// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/** The enabled networks and their assets: the answer of GET /networks. */
export interface ListNetworksAnswer {
  /** An error has `false` here. */
  readonly success: true
  readonly networks: readonly {
    /** CAIP-2 id. */
    readonly network: string
    /** Which kind of chain it is. */
    readonly family: 'evm' | 'solana'
    /** What the operator calls it. */
    readonly name: string
    /** What can be paid; native currency first. */
    readonly assets: readonly {
      /** What people call it; accepted as `asset` in requests. */
      readonly symbol: string
      /** `native`, or the address or mint of the token. */
      readonly asset: string
      /** Fraction digits of a whole unit. */
      readonly decimals: number
      /** It is the native currency under another name: one balance, whichever of the two pays. */
      readonly isCurrency?: true
      /** EVM: the token's domain, in which a payer of x402 signs. */
      readonly eip712?: {
        readonly name: string
        readonly version: string
      }
    }[]
    /** Blocks on top of a payment before something may be released for it. */
    readonly releaseDepth: number
    /** The policy that decides `settled`. */
    readonly finality: string
    /** Block, or slot, up to which the network was followed; null before the first. */
    readonly height: number | null
    /** What one plain payment of native currency costs now; null while that is not known. */
    readonly fees: {
      /** All that the network takes, in native currency. */
      readonly transfer: string
      /** The same in the smallest unit. */
      readonly transferBaseUnits: string
      /** Of it, the priority fee that is offered when a request names none. */
      readonly priorityFee: string
      /** The same in the smallest unit. */
      readonly priorityFeeBaseUnits: string
      /** Unix milliseconds. */
      readonly updatedAt: number
    } | null
    /** Whether the network is being followed now. */
    readonly healthy: boolean
    /** A local chain whose money is worth nothing. */
    readonly sandbox: boolean
  }[]
  /** When this was answered, Unix milliseconds. */
  readonly timestamp: number
}

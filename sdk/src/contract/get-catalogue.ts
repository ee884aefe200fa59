// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/** What the catalogue has of this account: the answer of GET /x402/catalogue. */
export interface GetCatalogueAnswer {
  /** An error has `false` here. */
  readonly success: true
  /** Settled last first. */
  readonly resources: readonly {
    /** Its address, without a query. */
    readonly resource: string
    /** `http` or `mcp`. */
    readonly type: string
    readonly method: string | null
    /** Of an MCP server. */
    readonly toolName: string | null
    readonly description: string | null
    readonly serviceName: string | null
    readonly prices: readonly {
      /** CAIP-2 id. */
      readonly network: string
      readonly scheme: string
      /** Address or mint. */
      readonly asset: string
      /** Null for an asset that is not configured any more. */
      readonly symbol: string | null
      /** Who is paid. */
      readonly payTo: string
      /** In whole units; null without a configured asset. */
      readonly amount: string | null
      readonly amountBaseUnits: string
    }[]
    /** Payments that were settled for it. */
    readonly settledCount: number
    /** When it was first settled. */
    readonly listedAt: number
    /** Unix milliseconds. */
    readonly lastSettledAt: number
  }[]
  /** So many are kept; one more takes the place of the one that was settled longest ago. */
  readonly maximum: number
  /** When this was answered, Unix milliseconds. */
  readonly timestamp: number
}

// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/** The query of GET /x402/discovery/resources. */
export interface X402ResourcesQuery {
  /** `http` or `mcp`. */
  readonly type?: string | undefined
  /** Who is paid. */
  readonly payTo?: string | undefined
  /** A scheme of payment, such as `exact`. */
  readonly scheme?: string | undefined
  /** CAIP-2, or an x402 v1 name. */
  readonly network?: string | undefined
  /** A key that `extensions` of the resource has. */
  readonly extensions?: string | undefined
  /** How many at most. */
  readonly limit?: number | undefined
  /** How many to skip. */
  readonly offset?: number | undefined
  readonly [field: string]: unknown
}

/**
 * What can be bought by x402: the catalogue, page by page: the answer of GET
 * /x402/discovery/resources.
 */
export interface X402ResourcesAnswer {
  readonly x402Version: number
  readonly items: readonly {
    /** Its address, without a query. */
    readonly resource: string
    /** `http` or `mcp`. */
    readonly type: string
    readonly x402Version: number
    /** What was paid lately, as the seller asked for it. */
    readonly accepts: readonly Readonly<Record<string, unknown>>[]
    /** When it was settled last, ISO 8601. */
    readonly lastUpdated: string
    readonly description?: string
    readonly mimeType?: string
    readonly serviceName?: string
    readonly tags?: readonly string[]
    readonly iconUrl?: string
    readonly extensions: Readonly<Record<string, unknown>>
  }[]
  readonly pagination: {
    readonly limit: number
    readonly offset: number
    /** How many there are in all. */
    readonly total: number
  }
}

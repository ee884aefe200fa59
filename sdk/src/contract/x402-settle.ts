// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/** The body of POST /x402/settle. */
export interface X402SettleBody {
  /** 1 or 2. */
  readonly x402Version?: unknown
  /** The decoded payment header. */
  readonly paymentPayload: unknown
  /** What the seller asks for. */
  readonly paymentRequirements: unknown
  readonly [field: string]: unknown
}

/** Settle an x402 payment on chain: the answer of POST /x402/settle. */
export interface X402SettleAnswer {
  readonly success: boolean
  readonly errorReason?: string
  readonly errorMessage?: string
  readonly payer?: string
  /** Empty when there is none. */
  readonly transaction: string
  readonly network: string
  /** Base units that were moved. */
  readonly amount?: string
  readonly extra?: Readonly<Record<string, unknown>>
}

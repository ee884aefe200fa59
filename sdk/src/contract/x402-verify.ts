// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/** The body of POST /x402/verify. */
export interface X402VerifyBody {
  /** 1 or 2. */
  readonly x402Version?: unknown
  /** The decoded payment header. */
  readonly paymentPayload: unknown
  /** What the seller asks for. */
  readonly paymentRequirements: unknown
  readonly [field: string]: unknown
}

/** Whether an x402 payment would settle now: the answer of POST /x402/verify. */
export interface X402VerifyAnswer {
  readonly isValid: boolean
  readonly invalidReason?: string
  readonly invalidMessage?: string
  readonly payer?: string
  /** `batch-settlement`: how the channel stands. */
  readonly extra?: Readonly<Record<string, unknown>>
}

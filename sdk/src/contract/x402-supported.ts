// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/** The kinds of x402 payment that can be settled here: the answer of GET /x402/supported. */
export interface X402SupportedAnswer {
  readonly kinds: readonly {
    readonly x402Version: number
    readonly scheme: string
    readonly network: string
    readonly extra?: Readonly<Record<string, unknown>>
  }[]
  readonly extensions: readonly string[]
  readonly signers: Readonly<Record<string, readonly string[]>>
}

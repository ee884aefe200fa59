type Hex = `0x${string}`

/** An EIP-1559 transaction before its signature, as viem and others take it. */
export interface EvmTransaction {
  readonly type: 'eip1559'
  readonly chainId: number
  readonly nonce: number
  readonly to: Hex
  readonly value: bigint
  readonly data: Hex
  readonly gas: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

/** A wallet that signs for EVM: any local account of viem is one. */
export interface EvmWallet {
  readonly address: string
  /** The signed transaction as 0x and hex. */
  signTransaction(transaction: EvmTransaction): Promise<string>
}

/** Bytes that nobody changes. */
export type ReadonlyBytes = Omit<Uint8Array, 'copyWithin' | 'fill' | 'reverse' | 'set' | 'sort'> & {
  readonly [index: number]: number
}

/** What a Solana wallet signs. */
export interface SolanaTransaction {
  readonly messageBytes: ReadonlyBytes
  /** Of the wallet's own address, not there yet. */
  readonly signatures: Readonly<Record<string, Uint8Array | null>>
}

/** A wallet that signs for Solana: any `TransactionPartialSigner` of @solana/kit is one, such as a `KeyPairSigner`. */
export interface SolanaWallet {
  readonly address: string
  /** Per transaction the 64 bytes of the signature, by address. */
  signTransactions(
    transactions: readonly SolanaTransaction[],
  ): Promise<readonly Readonly<Record<string, Uint8Array>>[]>
}

/** A wallet whose key you hold. */
export type OwnWallet = EvmWallet | SolanaWallet

import { knownAddress } from './account.ts'

export const SYSTEM_PROGRAM = knownAddress('11111111111111111111111111111111')
export const COMPUTE_BUDGET_PROGRAM = knownAddress('ComputeBudget111111111111111111111111111111')
export const TOKEN_PROGRAM = knownAddress('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')
export const TOKEN_2022_PROGRAM = knownAddress('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb')
export const ASSOCIATED_TOKEN_PROGRAM = knownAddress('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL')
/** Memo, second version. */
export const MEMO_PROGRAM = knownAddress('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr')

/** Wallets add its assertions to what they sign; it moves nothing. */
export const LIGHTHOUSE_PROGRAM = knownAddress('L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95')

/** The mint of lamports as a token. */
export const NATIVE_MINT = knownAddress('So11111111111111111111111111111111111111112')

/** Jupiter's aggregator, version 6. */
export const JUPITER_PROGRAM = knownAddress('JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4')

/** Owners of programs, of their code and of the cluster's own records: nothing that they own is somebody's wallet. */
export const OWNERS_OF_NO_WALLET: ReadonlySet<string> = new Set(
  [
    TOKEN_PROGRAM,
    TOKEN_2022_PROGRAM,
    'NativeLoader1111111111111111111111111111111',
    'BPFLoader1111111111111111111111111111111111',
    'BPFLoader2111111111111111111111111111111111',
    'BPFLoaderUpgradeab1e11111111111111111111111',
    'LoaderV411111111111111111111111111111111111',
    'Sysvar1111111111111111111111111111111111111',
  ].map(knownAddress),
)

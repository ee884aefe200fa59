import { address } from '@solana/kit'

export const SYSTEM_PROGRAM = address('11111111111111111111111111111111')
export const TOKEN_PROGRAM = address('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')
export const TOKEN_2022_PROGRAM = address('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb')
export const ASSOCIATED_TOKEN_PROGRAM = address('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL')
export const MEMO_PROGRAM = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr')
export const MEMO_V1_PROGRAM = address('Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo')
export const COMPUTE_BUDGET_PROGRAM = address('ComputeBudget111111111111111111111111111111')
export const LOOKUP_TABLE_PROGRAM = address('AddressLookupTab1e1111111111111111111111111')
export const VOTE_PROGRAM = address('Vote111111111111111111111111111111111111111')
export const SLOT_HASHES_SYSVAR = address('SysvarS1otHashes111111111111111111111111111')
export const SYSVAR_OWNER = address('Sysvar1111111111111111111111111111111111111')
export const ED25519_PROGRAM = address('Ed25519SigVerify111111111111111111111111111')
export const SECP256K1_PROGRAM = address('KeccakSecp256k11111111111111111111111111111')
export const SECP256R1_PROGRAM = address('Secp256r1SigVerify1111111111111111111111111')
const LOADERS = [
  'BPFLoader1111111111111111111111111111111111',
  'BPFLoader2111111111111111111111111111111111',
  'BPFLoaderUpgradeab1e11111111111111111111111',
]

/** Programs of the runtime itself: each call of one costs 3,000 compute units unless a limit is set, others 200,000. */
export const BUILTIN_PROGRAMS: ReadonlySet<string> = new Set([
  SYSTEM_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  VOTE_PROGRAM,
  ED25519_PROGRAM,
  SECP256K1_PROGRAM,
  SECP256R1_PROGRAM,
  ...LOADERS,
])

export function isTokenProgram(program: string): boolean {
  return program === TOKEN_PROGRAM || program === TOKEN_2022_PROGRAM
}

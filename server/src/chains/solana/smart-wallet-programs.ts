import { JUPITER_PROGRAM, LIGHTHOUSE_PROGRAM } from './programs.ts'

/** Programs of wallets that x402 names for its second path, and the assertions that wallets add. Source: x402 `exact` on SVM, 2.27. */
export const KNOWN_WALLET_PROGRAMS: readonly string[] = [
  // Squads, multisignature of version 4 and smart account.
  'SQDS4ep65T869zMMBKyuUq6aD6EgTu8psMjkvj52pCf',
  'SMRTzfY6DfH5ik3TKiyLFfXexV8uSG3d2UksSCYdunG',
  // Swig, its first program and its second.
  'SWiGmQedKzMz1tiTqoJCWeGDnGXfNBp2PkXLkpCAtQo',
  'swigypWHEksbC64pWKwah1WTeh9JXwx8H1rJHLdbQMB',
  // SPL Governance.
  'GovER5Lthms3bLBqWub97yVrMmEogzX7xNjdXpPPCVZw',
  // Metaplex Core.
  'CoREENxT6tW1HoK8ypY1SxRMZTcVPm7R94rH4PZNhX7d',
  LIGHTHOUSE_PROGRAM,
]

/**
 * Never the program of a wallet: the runtime's own would make a lifetime without an end (durable nonces) or change what we pay, and each
 * signature that those of signatures look at costs the fee payer as much as one of its own. What a router did is read as a trade.
 */
export const NO_WALLET_PROGRAMS: ReadonlySet<string> = new Set([
  JUPITER_PROGRAM,
  '11111111111111111111111111111111',
  'ComputeBudget111111111111111111111111111111',
  'AddressLookupTab1e1111111111111111111111111',
  'Vote111111111111111111111111111111111111111',
  'Stake11111111111111111111111111111111111111',
  'BPFLoader1111111111111111111111111111111111',
  'BPFLoader2111111111111111111111111111111111',
  'BPFLoaderUpgradeab1e11111111111111111111111',
  'LoaderV411111111111111111111111111111111111',
  'Ed25519SigVerify111111111111111111111111111',
  'KeccakSecp256k11111111111111111111111111111',
  'Secp256r1SigVerify1111111111111111111111111',
])

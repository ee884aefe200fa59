import { privateKeyToAccount } from 'viem/accounts'
import { newKey } from '../chains/solana/test-payment.ts'

/** Who pays the fees in the comparison, for us and for the reference. */
export const EVM_SETTLER = privateKeyToAccount(`0x${'5e'.repeat(32)}`).address
export const SOLANA_SETTLER = newKey(new Uint8Array(32).fill(0x5e))

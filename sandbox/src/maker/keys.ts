import { createHmac } from 'node:crypto'
import { createKeyPairSignerFromPrivateKeyBytes } from '@solana/kit'
import type { KeyPairSigner } from '@solana/kit'
import type { SolanaIdentity } from '../solana/chain/saved-chain.ts'

const SEED_BYTES = 32

/**
 * A key of this chain alone, for one purpose. It follows from the faucet's key, which is random and kept with the chain, so a chain
 * that was begun before the purpose was known has it, too.
 */
export async function keyOf(
  { faucetKey }: SolanaIdentity,
  purpose: string,
): Promise<KeyPairSigner> {
  const secret = Buffer.from(faucetKey, 'base64').subarray(0, SEED_BYTES)
  const seed = createHmac('sha256', secret).update(purpose).digest()
  return await createKeyPairSignerFromPrivateKeyBytes(seed)
}

import {
  appendTransactionMessageInstructions,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  pipe,
  setTransactionMessageConfig,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit'
import type { Instruction, KeyPairSigner } from '@solana/kit'
import type { Lifetime } from './test-client.ts'

/** What a transaction of version 1 has to ask for: what it leaves out is zero, and it may load nothing. */
export const ROOM = { computeUnitLimit: 200_000, loadedAccountsDataSizeLimit: 1_000_000 } as const

/** Signs a transaction of version 1 with kit as it is. */
export async function signV1(
  payer: KeyPairSigner,
  instructions: readonly Instruction[],
  within: Lifetime,
  config: Parameters<typeof setTransactionMessageConfig>[0] = ROOM,
) {
  const signed = await signTransactionMessageWithSigners(
    pipe(
      createTransactionMessage({ version: 1 }),
      (draft) => setTransactionMessageFeePayerSigner(payer, draft),
      (draft) => setTransactionMessageLifetimeUsingBlockhash(within, draft),
      (draft) => setTransactionMessageConfig(config, draft),
      (draft) => appendTransactionMessageInstructions(instructions, draft),
    ),
  )
  return {
    signed,
    wire: getBase64EncodedWireTransaction(signed),
    signature: getSignatureFromTransaction(signed),
  }
}

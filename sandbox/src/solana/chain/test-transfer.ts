import { getTransferSolInstruction } from '@solana-program/system'
import {
  address,
  appendTransactionMessageInstructions,
  blockhash,
  createKeyPairSignerFromBytes,
  createTransactionMessage,
  getTransactionEncoder,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit'
import type { SolanaChain } from './chain.ts'
import { readWire } from './wire-transaction.ts'
import type { WireTransaction } from './wire-transaction.ts'

/** A transfer from the faucet's own key with the newest blockhash, or another one. */
export async function testTransfer(
  { identity, bank }: SolanaChain,
  to: string,
  lamports: bigint,
  hash = bank.open().previousHash,
): Promise<WireTransaction> {
  const source = await createKeyPairSignerFromBytes(Buffer.from(identity.faucetKey, 'base64'))
  const lifetime = { blockhash: blockhash(hash), lastValidBlockHeight: 0n }
  const signed = await signTransactionMessageWithSigners(
    pipe(
      createTransactionMessage({ version: 0 }),
      (draft) => setTransactionMessageFeePayerSigner(source, draft),
      (draft) => setTransactionMessageLifetimeUsingBlockhash(lifetime, draft),
      (draft) =>
        appendTransactionMessageInstructions(
          [getTransferSolInstruction({ source, destination: address(to), amount: lamports })],
          draft,
        ),
    ),
  )
  const wire = readWire(Uint8Array.from(getTransactionEncoder().encode(signed)))
  if (wire === undefined) throw new Error('a transfer that cannot be read')
  return wire
}

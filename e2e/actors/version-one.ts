import { getTransferSolInstruction } from '@solana-program/system'
import {
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstruction,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token'
import {
  address,
  appendTransactionMessageInstructions,
  createSolanaRpc,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  pipe,
  setTransactionMessageConfig,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit'
import type { Instruction, KeyPairSigner } from '@solana/kit'
import type { SandboxHandle } from './sandbox.ts'

/** What a transaction of version 1 has to ask for: what it leaves out is zero, and it may load nothing. */
export const ROOM = { computeUnitLimit: 200_000, loadedAccountsDataSizeLimit: 1_000_000 } as const

/** Signs a transaction of version 1 (SIMD-0385) with kit as it is. */
export async function signV1(
  payer: KeyPairSigner,
  instructions: readonly Instruction[],
  within: Parameters<typeof setTransactionMessageLifetimeUsingBlockhash>[0],
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

/** The newest blockhash that is confirmed. */
export async function lifetimeOf({ solana }: SandboxHandle) {
  const rpc = createSolanaRpc(solana.rpcUrl)
  return (await rpc.getLatestBlockhash({ commitment: 'confirmed' }).send()).value
}

/** A stranger's wallet pays SOL and USDC by one transaction of version 1, which is on its way when this resolves. */
export async function payByVersionOne(
  sandbox: SandboxHandle,
  recipient: string,
  amounts: { readonly lamports: bigint; readonly usdc: bigint },
): Promise<{ readonly sender: string; readonly hash: string }> {
  const payer = await generateKeyPairSigner()
  await sandbox.fund(payer.address, 'native', '1')
  await sandbox.fund(payer.address, 'USDC', '5')
  const { rpcUrl, usdc } = sandbox.solana
  const [mint, owner, tokenProgram] = [address(usdc), address(recipient), TOKEN_PROGRAM_ADDRESS]
  const [source] = await findAssociatedTokenPda({ owner: payer.address, mint, tokenProgram })
  const [destination] = await findAssociatedTokenPda({ owner, mint, tokenProgram })
  const transfer = { source, mint, destination, authority: payer, decimals: 6 }
  const { wire, signature } = await signV1(
    payer,
    [
      getTransferSolInstruction({ source: payer, destination: owner, amount: amounts.lamports }),
      getCreateAssociatedTokenIdempotentInstruction({ payer, ata: destination, owner, mint }),
      getTransferCheckedInstruction({ ...transfer, amount: amounts.usdc }),
    ],
    await lifetimeOf(sandbox),
    { ...ROOM, priorityFeeLamports: 777n },
  )
  const options = { encoding: 'base64', preflightCommitment: 'confirmed' } as const
  await createSolanaRpc(rpcUrl).sendTransaction(wire, options).send()
  return { sender: payer.address, hash: signature }
}

import { getTransferSolInstruction } from '@solana-program/system'
import {
  appendTransactionMessageInstructions,
  createSolanaRpc,
  createSolanaRpcSubscriptions,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  pipe,
  sendAndConfirmTransactionFactory,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit'
import type {
  Address,
  Base64EncodedWireTransaction,
  Instruction,
  KeyPairSigner,
  Signature,
} from '@solana/kit'
import type { SandboxHandle } from '../../../e2e/actors/sandbox.ts'

export type Lifetime = Parameters<typeof setTransactionMessageLifetimeUsingBlockhash>[0]

/** An answer as it came; tests say what they expect of it. */
export interface RawAnswer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** kit, unmodified, on the sandbox's Solana chain. */
export function testClient({
  solana,
}: {
  readonly solana: Pick<SandboxHandle['solana'], 'rpcUrl' | 'wsUrl'>
}) {
  const rpc = createSolanaRpc(solana.rpcUrl)
  const subscriptions = createSolanaRpcSubscriptions(solana.wsUrl)
  const sendAndConfirm = sendAndConfirmTransactionFactory({ rpc, rpcSubscriptions: subscriptions })

  const lifetime = async (): Promise<Lifetime> =>
    (await rpc.getLatestBlockhash({ commitment: 'confirmed' }).send()).value
  const sign = async (
    payer: KeyPairSigner,
    instructions: readonly Instruction[],
    { within, version = 0 }: { within?: Lifetime; version?: 0 | 'legacy' } = {},
  ) => {
    const until = within ?? (await lifetime())
    return await signTransactionMessageWithSigners(
      pipe(
        createTransactionMessage({ version }),
        (draft) => setTransactionMessageFeePayerSigner(payer, draft),
        (draft) => setTransactionMessageLifetimeUsingBlockhash(until, draft),
        (draft) => appendTransactionMessageInstructions(instructions, draft),
      ),
    )
  }
  /** A signed transfer of SOL, ready for sendTransaction. */
  const transfer = async (
    source: KeyPairSigner,
    destination: Address,
    lamports: bigint,
    within?: Lifetime,
  ): Promise<{ wire: Base64EncodedWireTransaction; signature: Signature }> => {
    const instruction = getTransferSolInstruction({ source, destination, amount: lamports })
    const signed = await sign(source, [instruction], within === undefined ? {} : { within })
    return {
      wire: getBase64EncodedWireTransaction(signed),
      signature: getSignatureFromTransaction(signed),
    }
  }
  const send = async (
    wire: Base64EncodedWireTransaction,
    { skipPreflight = false }: { skipPreflight?: boolean } = {},
  ): Promise<Signature> =>
    await rpc
      .sendTransaction(wire, {
        encoding: 'base64',
        preflightCommitment: 'processed',
        skipPreflight,
      })
      .send()
  const status = async (signature: Signature) =>
    (await rpc.getSignatureStatuses([signature]).send()).value[0] ?? null
  /** One call without a client library in between. */
  const raw = async (method: string, params: readonly unknown[] = []): Promise<RawAnswer> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(solana.rpcUrl, { method: 'POST', headers, body })
    return (await answer.json()) as RawAnswer
  }
  return {
    rpc,
    subscriptions,
    sendAndConfirm,
    lifetime,
    sign,
    transfer,
    send,
    status,
    raw,
    newKey: generateKeyPairSigner,
  }
}

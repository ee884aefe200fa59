import { randomUUID } from 'node:crypto'
import {
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstruction,
  getMintToInstruction,
} from '@solana-program/token'
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
import type { Address, Instruction, KeyPairSigner } from '@solana/kit'
import type { SolanaOrder } from './solana-order.ts'
import type { SolanaChain } from './chain/chain.ts'
import { MEMO_PROGRAM } from './chain/program-addresses.ts'
import { readWire } from './chain/wire-transaction.ts'
import type { WireTransaction } from './chain/wire-transaction.ts'

const SAVED_SECONDS = 30
const WAITING_MAX = 1_000

export type SolanaPaid =
  | { readonly ok: true; readonly signature: string }
  | { readonly ok: false; readonly code: string; readonly message: string }

/** Pays from the faucet's key by real transactions. */
export interface SolanaPayer {
  /** Resolves when the payment is confirmed and on disk: who reads next sees it, and no crash takes it back. */
  pay(order: SolanaOrder): Promise<SolanaPaid>
  /** Sends and gives back the signature at once, as requestAirdrop does. */
  airdrop(address: string, lamports: bigint): Promise<string>
}

interface Waiting {
  readonly wire: WireTransaction
  readonly deadline: number
  readonly resolve: (paid: SolanaPaid) => void
}

export async function openSolanaPayer(chain: SolanaChain): Promise<SolanaPayer> {
  const faucet = await createKeyPairSignerFromBytes(Buffer.from(chain.identity.faucetKey, 'base64'))
  const waiting = new Set<Waiting>()

  const look = (one: Waiting): void => {
    const { wire, deadline, resolve } = one
    const { records } = chain.bank
    const slot = records.slotOf(wire.signature)
    const isSeen = slot !== undefined && slot <= chain.slotOf('confirmed')
    if (isSeen && chain.keeper.isSaved(slot)) {
      waiting.delete(one)
      const error = records.get(wire.signature)?.error ?? null
      if (error === null) resolve({ ok: true, signature: wire.signature })
      else {
        const message = `the transfer failed: ${JSON.stringify(error)}`
        resolve({ ok: false, code: 'TRANSFER_FAILED', message })
      }
    } else if (performance.now() > deadline) {
      waiting.delete(one)
      chain.withdraw(wire)
      const message = `not on disk within ${SAVED_SECONDS} s`
      resolve({ ok: false, code: 'TIMEOUT', message })
    } else if (slot === undefined) {
      // It was on a fork that lost. The same bytes land once at most.
      chain.submit(wire)
    }
  }
  chain.listen({
    landed: () => undefined,
    moved() {
      for (const one of waiting) look(one)
    },
  })

  return {
    async pay(order) {
      if (waiting.size >= WAITING_MAX) {
        return { ok: false, code: 'BUSY', message: `${WAITING_MAX} orders wait already` }
      }
      const wire = await signed(chain, faucet, await effectOf(chain, faucet, order))
      const { promise, resolve } = Promise.withResolvers<SolanaPaid>()
      const deadline = performance.now() + SAVED_SECONDS * 1000
      waiting.add({ wire, deadline, resolve })
      chain.submit(wire)
      return await promise
    },
    async airdrop(recipient, lamports) {
      const order = { address: recipient, asset: 'native', amountBaseUnits: lamports } as const
      const wire = await signed(chain, faucet, await effectOf(chain, faucet, order))
      chain.submit(wire)
      return wire.signature
    },
  }
}

async function signed(
  { bank }: SolanaChain,
  faucet: KeyPairSigner,
  effect: readonly Instruction[],
): Promise<WireTransaction> {
  const lifetime = {
    blockhash: blockhash(bank.open().previousHash),
    lastValidBlockHeight: BigInt(bank.lastValidHeight(bank.open().previousHash) ?? 0),
  }
  // Two equal orders are two payments, so their messages must differ.
  const memo = { programAddress: MEMO_PROGRAM, data: Buffer.from(`faucet ${randomUUID()}`) }
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (draft) => setTransactionMessageFeePayerSigner(faucet, draft),
    (draft) => setTransactionMessageLifetimeUsingBlockhash(lifetime, draft),
    (draft) => appendTransactionMessageInstructions([...effect, memo], draft),
  )
  const transaction = await signTransactionMessageWithSigners(message)
  const wire = readWire(Uint8Array.from(getTransactionEncoder().encode(transaction)))
  if (wire === undefined) throw new Error('the faucet built no transaction')
  return wire
}

async function effectOf(
  { bank }: SolanaChain,
  faucet: KeyPairSigner,
  { address: text, asset, amountBaseUnits: amount }: SolanaOrder,
): Promise<readonly Instruction[]> {
  const recipient = address(text)
  if (asset === 'native') {
    return [getTransferSolInstruction({ source: faucet, destination: recipient, amount })]
  }
  const mint: Address = address(asset)
  const found = bank.svm.read(mint)
  if (found === undefined) throw new Error('the chain has no such mint')
  const tokenProgram = address(found.owner)
  const [account] = await findAssociatedTokenPda({ owner: recipient, mint, tokenProgram })
  return [
    getCreateAssociatedTokenIdempotentInstruction({
      payer: faucet,
      ata: account,
      owner: recipient,
      mint,
      tokenProgram,
    }),
    getMintToInstruction(
      { mint, token: account, mintAuthority: faucet, amount },
      { programAddress: tokenProgram },
    ),
  ]
}

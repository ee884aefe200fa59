import { getTransferSolInstruction } from '@solana-program/system'
import {
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstruction,
  getTransferCheckedInstruction,
} from '@solana-program/token'
import {
  appendTransactionMessageInstructions,
  address,
  blockhash,
  createNoopSigner,
  createTransactionMessage,
  getTransactionEncoder,
  partiallySignTransactionMessageWithSigners,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit'
import type { Address, Instruction, KeyPairSigner, TransactionSigner } from '@solana/kit'
import { COMPUTE_BUDGET_PROGRAM, MEMO_PROGRAM } from '../solana/chain/program-addresses.ts'
import type { OpenQuote } from './book.ts'

/** What the taker may choose: it pays for it. */
export interface Choice {
  readonly memo: string
  readonly computeUnits: number
  /** Millionths of a lamport. */
  readonly pricePerUnit: bigint
}

const SET_COMPUTE_UNIT_LIMIT = 2
const SET_COMPUTE_UNIT_PRICE = 3

/**
 * The one transaction that a quote is: both transfers or none, the taker's fee, the maker's signature. The taker's place is left open;
 * whoever changes a byte makes the maker's signature a wrong one.
 */
export async function signSwap(
  quote: OpenQuote,
  maker: KeyPairSigner,
  choice: Choice,
): Promise<Uint8Array> {
  const { token, side, amountIn, amountOut } = quote
  const { mint, decimals, program: tokenProgram } = token
  const taker = createNoopSigner(address(quote.taker))
  const owner = taker.address
  const [account] = await findAssociatedTokenPda({ owner, mint, tokenProgram })
  const lamports = (source: TransactionSigner, destination: Address, amount: bigint) =>
    getTransferSolInstruction({ source, destination, amount })
  const tokens = (
    source: Address,
    destination: Address,
    authority: TransactionSigner,
    amount: bigint,
  ) =>
    getTransferCheckedInstruction(
      { source, mint, destination, authority, amount, decimals },
      { programAddress: tokenProgram },
    )
  const moves: readonly Instruction[] =
    side === 'buy'
      ? [
          getCreateAssociatedTokenIdempotentInstruction({
            payer: taker,
            ata: account,
            owner,
            mint,
            tokenProgram,
          }),
          lamports(taker, maker.address, amountIn),
          tokens(token.account, account, maker, amountOut),
        ]
      : [tokens(account, token.account, taker, amountIn), lamports(maker, owner, amountOut)]
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (draft) => setTransactionMessageFeePayer(owner, draft),
    (draft) =>
      setTransactionMessageLifetimeUsingBlockhash(
        {
          blockhash: blockhash(quote.blockhash),
          lastValidBlockHeight: BigInt(quote.lastValidHeight),
        },
        draft,
      ),
    (draft) =>
      appendTransactionMessageInstructions(
        [
          ...budget(choice),
          ...moves,
          { programAddress: MEMO_PROGRAM, data: Buffer.from(choice.memo) },
        ],
        draft,
      ),
  )
  const transaction = await partiallySignTransactionMessageWithSigners(message)
  return Uint8Array.from(getTransactionEncoder().encode(transaction))
}

function budget({ computeUnits, pricePerUnit }: Choice): readonly Instruction[] {
  const limit = Buffer.alloc(5)
  limit.writeUInt8(SET_COMPUTE_UNIT_LIMIT)
  limit.writeUInt32LE(computeUnits, 1)
  const price = Buffer.alloc(9)
  price.writeUInt8(SET_COMPUTE_UNIT_PRICE)
  price.writeBigUInt64LE(pricePerUnit, 1)
  const programAddress = COMPUTE_BUDGET_PROGRAM
  return [
    { programAddress, data: limit },
    ...(pricePerUnit === 0n ? [] : [{ programAddress, data: price }]),
  ]
}

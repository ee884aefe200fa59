import { textOf } from '@florin/wire/x402/fields.ts'
import type { Fields } from '@florin/wire/x402/fields.ts'
import type { Reason } from '@florin/wire/x402/reasons.ts'
import type { Address } from '../chain.ts'
import type {
  ExactAuthorization,
  ExactDemand,
  ExactPeek,
  ExactRead,
  PlainTransfer,
} from '../exact.ts'
import { parseAddress } from './account.ts'
import { isSignedBy } from './ed25519.ts'
import { readLayout, SIGNERS_MAX } from './exact-layout.ts'
import type { Facts } from './facts.ts'
import { messageKey } from './message-key.ts'
import { plainTransfer } from './plain-transfer.ts'
import { mayBeSmartWallet, readSmartWallet } from './smart-wallet-layout.ts'
import { readWireTransaction } from './wire-transaction.ts'
import type { WireTransaction } from './wire-transaction.ts'

/** The largest transaction in base64. */
const TRANSACTION_CHARACTERS_MAX = 1_644
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const MEMO_BYTES_MAX = 256
const NO_PROGRAMS: ReadonlySet<string> = new Set()

/**
 * Reads the payload of `exact` on Solana: a transaction that the payer has signed and whose fee one of ours is to pay. In the order in
 * which the reference looks; nothing of it needs a node. Where programs of smart wallets are given, one of these may make the payment.
 */
export function readPayload(
  facts: Pick<Facts, 'tokenAccount'>,
  payload: Fields,
  demand: ExactDemand,
  walletPrograms: ReadonlySet<string> = NO_PROGRAMS,
): ExactRead {
  const { asset, payTo, amount, extra, settlers } = demand
  const no = (reason: Reason, payer: string | null = null): ExactRead => ({
    ok: false,
    reason,
    payer,
  })
  const named = textOf(extra['feePayer'])
  if (named === undefined) return no('invalid_exact_svm_payload_missing_fee_payer')
  const feePayer = parseAddress(named)
  if (feePayer === undefined || !settlers.has(feePayer)) {
    return no('invalid_exact_svm_fee_payer_not_managed_by_facilitator')
  }
  const text = payload['transaction']
  const transaction = typeof text === 'string' ? transactionOf(text) : undefined
  if (transaction === undefined) {
    return no('invalid_exact_svm_payload_transaction_could_not_be_decoded')
  }
  if (transaction.signers.length > SIGNERS_MAX) {
    return no('invalid_exact_svm_payload_excessive_signers')
  }
  if (transaction.signers[0] !== feePayer) return no('invalid_exact_svm_fee_payer_mismatch')
  if (!othersSigned(transaction)) return no('invalid_exact_svm_payload_signature_invalid')
  const smartWallet = (): ExactRead => {
    const mint = parseAddress(asset.asset)
    if (mint === undefined) return no('invalid_exact_svm_payload_mint_mismatch')
    const wanted = { ours: settlers, programs: walletPrograms, mint, payTo }
    const read = readSmartWallet(transaction, wanted)
    if (!read.ok) return no(read.reason)
    const { payment } = read
    const { payer, source, destination } = payment
    const problem = memoProblem(extra['memo'], payment.memos)
    if (problem !== null) return no(problem, payer)
    const found = { payer, feePayer, source, fee: payment.fee, destination }
    return taken(transaction, demand, found)
  }
  const isSmart = (reason: Reason): boolean =>
    walletPrograms.size > 0 && mayBeSmartWallet(reason, transaction)
  const layout = readLayout(transaction, settlers)
  if (!layout.ok) return isSmart(layout.reason) ? smartWallet() : no(layout.reason, layout.payer)
  const { transfer } = layout
  const payer = transfer.authority
  if (transfer.mint !== asset.asset) return no('invalid_exact_svm_payload_mint_mismatch', payer)
  const mint = { address: transfer.mint, program: transfer.tokenProgram }
  const { source, destination } = transfer
  // Into itself an account transfers anything without a fault, and nothing moves: a delegate of the seller could.
  if (facts.tokenAccount(payTo, mint).address !== destination || source === destination) {
    return no('invalid_exact_svm_payload_recipient_mismatch', payer)
  }
  if (transfer.amount !== amount || transfer.decimals !== asset.decimals) {
    return no('invalid_exact_svm_payload_amount_mismatch', payer)
  }
  const { stray } = transfer
  if (stray !== null) return isSmart(stray) ? smartWallet() : no(stray, payer)
  const problem = memoProblem(extra['memo'], transfer.memos)
  if (problem !== null) return no(problem, payer)
  const plain = plainTransfer(transaction, transfer)
  return taken(transaction, demand, { payer, feePayer, source, fee: transfer.fee, plain })
}

/** What is wrong with the memos of a payment, given the one that its seller asked for; null when nothing is. */
function memoProblem(memo: unknown, memos: readonly Uint8Array[]): Reason | null {
  // Empty means none, as clients read it, too.
  if (memo === undefined || memo === null || memo === '') return null
  if (memos.length !== 1) return 'invalid_exact_svm_payload_memo_count'
  const [bytes = new Uint8Array()] = memos
  const wanted = Buffer.from(typeof memo === 'string' ? memo : '', 'utf8')
  const isSame = wanted.length > 0 && wanted.length <= MEMO_BYTES_MAX && wanted.equals(bytes)
  return isSame ? null : 'invalid_exact_svm_payload_memo_mismatch'
}

/** What is kept of a payment that was read. A `destination` stands only with one that a smart wallet makes. */
function taken(
  transaction: WireTransaction,
  { asset, payTo, amount }: ExactDemand,
  found: {
    readonly payer: Address
    readonly feePayer: Address
    readonly source: Address
    readonly fee: bigint
    readonly destination?: Address
    readonly plain?: PlainTransfer | undefined
  },
): ExactRead {
  const { payer, feePayer, source, fee, destination, plain } = found
  return {
    ok: true,
    authorization: {
      proofKey: messageKey(transaction.message),
      payer,
      asset,
      payTo,
      amount,
      validBeforeSeconds: null,
      feePayer,
      ...(plain === undefined ? {} : { plain }),
      stored: {
        token: asset.asset,
        from: payer,
        to: payTo,
        value: `${amount}`,
        source,
        feePayer,
        fee: `${fee}`,
        transaction: Buffer.from(wireOf(transaction)).toString('base64'),
        ...(destination === undefined ? {} : { destination }),
      },
    },
  }
}

/** Whether a smart wallet's program makes the payment, so that only its simulation tells what it does. */
export function isBySmartWallet({ stored }: Pick<ExactAuthorization, 'stored'>): boolean {
  return stored['destination'] !== undefined
}

/** The mint of the one transfer, and whoever is named to pay the fee. */
export function peekPayload(payload: Fields): ExactPeek {
  const text = payload['transaction']
  const transaction = typeof text === 'string' ? transactionOf(text) : undefined
  const layout = transaction && readLayout(transaction, new Set())
  return {
    token: layout?.ok === true ? layout.transfer.mint : null,
    feePayer: transaction?.signers[0] ?? null,
  }
}

function transactionOf(text: string): WireTransaction | undefined {
  if (text.length > TRANSACTION_CHARACTERS_MAX || !BASE64.test(text)) return undefined
  return readWireTransaction(Buffer.from(text, 'base64'))
}

/** Everybody but the fee payer: the simulation does not look at signatures. */
function othersSigned({ signers, signatures, message }: WireTransaction): boolean {
  return signers.every((signer, index) => {
    const signature = signatures[index]
    return index === 0 || (signature !== undefined && isSignedBy(signer, message, signature))
  })
}

/** The bytes again with the fee payer's place left open: what stands there is nobody's word. */
export function wireOf({ signatures, message }: WireTransaction, own?: Uint8Array): Uint8Array {
  const [, ...others] = signatures
  const first = own ?? new Uint8Array(64)
  return Buffer.concat([Uint8Array.of(signatures.length), first, ...others, message])
}

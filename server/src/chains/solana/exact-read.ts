import { textOf } from '@florin/wire/x402/fields.ts'
import type { Fields } from '@florin/wire/x402/fields.ts'
import type { Reason } from '@florin/wire/x402/reasons.ts'
import type { ExactDemand, ExactPeek, ExactRead } from '../exact.ts'
import { parseAddress } from './account.ts'
import { isSignedBy } from './ed25519.ts'
import { readLayout, SIGNERS_MAX } from './exact-layout.ts'
import type { Facts } from './facts.ts'
import { messageKey } from './message-key.ts'
import { readWireTransaction } from './wire-transaction.ts'
import type { WireTransaction } from './wire-transaction.ts'

/** The largest transaction in base64. */
const TRANSACTION_CHARACTERS_MAX = 1_644
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const MEMO_BYTES_MAX = 256

/**
 * Reads the payload of `exact` on Solana: a transaction that the payer has signed and whose fee one of ours is to pay. In the order in
 * which the reference looks; nothing of it needs a node.
 */
export function readPayload(
  facts: Pick<Facts, 'tokenAccount'>,
  payload: Fields,
  demand: ExactDemand,
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
  const layout = readLayout(transaction, settlers)
  if (!layout.ok) return no(layout.reason, layout.payer)
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
  if (transfer.stray !== null) return no(transfer.stray, payer)
  const { memo } = extra
  // Empty means none, as clients read it, too.
  if (memo !== undefined && memo !== null && memo !== '') {
    if (transfer.memos.length !== 1) return no('invalid_exact_svm_payload_memo_count', payer)
    const [bytes = new Uint8Array()] = transfer.memos
    const wanted = Buffer.from(typeof memo === 'string' ? memo : '', 'utf8')
    if (wanted.length === 0 || wanted.length > MEMO_BYTES_MAX || !wanted.equals(bytes)) {
      return no('invalid_exact_svm_payload_memo_mismatch', payer)
    }
  }
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
      stored: {
        token: asset.asset,
        from: payer,
        to: payTo,
        value: `${amount}`,
        source,
        feePayer,
        fee: `${transfer.fee}`,
        transaction: Buffer.from(wireOf(transaction)).toString('base64'),
      },
    },
  }
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

import type { Json } from '../../host/json.ts'
import type { TransactionRecord } from '../chain/transaction-record.ts'
import type { RpcValue } from '../rpc-json.ts'
import { viewAt, viewFor, withContext } from './method.ts'
import type { Methods, RpcContext, View } from './method.ts'
import { addressAt, commitmentOf, configAt, listAt, signatureOf, wholeOf } from './params.ts'
import { invalidParams } from './rpc-failure.ts'
import { transactionForm, transactionView } from './transaction-view.ts'

const SIGNATURES_MAX = 256
const HISTORY_MAX = 1_000

/** What landed, by signature and by address. */
export const TRANSACTION_METHODS: Methods = {
  getSignatureStatuses(context, params) {
    const signatures = listAt(params, 0, SIGNATURES_MAX).map(signatureOf)
    configAt(params, 1)
    const view = viewAt(context, 'processed')
    const isHidden = context.distortion.hidesTransactions()
    const statuses = signatures.map((signature) =>
      isHidden ? null : statusOf(context, view, signature),
    )
    return withContext(view, statuses)
  },
  getTransaction(context, params) {
    const signature = signatureOf(params[0])
    const config = typeof params[1] === 'string' ? { encoding: params[1] } : configAt(params, 1)
    const form = transactionForm(config)
    const commitment = commitmentOf(config)
    if (commitment === 'processed') {
      throw invalidParams('Method does not support commitment below `confirmed`')
    }
    if (context.distortion.hidesTransactions()) return null
    const record = recordFor(context, viewAt(context, commitment), signature)
    if (record === undefined) return null
    return {
      slot: record.slot,
      blockTime: record.time,
      ...transactionView(record, form),
    }
  },
  getSignaturesForAddress(context, params) {
    const address = addressAt(params, 0)
    const config = configAt(params, 1)
    const commitment = commitmentOf(config)
    if (commitment === 'processed') {
      throw invalidParams('Method does not support commitment below `confirmed`')
    }
    const view = viewFor(context, config)
    const limit = wholeOf(config['limit'], 'limit') ?? HISTORY_MAX
    if (limit < 1 || limit > HISTORY_MAX) throw invalidParams(`Invalid limit; max ${HISTORY_MAX}`)
    const [before, until] = [config['before'], config['until']].map(optionalSignature)
    if (context.distortion.hidesTransactions()) return []
    return historyOf(context, view, address, { before, until, limit })
  },
}

function optionalSignature(value: Json | undefined): string | undefined {
  return value === undefined || value === null ? undefined : signatureOf(value)
}

function recordFor(
  { chain }: RpcContext,
  { slot }: View,
  signature: string,
): TransactionRecord | undefined {
  const landedAt = chain.bank.records.slotOf(signature)
  return landedAt !== undefined && landedAt <= slot ? chain.bank.records.get(signature) : undefined
}

function statusOf(context: RpcContext, view: View, signature: string): RpcValue {
  const record = recordFor(context, view, signature)
  if (record === undefined) return null
  const { slot, error } = record
  const confirmationStatus = statusAt(context, slot)
  const { bank } = context.chain
  return {
    slot,
    confirmations:
      confirmationStatus === 'finalized'
        ? null
        : bank.blockAt(view.slot).height - bank.blockAt(slot).height,
    err: error,
    status: error === null ? { Ok: null } : { Err: error },
    confirmationStatus,
  }
}

/** How far a slot has come. */
export function statusAt(context: RpcContext, slot: number): string {
  if (slot <= viewAt(context, 'finalized').slot) return 'finalized'
  return slot <= viewAt(context, 'confirmed').slot ? 'confirmed' : 'processed'
}

/** Newest first, between two signatures. */
function historyOf(
  context: RpcContext,
  view: View,
  address: string,
  range: {
    readonly before: string | undefined
    readonly until: string | undefined
    readonly limit: number
  },
): RpcValue {
  const found: RpcValue[] = []
  let isWithin = range.before === undefined
  for (const signature of context.chain.bank.records.ofAddress(address).toReversed()) {
    if (signature === range.until || found.length >= range.limit) break
    const record = isWithin ? recordFor(context, view, signature) : undefined
    if (signature === range.before) isWithin = true
    if (record === undefined) continue
    const { slot, error, memo, time } = record
    found.push({
      signature,
      slot,
      err: error,
      memo,
      blockTime: time,
      confirmationStatus: statusAt(context, slot),
    })
  }
  return found
}

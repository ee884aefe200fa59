import type { JsonObject } from '../../host/json.ts'
import { isStaticKeyWritable } from '../chain/account-keys.ts'
import { base58Of } from '../chain/block.ts'
import type { TransactionRecord } from '../chain/transaction-record.ts'
import { instructionsOf, transactionConfig } from '../chain/compiled-message.ts'
import type { Message } from '../chain/compiled-message.ts'
import type { WireTransaction } from '../chain/wire-transaction.ts'
import { readWire } from '../chain/wire-transaction.ts'
import type { RpcValue } from '../rpc-json.ts'
import { oneOf, wholeOf } from './params.ts'
import { invalidParams, RPC_CODE, RpcFailure } from './rpc-failure.ts'
import { innerView, parserFor, plainBalance } from './transaction-parts.ts'

const ENCODINGS = ['json', 'jsonParsed', 'base58', 'base64'] as const

export interface TransactionForm {
  readonly encoding: (typeof ENCODINGS)[number]
  /** Left out, the caller takes legacy transactions only, and answers name no version. */
  readonly maxVersion: number | undefined
}

/** @throws {RpcFailure} for what no node gives: base58 to somebody who takes version 1 (Agave 4.3) */
export function transactionForm(config: JsonObject): TransactionForm {
  const encoding = oneOf(config['encoding'], ENCODINGS, 'json')
  const maxVersion = wholeOf(config[MAX_VERSION], MAX_VERSION)
  if (encoding === 'base58' && maxVersion !== undefined && maxVersion >= 1) {
    throw invalidParams(`base58 encoding is not supported with ${MAX_VERSION} >= 1`)
  }
  return { encoding, maxVersion }
}

const MAX_VERSION = 'maxSupportedTransactionVersion'

type Fields = Readonly<Record<string, RpcValue>>

/** `transaction`, `meta` and `version` of a transaction that landed. @throws {RpcFailure} for a version nobody asked for */
export function transactionView(record: TransactionRecord, form: TransactionForm): Fields {
  const wire = wireOf(record)
  const versionField = versionOf(wire, form)
  return {
    transaction: bodyView(record, wire, form),
    meta: metaView(record, form.encoding === 'jsonParsed'),
    ...versionField,
  }
}

/** The form of getBlock with `transactionDetails: "accounts"`. */
export function accountsView(record: TransactionRecord, form: TransactionForm): Fields {
  const wire = wireOf(record)
  const versionField = versionOf(wire, form)
  const { error, fee, preBalances, postBalances, preTokenBalances, postTokenBalances } = record
  return {
    transaction: {
      accountKeys: parsedKeys(record, wire.message),
      signatures: signaturesOf(wire),
    },
    meta: {
      err: error,
      status: error === null ? { Ok: null } : { Err: error },
      fee: BigInt(fee),
      preBalances: preBalances.map(BigInt),
      postBalances: postBalances.map(BigInt),
      preTokenBalances: preTokenBalances.map(plainBalance),
      postTokenBalances: postTokenBalances.map(plainBalance),
    },
    ...versionField,
  }
}

function wireOf({ wire, signature }: TransactionRecord): WireTransaction {
  const read = readWire(Buffer.from(wire, 'base64'))
  if (read === undefined) throw new Error(`the record of ${signature} holds no transaction`)
  return read
}

function versionOf({ message }: WireTransaction, { maxVersion }: TransactionForm): Fields {
  const { version } = message
  if (version !== 'legacy' && (maxVersion === undefined || version > maxVersion)) {
    throw new RpcFailure(
      RPC_CODE.unsupportedVersion,
      `Transaction version (${version}) is not supported by the requesting client. Please try the request again with ` +
        `the following configuration parameter: "${MAX_VERSION}": ${version}`,
    )
  }
  return maxVersion === undefined ? {} : { version }
}

function bodyView(
  record: TransactionRecord,
  wire: WireTransaction,
  { encoding }: TransactionForm,
): RpcValue {
  if (encoding === 'base64') return [record.wire, 'base64']
  if (encoding === 'base58') return [base58Of(wire.bytes), 'base58']
  const { message } = wire
  const isParsed = encoding === 'jsonParsed'
  const view = parserFor(record.keys, isParsed)
  const instructions = instructionsOf(message).map(({ program, accounts, data }) =>
    view({ programIdIndex: program, accounts, data: base58Of(data), stackHeight: 1 }),
  )
  const lookups = lookupsOf(message)
  const config = transactionConfig(message)
  const { numSignerAccounts, numReadonlySignerAccounts, numReadonlyNonSignerAccounts } =
    message.header
  return {
    signatures: signaturesOf(wire),
    message: {
      ...(isParsed
        ? { accountKeys: parsedKeys(record, message) }
        : {
            header: {
              numRequiredSignatures: numSignerAccounts,
              numReadonlySignedAccounts: numReadonlySignerAccounts,
              numReadonlyUnsignedAccounts: numReadonlyNonSignerAccounts,
            },
            accountKeys: [...message.staticAccounts],
          }),
      recentBlockhash: wire.blockhash,
      instructions,
      ...(lookups === undefined ? {} : { addressTableLookups: lookups }),
      ...(config === undefined ? {} : { transactionConfig: { ...config } }),
    },
  }
}

function lookupsOf(message: Message): RpcValue | undefined {
  if (message.version !== 0) return undefined
  return (message.addressTableLookups ?? []).map((lookup) => ({
    accountKey: lookup.lookupTableAddress,
    writableIndexes: [...lookup.writableIndexes],
    readonlyIndexes: [...lookup.readonlyIndexes],
  }))
}

function parsedKeys({ keys, loaded }: TransactionRecord, message: Message): RpcValue {
  const statics = message.staticAccounts.length
  return keys.map((pubkey, index) => ({
    pubkey,
    signer: index < message.header.numSignerAccounts,
    writable:
      index < statics
        ? isStaticKeyWritable(message, index)
        : index - statics < loaded.writable.length,
    source: index < statics ? 'transaction' : 'lookupTable',
  }))
}

function signaturesOf({ transaction }: WireTransaction): readonly string[] {
  return Object.values(transaction.signatures).map((signature) =>
    base58Of(Uint8Array.from(signature ?? new Uint8Array(64))),
  )
}

function metaView(record: TransactionRecord, isParsed: boolean): RpcValue {
  const { error, returnData } = record
  return {
    err: error,
    status: error === null ? { Ok: null } : { Err: error },
    fee: BigInt(record.fee),
    preBalances: record.preBalances.map(BigInt),
    postBalances: record.postBalances.map(BigInt),
    preTokenBalances: record.preTokenBalances.map(plainBalance),
    postTokenBalances: record.postTokenBalances.map(plainBalance),
    innerInstructions: innerView(record.inner, parserFor(record.keys, isParsed)),
    logMessages: record.logs,
    rewards: [],
    computeUnitsConsumed: BigInt(record.units),
    ...(isParsed ? {} : { loadedAddresses: { ...record.loaded } }),
    ...(returnData === null
      ? {}
      : { returnData: { programId: returnData.programId, data: [returnData.data, 'base64'] } }),
  }
}

import { zstdCompressSync } from 'node:zlib'
import type { Json, JsonObject } from '../../host/json.ts'
import { isJsonObject } from '../../host/json.ts'
import type { StoredAccount } from '../chain/account.ts'
import { base58Of } from '../chain/block.ts'
import type { RpcValue } from '../rpc-json.ts'
import { oneOf, wholeOf } from './params.ts'
import { parsedAccount } from './parsed-account.ts'
import { invalidParams } from './rpc-failure.ts'

const RENT_EPOCH = 18_446_744_073_709_551_615n
const BASE58_BYTES_MAX = 128
const ENCODINGS = ['binary', 'base58', 'base64', 'base64+zstd', 'jsonParsed'] as const

export type AccountEncoding = (typeof ENCODINGS)[number]

/** How a call wants accounts to be shown. */
export interface AccountForm {
  readonly encoding: AccountEncoding
  readonly slice: { readonly offset: number; readonly length: number } | undefined
}

export function accountForm(config: JsonObject, usual: AccountEncoding = 'binary'): AccountForm {
  const { dataSlice } = config
  return {
    encoding: oneOf(config['encoding'], ENCODINGS, usual),
    slice: isJsonObject(dataSlice) ? sliceOf(dataSlice) : undefined,
  }
}

function sliceOf(value: JsonObject): { offset: number; length: number } {
  const read = (field: Json | undefined, name: string): number => {
    const number = wholeOf(field, name)
    if (number === undefined) throw invalidParams(`Invalid params: ${name} is missing`)
    return number
  }
  return { offset: read(value['offset'], 'offset'), length: read(value['length'], 'length') }
}

/** An account as the RPC shows it; `read` finds what a parsed form needs beside it. */
export function accountView(
  account: StoredAccount | undefined,
  form: AccountForm,
  read: (address: string) => StoredAccount | undefined,
): RpcValue {
  if (account === undefined) return null
  const { lamports, owner, executable, data } = account
  return {
    lamports,
    owner,
    executable,
    rentEpoch: RENT_EPOCH,
    space: data.length,
    data: dataView(account, form, read),
  }
}

function dataView(
  account: StoredAccount,
  { encoding, slice }: AccountForm,
  read: (address: string) => StoredAccount | undefined,
): RpcValue {
  const { data: whole } = account
  const data =
    slice === undefined ? whole : whole.subarray(slice.offset, slice.offset + slice.length)
  switch (encoding) {
    case 'binary':
    case 'base58': {
      if (data.length > BASE58_BYTES_MAX) {
        throw invalidParams(
          `Encoded binary (base 58) data should be less than ${BASE58_BYTES_MAX} bytes, please use Base64 encoding.`,
        )
      }
      return encoding === 'binary' ? base58Of(data) : [base58Of(data), 'base58']
    }
    case 'base64':
      return [Buffer.from(data).toString('base64'), 'base64']
    case 'base64+zstd':
      return [zstdCompressSync(data).toString('base64'), 'base64+zstd']
    case 'jsonParsed':
      return parsedAccount(account, read) ?? [Buffer.from(data).toString('base64'), 'base64']
    default:
      return encoding satisfies never
  }
}

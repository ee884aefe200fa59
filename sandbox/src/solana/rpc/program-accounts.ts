import type { Json } from '../../host/json.ts'
import { isJsonArray, isJsonObject } from '../../host/json.ts'
import type { StoredAccount } from '../chain/account.ts'
import { TOKEN_BYTES, tokenOf } from '../chain/token-account.ts'
import type { RpcContext, View } from './method.ts'
import { decodedBase58, wholeOf } from './params.ts'
import { invalidParams } from './rpc-failure.ts'

const FILTERS_MAX = 4
const MEMCMP_BYTES_MAX = 128

/** Every account of a program, as of a view. */
export function ownedAt(
  { chain }: RpcContext,
  program: string,
  { slot }: View,
): readonly (readonly [string, StoredAccount])[] {
  const { svm, touchedAbove, readAt } = chain.bank
  const owned = new Map(svm.owned(program))
  for (const address of touchedAbove(slot)) {
    const before = readAt(address, slot)
    if (before?.owner === program) owned.set(address, before)
    else owned.delete(address)
  }
  return [...owned]
}

/** Reads dataSize, memcmp and tokenAccountState filters; an account has to pass all of them. */
export function filtersOf(value: Json | undefined): (account: StoredAccount) => boolean {
  if (value === undefined || value === null) return () => true
  if (!isJsonArray(value)) throw invalidParams('Invalid params: filters is a list')
  if (value.length > FILTERS_MAX) {
    throw invalidParams(`Too many filters provided; max ${FILTERS_MAX}`)
  }
  const filters = value.map(filterOf)
  return (account) => filters.every((filter) => filter(account))
}

function filterOf(value: Json): (account: StoredAccount) => boolean {
  if (value === 'tokenAccountState') return (account) => tokenOf(account) !== undefined
  if (!isJsonObject(value)) throw invalidParams('Invalid params: a filter is an object')
  if ('tokenAccountState' in value) {
    return (account) => account.data.length >= TOKEN_BYTES && tokenOf(account) !== undefined
  }
  const size = wholeOf(value['dataSize'], 'dataSize')
  if (size !== undefined) return ({ data }) => data.length === size
  const { memcmp } = value
  if (!isJsonObject(memcmp)) throw invalidParams('Invalid params: unknown filter')
  const offset = wholeOf(memcmp['offset'], 'offset') ?? 0
  const wanted = bytesOf(memcmp['bytes'], memcmp['encoding'])
  return ({ data }) => Buffer.compare(data.subarray(offset, offset + wanted.length), wanted) === 0
}

function bytesOf(value: Json | undefined, encoding: Json | undefined): Uint8Array {
  if (typeof value !== 'string') throw invalidParams('Invalid params: memcmp has bytes as text')
  const bytes = encoding === 'base64' ? Buffer.from(value, 'base64') : decodedBase58(value)
  if (bytes === undefined || bytes.length > MEMCMP_BYTES_MAX) {
    throw invalidParams('Invalid param: Data too large')
  }
  return bytes
}

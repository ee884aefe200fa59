import { getBase58Encoder, isAddress } from '@solana/kit'
import type { Json, JsonObject } from '../../host/json.ts'
import { isJsonArray, isJsonObject } from '../../host/json.ts'
import type { Commitment } from '../chain/chain.ts'
import { invalidParams } from './rpc-failure.ts'

const SIGNATURE_BYTES = 64

/** Positional parameters of one call, read one by one. Every reader throws an RpcFailure of -32602. */
export type Params = readonly Json[]

/** The configuration object at a place; empty when it is left out. */
export function configAt(params: Params, index: number): JsonObject {
  const value = params[index] ?? {}
  if (!isJsonObject(value)) throw invalidParams(`Invalid params: parameter ${index} is an object`)
  return value
}

export function addressAt(params: Params, index: number): string {
  return addressOf(params[index])
}

export function addressOf(value: Json | undefined): string {
  if (typeof value !== 'string') throw invalidParams('Invalid params: expected an address')
  if (!isAddress(value)) throw invalidParams('Invalid param: Invalid')
  return value
}

export function textAt(params: Params, index: number): string {
  const value = params[index]
  if (typeof value !== 'string') throw invalidParams(`Invalid params: parameter ${index} is text`)
  return value
}

export function wholeAt(params: Params, index: number): number {
  const value = wholeOf(params[index], `parameter ${index}`)
  if (value === undefined) throw invalidParams(`Invalid params: parameter ${index} is missing`)
  return value
}

export function wholeOf(value: Json | undefined, name: string): number | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0) {
    throw invalidParams(`Invalid params: ${name} is a whole number`)
  }
  return value
}

export function listAt(params: Params, index: number, max: number): readonly Json[] {
  const value = params[index]
  if (!isJsonArray(value)) throw invalidParams(`Invalid params: parameter ${index} is a list`)
  if (value.length > max) throw invalidParams(`Too many inputs provided; max ${max}`)
  return value
}

export function signatureOf(value: Json | undefined): string {
  if (typeof value !== 'string') throw invalidParams('Invalid params: expected a signature')
  if (decodedBase58(value)?.length !== SIGNATURE_BYTES)
    throw invalidParams('Invalid param: Invalid')
  return value
}

export function decodedBase58(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(getBase58Encoder().encode(text))
  } catch {
    return undefined
  }
}

/** `finalized` when nothing is said. The names before 2021 still count. */
export function commitmentOf(config: JsonObject, usual: Commitment = 'finalized'): Commitment {
  switch (config['commitment'] ?? usual) {
    case 'processed':
    case 'recent':
      return 'processed'
    case 'confirmed':
    case 'single':
    case 'singleGossip':
      return 'confirmed'
    case 'finalized':
    case 'max':
    case 'root':
      return 'finalized'
    default:
      throw invalidParams('Invalid params: unknown commitment')
  }
}

export function oneOf<T extends string>(
  value: Json | undefined,
  choices: readonly T[],
  usual: T,
): T {
  if (value === undefined || value === null) return usual
  const found = choices.find((choice) => choice === value)
  if (found === undefined)
    throw invalidParams(`Invalid params: expected one of ${choices.join(', ')}`)
  return found
}

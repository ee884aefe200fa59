import { baseUnits } from '@florin/wire/amount.ts'
import type { BaseUnits } from '@florin/wire/amount.ts'
import type { Address, Terms } from '../chain.ts'
import { parseAddress } from './account.ts'
import type { FeesPerGas } from './fees.ts'
import { hexBytes } from './hex.ts'
import type { Call } from './transfer.ts'

/** Everything that decides an EIP-1559 transaction's bytes but its nonce, and what goes with it. */
export interface EvmTerms {
  readonly chainId: bigint
  readonly sender: Address
  readonly call: Call
  readonly gas: bigint
  readonly fees: FeesPerGas
  /** What a roll-up may take on top for publishing the bytes; held, never offered. */
  readonly dataFeeMax: BaseUnits
}

const DECIMAL = /^(?:0|[1-9][0-9]{0,77})$/
const DATA = /^0x(?:[0-9a-f]{2})*$/

/** Terms as the plain text fields that are stored with a payment. */
export function writeTerms(terms: EvmTerms): Terms {
  return branded({ ...plainFields(terms), data: hexBytes(terms.call.data) })
}

/** The same with a digest in place of the call data, which is stored elsewhere. */
export function writeTermsWithout(terms: EvmTerms, dataDigest: string): Terms {
  return branded({ ...plainFields(terms), dataDigest })
}

function branded(fields: Readonly<Record<string, string>>): Terms {
  return fields as Terms
}

/** All of them but the call data. */
function plainFields({ chainId, sender, call, gas, fees, dataFeeMax }: EvmTerms) {
  return {
    chainId: `${chainId}`,
    sender,
    to: call.to,
    value: `${call.value}`,
    gas: `${gas}`,
    maxFeePerGas: `${fees.maxFeePerGas}`,
    maxPriorityFeePerGas: `${fees.maxPriorityFeePerGas}`,
    dataFeeMax: `${dataFeeMax}`,
  }
}

/** Reads stored terms back; `chainId` must be the network's own. Throws when they are not what `writeTerms` wrote. */
export function readTerms(terms: Terms, chainId: bigint): EvmTerms {
  return readTermsAround(terms, chainId, dataOf(terms))
}

/** The same around call data that is known from elsewhere. */
export function readTermsAround(terms: Terms, chainId: bigint, data: Uint8Array): EvmTerms {
  if (integer(terms, 'chainId') !== chainId) throw new Error('terms of another network')
  return {
    chainId,
    sender: address(terms, 'sender'),
    call: { to: address(terms, 'to'), value: integer(terms, 'value'), data },
    gas: integer(terms, 'gas'),
    fees: {
      maxFeePerGas: integer(terms, 'maxFeePerGas'),
      maxPriorityFeePerGas: integer(terms, 'maxPriorityFeePerGas'),
    },
    dataFeeMax: baseUnits(integer(terms, 'dataFeeMax')),
  }
}

function integer(terms: Terms, field: string): bigint {
  const text = terms[field] ?? ''
  if (!DECIMAL.test(text)) throw new Error(`stored terms have no proper ${field}`)
  return BigInt(text)
}

function address(terms: Terms, field: string): Address {
  const parsed = parseAddress(terms[field] ?? '')
  if (parsed === undefined) throw new Error(`stored terms have no proper ${field}`)
  return parsed
}

function dataOf(terms: Terms): Uint8Array {
  const text = terms['data'] ?? ''
  if (!DATA.test(text)) throw new Error('stored terms have no proper data')
  return Buffer.from(text.slice(2), 'hex')
}

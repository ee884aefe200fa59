import type { Address, Terms } from '../chain.ts'
import { parseAddress } from './account.ts'
import type { Budget, TokenRoute, Transfer } from './transfer.ts'

/** Everything that decides a transaction's bytes, and what goes with it. */
export interface SolanaTerms {
  /** CAIP-2. */
  readonly network: string
  readonly transfer: Transfer
  readonly budget: Budget
  /** The caller named the priority fee: a renewal leaves it as it is. */
  readonly isPriceFixed: boolean
  /** Rent of the account that the transaction may have to create, in lamports. */
  readonly accountRent: bigint
  readonly blockhash: string
  /** The last block height, not slot, at which the blockhash is taken. */
  readonly lastValidBlockHeight: bigint
}

const DECIMAL = /^(?:0|[1-9][0-9]{0,77})$/
const NATIVE = 'native'

/** Terms as the plain text fields that are stored with a payment. */
export function writeTerms(terms: SolanaTerms): Terms {
  const { network, transfer, budget, isPriceFixed, accountRent } = terms
  const { token } = transfer
  const fields = {
    network,
    sender: transfer.sender,
    recipient: transfer.recipient,
    amount: `${transfer.amount}`,
    memo: transfer.memo,
    mint: token?.mint ?? NATIVE,
    ...(token === undefined
      ? {}
      : {
          tokenProgram: token.program,
          decimals: `${token.decimals}`,
          fromAccount: token.from,
          toAccount: token.to,
          createsAccount: `${token.createsAccount}`,
        }),
    computeUnits: `${budget.units}`,
    pricePerUnit: `${budget.pricePerUnit}`,
    isPriceFixed: `${isPriceFixed}`,
    accountRent: `${accountRent}`,
    blockhash: terms.blockhash,
    lastValidBlockHeight: `${terms.lastValidBlockHeight}`,
  }
  return fields as Readonly<Record<string, string>> as Terms
}

/** Reads stored terms back; `network` must be the chain's own. Throws when they are not what `writeTerms` wrote. */
export function readTerms(terms: Terms, network: string): SolanaTerms {
  if (terms['network'] !== network) throw new Error('terms of another network')
  const token = tokenFrom(terms)
  return {
    network,
    transfer: {
      sender: address(terms, 'sender'),
      recipient: address(terms, 'recipient'),
      amount: integer(terms, 'amount'),
      memo: text(terms, 'memo'),
      ...(token === undefined ? {} : { token }),
    },
    budget: {
      units: integer(terms, 'computeUnits'),
      pricePerUnit: integer(terms, 'pricePerUnit'),
    },
    isPriceFixed: flag(terms, 'isPriceFixed'),
    accountRent: integer(terms, 'accountRent'),
    blockhash: text(terms, 'blockhash'),
    lastValidBlockHeight: integer(terms, 'lastValidBlockHeight'),
  }
}

function tokenFrom(terms: Terms): TokenRoute | undefined {
  if (text(terms, 'mint') === NATIVE) return undefined
  return {
    mint: address(terms, 'mint'),
    program: address(terms, 'tokenProgram'),
    decimals: Number(integer(terms, 'decimals')),
    from: address(terms, 'fromAccount'),
    to: address(terms, 'toAccount'),
    createsAccount: flag(terms, 'createsAccount'),
  }
}

function text(terms: Terms, field: string): string {
  const value = terms[field]
  if (value === undefined || value === '') throw new Error(`stored terms have no ${field}`)
  return value
}

function integer(terms: Terms, field: string): bigint {
  const value = text(terms, field)
  if (!DECIMAL.test(value)) throw new Error(`stored terms have no proper ${field}`)
  return BigInt(value)
}

function flag(terms: Terms, field: string): boolean {
  const value = text(terms, field)
  if (value !== 'true' && value !== 'false') {
    throw new Error(`stored terms have no proper ${field}`)
  }
  return value === 'true'
}

function address(terms: Terms, field: string): Address {
  const parsed = parseAddress(text(terms, field))
  if (parsed === undefined) throw new Error(`stored terms have no proper ${field}`)
  return parsed
}

import { getMintDecoder, getTokenDecoder } from '@solana-program/token'
import type { Mint, Token } from '@solana-program/token'
import type { StoredAccount } from './account.ts'
import { isTokenProgram } from './program-addresses.ts'

export const TOKEN_BYTES = 165
export const MINT_BYTES = 82
/** Token-2022 puts the kind of account here when extensions follow. */
const KIND_OFFSET = 165
const MINT_KIND = 1
const TOKEN_KIND = 2

/** Reads a token account of either token program; undefined for anything else. */
export function tokenOf(account: StoredAccount | undefined): Token | undefined {
  return hasKind(account, TOKEN_BYTES, TOKEN_KIND)
    ? getTokenDecoder().decode(account.data)
    : undefined
}

export function mintOf(account: StoredAccount | undefined): Mint | undefined {
  return hasKind(account, MINT_BYTES, MINT_KIND) ? getMintDecoder().decode(account.data) : undefined
}

function hasKind(
  account: StoredAccount | undefined,
  bytes: number,
  kind: number,
): account is StoredAccount {
  if (account === undefined || !isTokenProgram(account.owner)) return false
  const { data } = account
  const isInitialized = bytes === TOKEN_BYTES ? data[108] !== 0 : data[45] === 1
  if (!isInitialized) return false
  return data.length === bytes || (data.length > KIND_OFFSET && data[KIND_OFFSET] === kind)
}

/** An amount as the RPC shows it. */
export interface UiTokenAmount {
  readonly amount: string
  readonly decimals: number
  readonly uiAmount: number | null
  readonly uiAmountString: string
}

export function uiTokenAmount(amount: bigint, decimals: number): UiTokenAmount {
  const digits = amount.toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  const text = fraction === '' ? whole : `${whole}.${fraction}`
  return { amount: amount.toString(), decimals, uiAmount: Number(text), uiAmountString: text }
}

import { addressBytes } from '../chains/solana/account.ts'
import { decodeBase58 } from '../chains/solana/base58.ts'
import { addressOfPrivateKey } from '../chains/solana/ed25519.ts'
import { SecretBytes } from '../kernel/secret.ts'
import type { Family } from '@florin/wire/network.ts'
import { isEvmKey } from './evm-keys.ts'

/** A private key that somebody brought along; whoever gets it erases it. */
export type ImportedKey =
  | { readonly ok: true; readonly family: Family; readonly privateKey: SecretBytes }
  /** Why it is none, in words that hold nothing of it. */
  | { readonly ok: false; readonly reason: string }

const HEX = /^(?:0x)?([0-9a-fA-F]{64})$/
const SEED_BYTES = 32
const PAIR_BYTES = 64

/**
 * Reads a private key in the ways in which wallets give it out: EVM as 64 hex digits, with or without 0x; Solana as the 64 bytes
 * of seed and public key, in base58 or as the JSON array that solana-keygen writes. The two halves must belong together.
 */
export function readImportedKey(text: string): ImportedKey {
  const bare = text.trim()
  const hex = HEX.exec(bare)?.[1]
  if (hex !== undefined) return evmKey(hex)
  const pair = bare.startsWith('[') ? bytesOfList(bare) : decodeBase58(bare, PAIR_BYTES)
  if (pair !== undefined) return solanaKey(pair)
  return {
    ok: false,
    reason: /^[a-z]+(?:\s+[a-z]+){11,}$/.test(bare)
      ? 'it looks like a seed phrase; export the private key of the one address from your wallet'
      : 'it is neither 64 hex digits (EVM) nor 64 bytes in base58 or as a JSON array (Solana)',
  }
}

function evmKey(hex: string): ImportedKey {
  const bytes = new Uint8Array(Buffer.from(hex, 'hex'))
  if (isEvmKey(bytes)) return { ok: true, family: 'evm', privateKey: new SecretBytes(bytes) }
  bytes.fill(0)
  return { ok: false, reason: 'it is no private key: the number is out of range' }
}

function solanaKey(pair: Uint8Array): ImportedKey {
  const seed = pair.slice(0, SEED_BYTES)
  const isPair = Buffer.compare(addressBytes(addressOfPrivateKey(seed)), pair.subarray(SEED_BYTES))
  pair.fill(0)
  if (isPair === 0) return { ok: true, family: 'solana', privateKey: new SecretBytes(seed) }
  seed.fill(0)
  return { ok: false, reason: 'its public half does not belong to its private half' }
}

function bytesOfList(text: string): Uint8Array | undefined {
  let list: unknown
  try {
    list = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!Array.isArray(list) || list.length !== PAIR_BYTES) return undefined
  const isByte = (each: unknown): each is number =>
    typeof each === 'number' && Number.isInteger(each) && each >= 0 && each <= 255
  return list.every(isByte) ? Uint8Array.from(list) : undefined
}

import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeSecretFile } from '../host/durable-file.ts'
import { isJsonObject, parseJson } from '../host/json.ts'

/** Who this chain is. A chain that starts over gets a new one: keys and records of the old mean nothing on it. */
export interface Identity {
  /** Random, 128 bits; what `florin_sandbox` answers. */
  readonly instance: string
  /** Mints the token and pays the faucet's transfers. Drawn per chain, known to nobody. */
  readonly faucetKey: `0x${string}`
}

export function newIdentity(): Identity {
  return {
    instance: `evm_${randomBytes(16).toString('hex')}`,
    faucetKey: `0x${randomBytes(32).toString('hex')}`,
  }
}

export function readIdentity(directory: string): Identity | undefined {
  let text: string
  try {
    text = readFileSync(fileOf(directory), 'utf8')
  } catch {
    return undefined
  }
  const value = parseJson(text)
  if (!isJsonObject(value)) return undefined
  const { instance, faucetKey } = value
  if (typeof instance !== 'string' || !/^evm_[0-9a-f]{32}$/.test(instance)) return undefined
  return isKey(faucetKey) ? { instance, faucetKey } : undefined
}

export function writeIdentity(directory: string, identity: Identity): void {
  writeSecretFile(fileOf(directory), `${JSON.stringify(identity)}\n`)
}

function fileOf(directory: string): string {
  return join(directory, 'identity.json')
}

function isKey(value: unknown): value is `0x${string}` {
  return typeof value === 'string' && /^0x[0-9a-f]{64}$/.test(value)
}

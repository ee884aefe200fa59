import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { replaceDurably } from '../../host/durable-file.ts'
import type { Json, JsonObject } from '../../host/json.ts'
import { isJsonArray, isJsonObject, parseJson } from '../../host/json.ts'
import type { Block } from './block.ts'

const FORMAT = 1

/** Who a chain is. */
export interface SolanaIdentity {
  /** Of the sandbox: the same for both of its chains. */
  readonly instance: string
  /** Random, base58. */
  readonly genesisHash: string
  /** 64 bytes, base64: mints USDC and pays the faucet's transfers. Drawn per chain, known to nobody. */
  readonly faucetKey: string
}

/** A chain's whole state at one moment. */
export interface SavedChain {
  readonly identity: SolanaIdentity
  readonly blocks: readonly Omit<Block, 'before'>[]
  readonly landedMessages: readonly (readonly [string, readonly string[]])[]
  /** Of the record store. */
  readonly records: readonly string[]
  /** Of the virtual machine. */
  readonly machine: Uint8Array
}

export type ReadChain =
  | { readonly kind: 'good'; readonly path: string; readonly chain: SavedChain }
  | { readonly kind: 'absent' }
  | { readonly kind: 'torn'; readonly path: string }

/** The newest save and the one before it. */
export function chainPathsOf(directory: string): readonly [string, string] {
  return [join(directory, 'chain.state'), join(directory, 'chain.state.previous')]
}

/** Resolves once the chain is on disk; the save before it stays beside it. */
export async function saveChain(directory: string, chain: SavedChain): Promise<void> {
  const [path, previous] = chainPathsOf(directory)
  const { identity, blocks, landedMessages, records, machine } = chain
  const notes = Buffer.from(JSON.stringify({ identity, blocks, landedMessages }))
  const lines = Buffer.from(records.join('\n'))
  const parts = [notes, lines, machine]
  const head = {
    format: FORMAT,
    bytes: parts.map(({ length }) => length),
    sha256: await digest(parts),
  }
  await replaceDurably(path, previous, [`${JSON.stringify(head)}\n`, ...parts])
}

/** Reads one save back. `torn` when a byte is missing or changed. */
export function readChain(path: string): ReadChain {
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch {
    return { kind: 'absent' }
  }
  const end = bytes.indexOf('\n')
  const head = end < 0 ? undefined : parseJson(bytes.toString('utf8', 0, end))
  if (!isJsonObject(head) || head['format'] !== FORMAT) return { kind: 'torn', path }
  const body = bytes.subarray(end + 1)
  if (head['sha256'] !== createHash('sha256').update(body).digest('hex')) {
    return { kind: 'torn', path }
  }
  const [notesBytes = 0, linesBytes = 0] = listOf(head['bytes']).map(Number)
  const notes = parseJson(body.toString('utf8', 0, notesBytes))
  const lines = body.toString('utf8', notesBytes, notesBytes + linesBytes)
  const identity = isJsonObject(notes) ? identityOf(notes['identity']) : undefined
  if (!isJsonObject(notes) || identity === undefined) return { kind: 'torn', path }
  const chain = {
    identity,
    blocks: listOf(notes['blocks']).filter(isJsonObject).map(blockOf),
    landedMessages: listOf(notes['landedMessages']).map(messagesOf),
    records: lines === '' ? [] : lines.split('\n'),
    machine: body.subarray(notesBytes + linesBytes),
  }
  return { kind: 'good', path, chain }
}

/** Many megabytes under load, so not on the chain's own thread. */
async function digest(parts: readonly Uint8Array[]): Promise<string> {
  const sum = await crypto.subtle.digest('SHA-256', Buffer.concat(parts))
  return Buffer.from(sum).toString('hex')
}

function identityOf(value: Json | undefined): SolanaIdentity | undefined {
  if (!isJsonObject(value)) return undefined
  const { instance, genesisHash, faucetKey } = value
  return typeof instance === 'string' &&
    typeof genesisHash === 'string' &&
    typeof faucetKey === 'string'
    ? { instance, genesisHash, faucetKey }
    : undefined
}

function blockOf(value: JsonObject): Omit<Block, 'before'> {
  const { slot, parentSlot, height, previousHash, hash, time, signatures } = value
  return {
    slot: Number(slot),
    parentSlot: Number(parentSlot),
    height: Number(height),
    previousHash: textOf(previousHash),
    hash: typeof hash === 'string' ? hash : undefined,
    time: Number(time),
    signatures: listOf(signatures).map(textOf),
  }
}

function messagesOf(value: Json): readonly [string, readonly string[]] {
  const [hash, messages] = listOf(value)
  return [textOf(hash), listOf(messages).map(textOf)]
}

function listOf(value: Json | undefined): readonly Json[] {
  return isJsonArray(value) ? value : []
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

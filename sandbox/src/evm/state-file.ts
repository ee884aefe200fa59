import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { replaceDurably } from '../host/durable-file.ts'
import { isJsonObject, parseJson } from '../host/json.ts'

const FORMAT = 1

/** A chain's whole state at one block, as anvil dumps it (compressed). */
export interface SavedState {
  readonly instance: string
  readonly height: number
  readonly dump: Uint8Array
}

export type ReadState =
  | { readonly kind: 'good'; readonly state: SavedState }
  | { readonly kind: 'absent' }
  | { readonly kind: 'torn'; readonly path: string }

/** The newest save and the one before it. */
export function statePathsOf(directory: string): readonly [string, string] {
  return [join(directory, 'chain.state'), join(directory, 'chain.state.previous')]
}

/** Resolves once the state is on disk; the state before it stays beside it. */
export async function saveState(directory: string, state: SavedState): Promise<void> {
  const [path, previous] = statePathsOf(directory)
  const { instance, height, dump } = state
  const head = { format: FORMAT, instance, height, bytes: dump.length, sha256: digest(dump) }
  await replaceDurably(path, previous, [`${JSON.stringify(head)}\n`, dump])
}

/** Reads one save back. `torn` when a byte is missing or changed. */
export function readState(path: string): ReadState {
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch {
    return { kind: 'absent' }
  }
  const end = bytes.indexOf('\n')
  const head = end < 0 ? undefined : parseJson(bytes.toString('utf8', 0, end))
  const dump = bytes.subarray(end + 1)
  if (!isJsonObject(head) || head['format'] !== FORMAT) return { kind: 'torn', path }
  const { instance, height, bytes: length, sha256 } = head
  if (typeof instance !== 'string' || typeof height !== 'number') return { kind: 'torn', path }
  if (length !== dump.length || sha256 !== digest(dump)) return { kind: 'torn', path }
  return { kind: 'good', state: { instance, height, dump } }
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

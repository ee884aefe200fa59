import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { replaceDurably } from '../../host/durable-file.ts'
import { isJsonObject, parseJson } from '../../host/json.ts'

/** Slots that one write covers. A killed chain goes on above them, so they also cost that much of a blockhash's life. */
export const HORIZON_SLOTS = 32

/**
 * The highest slot that may be called final while nothing lands. Empty blocks follow from the block before them, so they
 * need no write of their own: after a crash the chain makes them again up to here.
 */
export async function saveHorizon(
  directory: string,
  genesisHash: string,
  slot: number,
): Promise<void> {
  const [path, previous] = pathsOf(directory)
  await replaceDurably(path, previous, [`${JSON.stringify({ genesisHash, slot })}\n`])
}

/** Undefined when there is none for this chain. */
export function readHorizon(directory: string, genesisHash: string): number | undefined {
  const [path, previous] = pathsOf(directory)
  const newest = readOne(path, genesisHash)
  if (newest !== undefined) return newest
  const older = readOne(previous, genesisHash)
  return older === undefined ? undefined : older + HORIZON_SLOTS * 2
}

function pathsOf(directory: string): readonly [string, string] {
  return [join(directory, 'chain.horizon'), join(directory, 'chain.horizon.previous')]
}

function readOne(path: string, genesisHash: string): number | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
  const value = parseJson(text)
  if (!isJsonObject(value) || value['genesisHash'] !== genesisHash) return undefined
  const slot = value['slot']
  return typeof slot === 'number' && Number.isSafeInteger(slot) ? slot : undefined
}

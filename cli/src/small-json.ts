import { readIfThere, writeWhole } from '@florin/server/store/embedded/small-file.ts'

const OWNER_ONLY = 0o600

/** The object in a small JSON file; undefined when the file is missing, torn or holds something else. */
export async function readObject(path: string): Promise<ReadonlyMap<string, unknown> | undefined> {
  const text = await readIfThere(path)
  if (text === undefined) return undefined
  try {
    return asFields(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** The fields of a JSON object; undefined for anything else. */
export function asFields(value: unknown): ReadonlyMap<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? new Map(Object.entries(value))
    : undefined
}

/** Writes a small JSON file whole or not at all, readable by its owner only. */
export async function writeObject(path: string, value: object): Promise<void> {
  await writeWhole(path, `${JSON.stringify(value, null, 2)}\n`, OWNER_ONLY)
}

import { Secret } from '@florin/server/kernel/secret.ts'
import { readObject, writeObject } from './small-json.ts'
import { parseSandboxReady, sandboxReadyText } from './up/sandbox-ready.ts'
import type { SandboxReady } from './up/sandbox-ready.ts'

/** How other commands reach the database of a running `up`. */
export interface DatabaseAccess {
  readonly url: Secret
  readonly keyFile: string
  /** The sandbox whose payments it holds; null with networks of the operator's own. */
  readonly sandbox: SandboxReady | null
}

/** Reads database.json; undefined when it is missing or is not whole. */
export async function readDatabaseFile(path: string): Promise<DatabaseAccess | undefined> {
  const fields = await readObject(path)
  const url = fields?.get('url')
  const keyFile = fields?.get('keyFile')
  const sandbox = fields?.get('sandbox')
  if (typeof url !== 'string' || typeof keyFile !== 'string') return undefined
  const ready = typeof sandbox === 'string' ? parseSandboxReady(sandbox) : undefined
  return { url: new Secret(url), keyFile, sandbox: ready ?? null }
}

/** Writes database.json, readable by its owner only. */
export async function writeDatabaseFile(
  path: string,
  { url, keyFile, sandbox }: DatabaseAccess,
): Promise<void> {
  const text = sandbox === null ? null : sandboxReadyText(sandbox)
  await writeObject(path, { url: url.reveal(), keyFile, sandbox: text })
}

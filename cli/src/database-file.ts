import { Secret } from '@florin/server/kernel/secret.ts'
import { readObject, writeObject } from './small-json.ts'

/** How other commands reach the database of a running `up`. */
export interface DatabaseAccess {
  readonly url: Secret
  readonly keyFile: string
  /** Whether its networks are a sandbox: keys then say `test`. */
  readonly sandbox: boolean
}

/** Reads database.json; undefined when it is missing or is not whole. */
export async function readDatabaseFile(path: string): Promise<DatabaseAccess | undefined> {
  const fields = await readObject(path)
  const url = fields?.get('url')
  const keyFile = fields?.get('keyFile')
  if (typeof url !== 'string' || typeof keyFile !== 'string') return undefined
  return { url: new Secret(url), keyFile, sandbox: fields?.get('sandbox') === true }
}

/** Writes database.json, readable by its owner only. */
export async function writeDatabaseFile(path: string, access: DatabaseAccess): Promise<void> {
  await writeObject(path, { ...access, url: access.url.reveal() })
}

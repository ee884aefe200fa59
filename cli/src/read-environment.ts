import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import type { Environment } from '@florin/server/data-directory.ts'

/** The environment over what a file `.env` in the directory says; what is really set wins. */
export async function readEnvironment(own: Environment, directory: string): Promise<Environment> {
  const text = await readFile(join(directory, '.env'), 'utf8').catch(() => '')
  return { ...parseEnv(text), ...own }
}

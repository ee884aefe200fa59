import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import type { Environment } from '@florin/server/data-directory.ts'
import { withoutServiceLinks } from './service-links.ts'

/** The environment over what a file `.env` in the directory says; what is really set wins, save what Kubernetes sets by itself. */
export async function readEnvironment(own: Environment, directory: string): Promise<Environment> {
  const text = await readFile(join(directory, '.env'), 'utf8').catch(() => '')
  return { ...parseEnv(text), ...withoutServiceLinks(own) }
}

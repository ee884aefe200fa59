import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import type { Environment } from '@florin/server/data-directory.ts'
import { withoutServiceLinks } from './service-links.ts'

/** A value in quotes may go over lines, which are no lines of the file. */
const QUOTED = /=[ \t]*(["'`])[\s\S]*?\1/g
const TOLD_MAX = 20

/** What commands are set by. */
export interface ReadEnvironment {
  readonly environment: Environment
  /** A sentence for each line of `.env` that sets nothing, by its number: its text may be a secret. */
  readonly remarks: readonly string[]
}

/** The environment over what a file `.env` in the directory says; what is really set wins, save what Kubernetes sets by itself. */
export async function readEnvironment(
  own: Environment,
  directory: string,
): Promise<ReadEnvironment> {
  const text = await readFile(join(directory, '.env'), 'utf8').catch(() => '')
  return {
    environment: { ...parseEnv(text), ...withoutServiceLinks(own) },
    remarks: remarksOf(text),
  }
}

function remarksOf(text: string): readonly string[] {
  const lines = text.replaceAll(QUOTED, (value) => `=${value.replaceAll(/[^\n]/g, '')}`).split('\n')
  const told = lines.flatMap((line, index) => {
    const isMeant = line.trim() !== '' && !line.trimStart().startsWith('#')
    return isMeant && !line.includes('=')
      ? [`Line ${index + 1} of .env is not NAME=value, and is ignored.`]
      : []
  })
  if (told.length <= TOLD_MAX) return told
  return [...told.slice(0, TOLD_MAX), `and ${told.length - TOLD_MAX} more like this.`]
}

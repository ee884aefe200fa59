import { readFile } from 'node:fs/promises'
import { noArguments } from './read-arguments.ts'
import type { Run } from './command.ts'
import { asFields } from './small-json.ts'

/** The version of this copy of Florin. */
export async function ownVersion(): Promise<string> {
  const manifest = await readFile(new URL('../package.json', import.meta.url), 'utf8')
  return String(asFields(JSON.parse(manifest))?.get('version'))
}

export const runVersion: Run = async ({ args, print }) => {
  noArguments(args)
  print(`${await ownVersion()}\n`)
  return 0
}

import { readFileSync } from 'node:fs'
import { catalogue } from '@florin/wire/errors.ts'
import { errorExample } from './error-example.ts'

/** The bodies that docs/errors shows, by code. */
export function errorExamples(baseUrl: string): ReadonlyMap<string, unknown> {
  return new Map(
    Object.keys(catalogue).map((code) => {
      const page = new URL(`../../../docs/errors/${code}.md`, import.meta.url)
      return [code, errorExample(readFileSync(page, 'utf8'), baseUrl)]
    }),
  )
}

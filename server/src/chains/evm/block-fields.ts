import { NodeFailure } from '../chain.ts'
import { fieldsFrom } from '../json-rpc/answer.ts'
import type { Fields } from '../json-rpc/answer.ts'

/** Reads a block that must be there, else throws NodeFailure. */
export function blockFieldsFrom(result: unknown, what: string): Fields {
  if (result === null || result === undefined) throw new NodeFailure(`the node has no ${what}`)
  return fieldsFrom(result, what)
}

import { NodeFailure } from '../chain.ts'

/** What a node's answer says, or undefined where it says nothing that can be read. */
export function orUndefined<Value>(parse: () => Value): Value | undefined {
  try {
    return parse()
  } catch (error) {
    if (error instanceof NodeFailure) return undefined
    throw error
  }
}

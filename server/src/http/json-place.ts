import { JsonProblem, readStrictJson } from './strict-json.ts'

/**
 * Where a text that is not JSON stops being it, for whoever wrote it by hand: line and column, both from 1. The runtime's own words often name no
 * place, and repeat some of the text instead, which may hold a secret. Undefined where the strict reader stops at something else.
 */
export function jsonPlace(text: string): string | undefined {
  const at = stopOf(text)
  if (at === undefined) return undefined
  const lines = text.slice(0, at).split('\n')
  const line = `line ${lines.length}`
  if (at >= text.length) return `it ends too early, in ${line}`
  return `${line}, column ${(lines.at(-1)?.length ?? 0) + 1}`
}

function stopOf(text: string): number | undefined {
  try {
    readStrictJson(new TextEncoder().encode(text))
    return undefined
  } catch (error) {
    if (error instanceof JsonProblem) return error.malformedAt
    throw error
  }
}

import { FlorinError } from '@florin/sdk'
import type { CallToolResult } from '@modelcontextprotocol/server'
import { nextStep } from '../caller/next-step.ts'
import { CommandFailed } from '../usage-error.ts'

/** Facts for the agent, as data and as the text that hosts show. */
export function facts(content: Readonly<Record<string, unknown>>): CallToolResult {
  return {
    content: [{ type: 'text', text: JSON.stringify(content) }],
    structuredContent: { ...content },
  }
}

/** A call that nothing came of, in words that say what to do. */
export function refused(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}

/** What went wrong, for the agent; undefined for a bug. A payment that may have been made is never called failed. */
export function failureOf(error: unknown): CallToolResult | undefined {
  if (error instanceof CommandFailed) return refused(error.message)
  if (!(error instanceof FlorinError)) return undefined
  const { code, message, details, outcomeUnknown, idempotencyKey, docs } = error
  const next =
    outcomeUnknown && idempotencyKey !== undefined
      ? `Nobody knows yet whether money moved. Make the same call again with the idempotencyKey "${idempotencyKey}": it pays once however often it is made. Do not use another key.`
      : nextStep(code)
  const failure = { error: { code, message, details, next, docs } }
  return { ...facts(failure), isError: true }
}

import type { Florin } from '@florin/sdk'
import type { CallToolResult, JsonSchemaType, ToolAnnotations } from '@modelcontextprotocol/server'
import type { Allowance } from './allowance.ts'

/** What a tool works with, for one call. */
export interface ToolCall {
  readonly florin: Florin
  readonly allowance: Allowance
  /** As the tool's schema has found them good. */
  readonly input: ToolInput
  /** Aborts when the agent's host gives the call up. What was begun goes on at the service. */
  readonly signal: AbortSignal
}

/** Arguments of a call. */
export interface ToolInput {
  /** A text; undefined when it is not given. */
  text(name: string): string | undefined
  /** A text that the schema requires. @throws a bug when it does not */
  required(name: string): string
  /** A whole number; undefined when it is not given. */
  integer(name: string): number | undefined
  /** Texts by name; undefined when they are not given. */
  texts(name: string): Readonly<Record<string, string>> | undefined
}

/** One thing that an agent can do. */
export interface Tool {
  readonly name: string
  readonly title: string
  /** For the agent: what it does, and what to give. */
  describe(allowance: Allowance): string
  readonly inputSchema: JsonSchemaType & { readonly type: 'object' }
  readonly annotations: ToolAnnotations
  run(call: ToolCall): Promise<CallToolResult>
}

/** Reads arguments whose schema was held against them. */
export function toolInput(args: unknown): ToolInput {
  const values = new Map<string, unknown>(
    typeof args === 'object' && args !== null ? Object.entries(args) : [],
  )
  const text = (name: string) => {
    const value = values.get(name)
    return typeof value === 'string' ? value : undefined
  }
  return {
    text,
    required: (name) => {
      const value = text(name)
      if (value === undefined) throw new Error(`the schema of the tool does not require ${name}`)
      return value
    },
    integer: (name) => {
      const value = values.get(name)
      return typeof value === 'number' ? value : undefined
    },
    texts: (name) => {
      const value = values.get(name)
      if (typeof value !== 'object' || value === null) return undefined
      return Object.fromEntries(
        Object.entries(value).filter(
          (entry): entry is [string, string] => typeof entry[1] === 'string',
        ),
      )
    },
  }
}

import { parseArgs } from 'node:util'
import { UsageError } from './usage-error.ts'

export interface Arguments {
  /** The value of a `--name value` flag; undefined when it is not given. */
  flag(name: string): string | undefined
  /** Whether a `--name` switch is given. */
  has(name: string): boolean
  readonly positionals: readonly string[]
}

/** Reads flags and positionals; anything that was not announced is a UsageError. */
export function readArguments(
  args: readonly string[],
  {
    flags = [],
    switches = [],
    positionals = [],
  }: {
    flags?: readonly string[]
    switches?: readonly string[]
    /** Names of the required positionals. */
    positionals?: readonly string[]
  },
): Arguments {
  const options: Record<string, { readonly type: 'string' | 'boolean' }> = {}
  for (const name of flags) options[name] = { type: 'string' }
  for (const name of switches) options[name] = { type: 'boolean' }
  const parsed = parseOrRefuse(args, options)
  const missing = positionals[parsed.positionals.length]
  if (missing !== undefined) throw new UsageError(`${missing} is missing`)
  const extra = parsed.positionals[positionals.length]
  if (extra !== undefined) throw new UsageError(`"${extra}" is one argument too many`)
  const values = new Map(Object.entries(parsed.values))
  return {
    flag: (name) => {
      const value = values.get(name)
      return typeof value === 'string' ? value : undefined
    },
    has: (name) => values.get(name) === true,
    positionals: parsed.positionals,
  }
}

interface Option {
  readonly type: 'string' | 'boolean'
}

function parseOrRefuse(args: readonly string[], options: Readonly<Record<string, Option>>) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    const negative = args.find((arg) => /^-[\d.]/.test(arg))
    if (negative !== undefined)
      throw new UsageError(`no number here may be negative: "${negative}"`)
    // Node explains how to write a positional that begins with a dash; the first sentence is enough.
    const [reason = 'cannot be read'] = (error instanceof Error ? error.message : '').split('. ')
    throw new UsageError(reason)
  }
}

/** For commands that take nothing. */
export function noArguments(args: readonly string[]): void {
  readArguments(args, {})
}

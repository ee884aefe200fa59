import { FlorinError } from '../florin-error.ts'
import type { PaywallSettings } from './price.ts'

/** Codes that were said where nobody listens: each once, as many as there are. */
const said = new Set<string>()

/** Tells the seller of what is no buyer's business; one who does not listen reads each code once in the process's own errors. Never throws. */
export async function tellProblem(
  { onProblem }: Pick<PaywallSettings, 'onProblem'>,
  code: string,
  cause?: unknown,
): Promise<void> {
  if (onProblem === undefined) {
    if (said.has(code)) return
    said.add(code)
    console.error(`paywall: ${code}`, cause instanceof Error ? cause.message : '', ...whatOf(cause))
    return
  }
  try {
    const told: unknown = onProblem(code, cause)
    await told
  } catch {
    // There is nobody left to tell.
  }
}

/** Tells one who does not listen that these are over, if it has read of any: when they come again they are said again. */
export function tellOver(
  { onProblem }: Pick<PaywallSettings, 'onProblem'>,
  codes: Iterable<string>,
): void {
  if (onProblem !== undefined) return
  const read = [...codes].filter((code) => said.delete(code))
  if (read.length === 0) return
  console.error(`paywall: payment can be asked for again, after ${read.join(', ')}`)
}

/** What the service named: which scope the key lacks, which field is wrong. Nobody else is told. */
function whatOf(cause: unknown): readonly string[] {
  return cause instanceof FlorinError && cause.details !== undefined
    ? [JSON.stringify(cause.details)]
    : []
}

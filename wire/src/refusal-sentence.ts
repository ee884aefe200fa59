/** More would be read nowhere; `details` has them all. */
const FAULTS_MAX = 3
/** Whose details name what is wrong with the request itself. Of the others they are facts about a payment. */
const NAMES_FAULTS: ReadonlySet<number> = new Set([400, 403, 404, 415])

/**
 * The sentence of a refusal with what its details name: "... out of range (amount: must be between 0.001 and 100)." Most programs log an error's message
 * and nothing else of it, so the field that is to blame must stand there. Only text is said, of the first three details.
 */
export function refusalSentence(
  { status, says }: { readonly status: number; readonly says: string },
  details: Readonly<Record<string, unknown>> = {},
): string {
  if (!NAMES_FAULTS.has(status)) return says
  const faults = Object.entries(details).flatMap(([field, rule]) =>
    typeof rule === 'string' ? [`${field}: ${rule}`] : [],
  )
  if (faults.length === 0) return says
  const more = faults.length > FAULTS_MAX ? [`${faults.length - FAULTS_MAX} more`] : []
  return `${says.replace(/\.$/, '')} (${[...faults.slice(0, FAULTS_MAX), ...more].join('; ')}).`
}

/** Whether a sentence says a detail already, so that a list below it need not. */
export function isSaid(sentence: string, field: string, rule: string): boolean {
  return sentence.includes(`${field}: ${rule}`)
}

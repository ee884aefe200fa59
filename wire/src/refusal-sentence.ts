/** More would be read nowhere; `details` has them all. */
const FAULTS_MAX = 3
/** The name of an unknown field is the caller's, of a query as long as an address; our own longest rules are lists of words. */
const PART_CHARACTERS_MAX = 500
/** They would end a log's line, or steer the terminal that shows it. */
const STEERING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** Whose details name what is wrong with the request itself. Of the others they are facts about a payment. */
const NAMES_FAULTS: ReadonlySet<number> = new Set([400, 403, 404, 415])

/**
 * The sentence of a refusal with what its details name: "... out of range (amount: must be between 0.001 and 100)." Most programs log an error's message
 * and nothing else of it, so the field that is to blame must stand there. Only text is said, of the first three details; what is too long for a line of
 * a log is cut there, and characters that steer are shown as `?`: `details` has both whole.
 */
export function refusalSentence(
  { status, says }: { readonly status: number; readonly says: string },
  details: Readonly<Record<string, unknown>> = {},
): string {
  if (!NAMES_FAULTS.has(status)) return says
  const faults = Object.entries(details).flatMap(([field, rule]) =>
    typeof rule === 'string' ? [`${onLine(field)}: ${onLine(rule)}`] : [],
  )
  if (faults.length === 0) return says
  const more = faults.length > FAULTS_MAX ? [`${faults.length - FAULTS_MAX} more`] : []
  return `${says.replace(/\.$/, '')} (${[...faults.slice(0, FAULTS_MAX), ...more].join('; ')}).`
}

/** Whether a sentence of `refusalSentence` says a detail already, and whole, so that a list below it need not. */
export function isSaid(sentence: string, field: string, rule: string): boolean {
  const said = `${field}: ${rule}`
  return ['(', '; '].some((before) =>
    [';', ').'].some((after) => sentence.includes(before + said + after)),
  )
}

function onLine(text: string): string {
  const characters = [...text.slice(0, 2 * PART_CHARACTERS_MAX)]
  const isWhole = characters.length <= PART_CHARACTERS_MAX && text.length <= 2 * PART_CHARACTERS_MAX
  const part = isWhole ? text : `${characters.slice(0, PART_CHARACTERS_MAX).join('')}...`
  return part.replaceAll(STEERING, '?')
}

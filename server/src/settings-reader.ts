/** Reads one JSON object of a settings file field by field, and notes what is wrong instead of stopping at the first. */
export interface Reader {
  has(field: string): boolean
  /** Notes every field that is not among these. */
  only(fields: readonly string[]): void
  refuse(field: string, rule: string): void
  /** Text of 1 to 2,048 characters; empty after a problem. */
  text(field: string): string
  flag(field: string): boolean
  /** A whole JSON number within bounds; the lower bound after a problem. */
  whole(field: string, min: number, max: number): number
  /** Decimal text within bounds, for numbers that a JSON number could round. */
  bigWhole(field: string, min: bigint, max: bigint): bigint
  object(field: string): Reader
  list(field: string, min: number, max: number): readonly Reader[]
  texts(
    field: string,
    min: number,
    max: number,
  ): readonly { readonly value: string; refuse(rule: string): void }[]
}

const TEXT_CHARACTERS_MAX = 2_048

/** Opens a reader over a parsed value that stands at a place (`networks[0].fees`, or empty for the whole document). */
export function openReader(value: unknown, place: string, problems: string[]): Reader {
  const refuseHere = (rule: string) => problems.push(`${place || 'the document'}: ${rule}`)
  const fields = fieldsOf(value)
  if (fields === undefined) refuseHere('must be an object')
  const read = (field: string): unknown => fields?.get(field)
  const at = (field: string) => (place === '' ? field : `${place}.${field}`)

  const reader: Reader = {
    has: (field) => read(field) !== undefined,
    only: (allowed) => {
      for (const field of fields?.keys() ?? []) {
        if (!allowed.includes(field)) problems.push(`${at(field)}: unknown field`)
      }
    },
    refuse: (field, rule) => {
      // A field that is missing or of the wrong type has been noted already.
      if (!problems.some((problem) => problem.startsWith(`${at(field)}:`))) {
        if (fields !== undefined) problems.push(`${at(field)}: ${rule}`)
      }
    },
    text: (field) => {
      const found = read(field)
      if (isText(found)) return found
      reader.refuse(field, 'must be text')
      return ''
    },
    flag: (field) => {
      const found = read(field)
      if (typeof found !== 'boolean') reader.refuse(field, 'must be true or false')
      return found === true
    },
    whole: (field, min, max) => {
      const found = read(field)
      if (Number.isSafeInteger(found) && Number(found) >= min && Number(found) <= max) {
        return Number(found)
      }
      reader.refuse(field, `must be a whole number from ${min} to ${max}`)
      return min
    },
    bigWhole: (field, min, max) => {
      const found = read(field)
      if (typeof found === 'string' && /^[0-9]{1,40}$/.test(found)) {
        const whole = BigInt(found)
        if (whole >= min && whole <= max) return whole
      }
      reader.refuse(field, `must be a whole number as text, "${min}" to "${max}"`)
      return min
    },
    object: (field) => openReader(read(field), at(field), problems),
    list: (field, min, max) =>
      entries(field, min, max).map((entry, index) =>
        openReader(entry, `${at(field)}[${index}]`, problems),
      ),
    texts: (field, min, max) =>
      entries(field, min, max).map((entry, index) => {
        const refuse = (rule: string) => {
          problems.push(`${at(field)}[${index}]: ${rule}`)
        }
        if (isText(entry)) return { value: entry, refuse }
        refuse('must be text')
        return { value: '', refuse: () => undefined }
      }),
  }
  const entries = (field: string, min: number, max: number): readonly unknown[] => {
    const found = read(field)
    if (Array.isArray(found) && found.length >= min && found.length <= max) return found
    reader.refuse(field, `must be a list of ${min} to ${max} entries`)
    return []
  }
  return reader
}

function fieldsOf(value: unknown): ReadonlyMap<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? new Map(Object.entries(value))
    : undefined
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= TEXT_CHARACTERS_MAX
}

/** A place that is jumped to, one that is only read from, and the way to either. */
export type CodePart =
  string | { readonly here: string } | { readonly mark: string } | { readonly to: string }

/** Code that was put together, hex without 0x. */
export interface InitCode {
  /** One text, or those before and behind each way to a place that is told later. */
  readonly parts: readonly string[]
  readonly bytes: number
}

/** The place of the first byte behind the code, where its input begins. */
export const BEHIND = 'behind'

const JUMPDEST = '5b'
const PLACE_DIGITS = 4
const OPEN = '|'

/**
 * Puts together EVM code of which a call is made that creates nothing. Ways to a place take two bytes; those to BEHIND lead to its input, and
 * those to `openPlace` are left to whoever writes the call.
 */
export function assemble(program: readonly CodePart[], openPlace?: string): InitCode {
  const places = new Map<string, number>()
  let digits = 0
  for (const part of program) {
    if (typeof part === 'string') digits += part.length
    else if ('to' in part) digits += PLACE_DIGITS
    else if ('mark' in part) places.set(part.mark, digits / 2)
    else {
      places.set(part.here, digits / 2)
      digits += JUMPDEST.length
    }
  }
  const bytes = digits / 2
  places.set(BEHIND, bytes)
  const text = program.map((part) => {
    if (typeof part === 'string') return part
    if ('here' in part) return JUMPDEST
    if ('mark' in part) return ''
    if (part.to === openPlace) return OPEN
    const place = places.get(part.to)
    if (place === undefined) throw new Error(`no place ${part.to}`)
    return placeText(place)
  })
  return { parts: text.join('').split(OPEN), bytes }
}

/** A place as code pushes it: two bytes. */
export function placeText(place: number): string {
  return place.toString(16).padStart(PLACE_DIGITS, '0')
}

const HEAD_CHARACTERS = 8
const TAIL_CHARACTERS = 6

/** The beginning and the end of an address, a hash or an id; short ones as they are. */
export function shortText(text: string): string {
  return text.length <= HEAD_CHARACTERS + TAIL_CHARACTERS + 3
    ? text
    : `${text.slice(0, HEAD_CHARACTERS)}…${text.slice(-TAIL_CHARACTERS)}`
}

/** Text that people copy from documents or type to get going. */
const COMMON =
  /change.?me|example|password|passw0rd|secret|default|insecure|placeholder|your.?key|florin|postgres|test.?key|qwerty|letmein|<.*>/i
const COMMON_PASSWORDS = ['postgres', 'password', 'admin', 'root', 'florin', 'test', 'database']
const PASSWORD_CHARACTERS_MIN = 12
/** A 128-bit key drawn at random from 16 digits shows about 14 of them; fewer than this hardly ever. */
const DISTINCT_MIN = 8
/** Shannon's measure over the characters alone; 32 random hex digits come to about 115 bits. */
const BITS_MIN = 90
/** Neighbours that are equal or follow each other: a fifth in random hex digits, nearly all in a row of the keyboard. */
const ROW_SHARE_MAX = 0.7
const WORDS_ONLY = /^[a-z][a-z\s'_-]*$/i
/** Sentences have hardly any capitals; half of the letters of random base64, which has no digit once in a thousand times, are some. */
const CAPITAL_SHARE_MAX = 0.25

/** Why key text is not random, in words that hold nothing of it; undefined when it may well be. */
export function weaknessOfKey(text: string): string | undefined {
  if (COMMON.test(text)) return 'it looks like an example, not like a random key'
  if (new Set(text).size < DISTINCT_MIN) return 'it uses only a few different characters'
  if (isRepeated(text)) return 'it repeats itself'
  if (rowShare(text) > ROW_SHARE_MAX) return 'it is a row of neighbouring characters'
  if (WORDS_ONLY.test(text) && capitalShare(text) <= CAPITAL_SHARE_MAX) return 'it looks like words'
  return shannonBits(text) < BITS_MIN ? 'it is not random enough' : undefined
}

/** Why the password of a database address is weak; undefined when it is not, or when there is none. */
export function weaknessOfPassword(url: URL): string | undefined {
  const [user, password] = [decoded(url.username), decoded(url.password)]
  if (password === '') return undefined
  const low = password.toLowerCase()
  if (COMMON_PASSWORDS.includes(low)) return `is "${low}"`
  if (low === user.toLowerCase()) return "is the same as the user's name"
  if (low === url.pathname.slice(1).toLowerCase()) return "is the same as the database's name"
  if (COMMON.test(password)) return 'looks like an example'
  if (password.length < PASSWORD_CHARACTERS_MIN) {
    return `has fewer than ${PASSWORD_CHARACTERS_MIN} characters`
  }
  return new Set(password).size < DISTINCT_MIN / 2 || isRepeated(password)
    ? 'repeats itself'
    : undefined
}

function isRepeated(text: string): boolean {
  return (text + text).indexOf(text, 1) < text.length
}

function rowShare(text: string): number {
  const codes = [...text].map((character) => character.codePointAt(0) ?? 0)
  const near = codes.filter((code, at) => at > 0 && Math.abs(code - (codes[at - 1] ?? 0)) <= 1)
  return near.length / Math.max(codes.length - 1, 1)
}

function capitalShare(text: string): number {
  return text.replaceAll(/[^A-Z]/g, '').length / Math.max(text.length, 1)
}

function shannonBits(text: string): number {
  const counts = Map.groupBy(text, (character) => character).values()
  const shares = [...counts].map((same) => same.length / text.length)
  return text.length * -shares.reduce((sum, share) => sum + share * Math.log2(share), 0)
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

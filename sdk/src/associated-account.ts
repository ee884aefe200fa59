/** The field's prime. Source: RFC 8032, section 5.1. */
const P = 2n ** 255n - 19n
/** The curve's constant, -121665/121666. */
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n
const SIGN_BIT = 1n << 255n
const MARKER = new TextEncoder().encode('ProgramDerivedAddress')
const BUMP_MAX = 255

/**
 * The one token account of an owner for a mint that everybody can find: the first candidate that is no point of the curve. Needs
 * `crypto.subtle`. Source: Associated Token Account program; seeds owner, token program, mint, bump.
 */
export async function associatedAccount(
  owner: Uint8Array,
  tokenProgram: Uint8Array,
  mint: Uint8Array,
  associatedProgram: Uint8Array,
): Promise<Uint8Array> {
  for (let bump = BUMP_MAX; bump >= 0; bump -= 1) {
    const seeds = [owner, tokenProgram, mint, [bump], associatedProgram, MARKER]
    const text = Uint8Array.from(seeds.flatMap((seed) => [...seed]))
    const candidate = new Uint8Array(await crypto.subtle.digest('SHA-256', text))
    if (!isOnCurve(candidate)) return candidate
  }
  throw new Error('no candidate is off the curve, which happens once in 2^256 times')
}

/** Whether 32 bytes are a point of Curve25519. Source: RFC 8032, section 5.1.3, without its last step, as the chain has it. */
function isOnCurve(bytes: Uint8Array): boolean {
  const whole = bytes.reduceRight((value, byte) => value * 256n + BigInt(byte), 0n)
  const isOdd = whole >= SIGN_BIT
  const y = (isOdd ? whole - SIGN_BIT : whole) % P
  const ySquared = (y * y) % P
  // x^2 = (y^2 - 1) / (d y^2 + 1): a point exactly when this is a square, and 0 has no odd root.
  const numerator = (ySquared + P - 1n) % P
  if (numerator === 0n) return !isOdd
  // A fraction is a square when numerator times denominator is; this saves an inversion.
  return power(numerator * ((D * ySquared + 1n) % P), (P - 1n) / 2n) === 1n
}

function power(base: bigint, exponent: bigint): bigint {
  let [result, square] = [1n, base % P]
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = (result * square) % P
    square = (square * square) % P
  }
  return result
}

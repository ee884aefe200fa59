/** The field's prime. Source: RFC 8032, section 5.1. */
const P = 2n ** 255n - 19n
/** The curve's constant, -121665/121666. */
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n
const SIGN_BIT = 1n << 255n
const POINT_BYTES = 32

/**
 * Whether 32 bytes are a point of Curve25519 in Edwards form, so that somebody may hold a key for them. The addresses of
 * programs' own accounts are made not to be. Source: RFC 8032, section 5.1.3, without its last step: a coordinate above the
 * prime is taken, as the chain's own check takes it.
 */
export function isOnCurve(bytes: Uint8Array): boolean {
  if (bytes.length !== POINT_BYTES) throw new RangeError('a point has 32 bytes')
  const whole = BigInt(`0x${Buffer.from(bytes.toReversed()).toString('hex')}`)
  const isOdd = whole >= SIGN_BIT
  const y = (isOdd ? whole - SIGN_BIT : whole) % P
  const ySquared = (y * y) % P
  // x^2 = (y^2 - 1) / (d y^2 + 1): a point exactly when this is a square, and 0 has no odd root.
  const numerator = (ySquared + P - 1n) % P
  const denominator = (D * ySquared + 1n) % P
  if (numerator === 0n) return !isOdd
  // A fraction is a square when numerator times denominator is; this saves an inversion.
  return isSquare((numerator * denominator) % P)
}

/** Euler's criterion: z^((P-1)/2) is 1 for squares. (P-1)/2 = 2^254 - 10, in 253 squarings and 11 products. */
function isSquare(z: bigint): boolean {
  const times = (value: bigint, other: bigint): bigint => (value * other) % P
  const squared = (value: bigint, count: number): bigint => {
    let result = value
    for (let round = 0; round < count; round += 1) result = (result * result) % P
    return result
  }
  // z(n) stands for z^(2^n - 1).
  const z2 = times(squared(z, 1), z)
  const z4 = times(squared(z2, 2), z2)
  const z5 = times(squared(z4, 1), z)
  const z10 = times(squared(z5, 5), z5)
  const z20 = times(squared(z10, 10), z10)
  const z40 = times(squared(z20, 20), z20)
  const z50 = times(squared(z40, 10), z10)
  const z100 = times(squared(z50, 50), z50)
  const z200 = times(squared(z100, 100), z100)
  const z250 = times(squared(z200, 50), z50)
  // 2^254 - 10 = (2^250 - 1) * 16 + 6.
  return times(squared(z250, 4), times(squared(z2, 1), 1n)) === 1n
}

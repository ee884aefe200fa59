// Keccak-f[1600] with lanes as pairs of 32-bit words, low word first. Source: FIPS 202 section 3, and the Keccak
// reference for the padding byte 0x01 that Ethereum kept.

const RATE_BYTES = 136
const ROUNDS = 24

/** Where pi moves the lane at x + 5y: to (y, 2x + 3y). */
const PI = Uint32Array.from({ length: 25 }, (_, lane) => {
  const [x, y] = [lane % 5, Math.floor(lane / 5)]
  return y + 5 * ((2 * x + 3 * y) % 5)
})
const RHO = rotations()
const IOTA = roundConstants()

/** Keccak-256 as Ethereum uses it (not SHA3-256: the padding differs). About 10 us for a short input on Node 26. */
export function keccak256(input: Uint8Array): Uint8Array {
  const state = new Uint32Array(50)
  const columns = new Uint32Array(10)
  const moved = new Uint32Array(50)
  const padded = new Uint8Array((Math.floor(input.length / RATE_BYTES) + 1) * RATE_BYTES)
  padded.set(input)
  padded[input.length] = 0x01
  padded[padded.length - 1] = (padded.at(-1) ?? 0) | 0x80
  const words = new DataView(padded.buffer)
  for (let block = 0; block < padded.length; block += RATE_BYTES) {
    for (let word = 0; word < RATE_BYTES / 4; word += 1) {
      state[word] = at(state, word) ^ words.getUint32(block + word * 4, true)
    }
    permute(state, columns, moved)
  }
  const output = new DataView(new ArrayBuffer(32))
  for (let word = 0; word < 8; word += 1) output.setUint32(word * 4, at(state, word), true)
  return new Uint8Array(output.buffer)
}

function permute(state: Uint32Array, columns: Uint32Array, moved: Uint32Array): void {
  for (let round = 0; round < ROUNDS; round += 1) {
    theta(state, columns)
    for (let lane = 0; lane < 25; lane += 1) {
      const to = at(PI, lane) * 2
      const places = at(RHO, lane)
      const low = at(state, lane * 2)
      const high = at(state, lane * 2 + 1)
      moved[to] = rotatedLow(low, high, places)
      moved[to + 1] = rotatedLow(high, low, places)
    }
    for (let row = 0; row < 50; row += 10) chi(state, moved, row)
    state[0] = at(state, 0) ^ at(IOTA, round * 2)
    state[1] = at(state, 1) ^ at(IOTA, round * 2 + 1)
  }
}

function chi(state: Uint32Array, moved: Uint32Array, row: number): void {
  for (let word = 0; word < 10; word += 1) {
    const next = at(moved, row + ((word + 2) % 10))
    const afterNext = at(moved, row + ((word + 4) % 10))
    state[row + word] = at(moved, row + word) ^ (~next & afterNext)
  }
}

function theta(state: Uint32Array, columns: Uint32Array): void {
  for (let word = 0; word < 10; word += 1) {
    columns[word] =
      at(state, word) ^
      at(state, word + 10) ^
      at(state, word + 20) ^
      at(state, word + 30) ^
      at(state, word + 40)
  }
  for (let x = 0; x < 5; x += 1) {
    const before = ((x + 4) % 5) * 2
    const after = ((x + 1) % 5) * 2
    const low = at(columns, after)
    const high = at(columns, after + 1)
    const mixLow = at(columns, before) ^ rotatedLow(low, high, 1)
    const mixHigh = at(columns, before + 1) ^ rotatedLow(high, low, 1)
    for (let word = x * 2; word < 50; word += 10) {
      state[word] = at(state, word) ^ mixLow
      state[word + 1] = at(state, word + 1) ^ mixHigh
    }
  }
}

/** The low word of a 64-bit lane turned left by 0 to 63 places; with the words exchanged, the high one. */
function rotatedLow(low: number, high: number, places: number): number {
  const near = places < 32 ? low : high
  const far = places < 32 ? high : low
  const shift = places & 31
  return shift === 0 ? near : (near << shift) | (far >>> (32 - shift))
}

/** The triangular numbers modulo 64 along the path (x, y) -> (y, 2x + 3y), starting at (1, 0). */
function rotations(): Uint32Array {
  const places = new Uint32Array(25)
  let lane = 1
  for (let step = 0; step < 24; step += 1) {
    places[lane] = (((step + 1) * (step + 2)) / 2) % 64
    lane = at(PI, lane)
  }
  return places
}

/** Bits 2^j - 1 of each round's constant come from a linear feedback shift register, x^8 + x^6 + x^5 + x^4 + 1. */
function roundConstants(): Uint32Array {
  const constants = new Uint32Array(ROUNDS * 2)
  let register = 1
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let j = 0; j <= 6; j += 1) {
      const bit = 2 ** j - 1
      const word = round * 2 + (bit >= 32 ? 1 : 0)
      if (register & 1) constants[word] = at(constants, word) | (1 << (bit % 32))
      register = register & 0x80 ? (register << 1) ^ 0x171 : register << 1
    }
  }
  return constants
}

/** An element that is there by construction. */
function at(list: Uint32Array, index: number): number {
  return list[index] ?? 0
}

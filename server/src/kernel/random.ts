import { randomBytes, randomFillSync } from 'node:crypto'

/** Unpredictable bytes, handed in so that a simulation can be replayed by seed. */
export interface Random {
  bytes(length: number): Uint8Array
}

/** Drawn from the system at once: each draw of its own costs 3 us, and every request has an id. */
const pool = Buffer.alloc(4_096)
/** What is longer, such as keys, is drawn by itself. */
const POOLED_BYTES_MAX = 24
let used = pool.length

export const systemRandom: Random = {
  bytes: (length) => {
    if (length > POOLED_BYTES_MAX) return new Uint8Array(randomBytes(length))
    if (used + length > pool.length) {
      randomFillSync(pool)
      used = 0
    }
    const drawn = new Uint8Array(pool.subarray(used, used + length))
    // Nobody finds here later what an id or a nonce was made of.
    pool.fill(0, used, used + length)
    used += length
    return drawn
  },
}

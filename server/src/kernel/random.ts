import { randomBytes } from 'node:crypto'

/** Unpredictable bytes, handed in so that a simulation can be replayed by seed. */
export interface Random {
  bytes(length: number): Uint8Array
}

export const systemRandom: Random = { bytes: (length) => new Uint8Array(randomBytes(length)) }

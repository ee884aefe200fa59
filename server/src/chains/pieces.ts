import type { Block, TransactionHash } from './chain.ts'

/** Blocks of which pieces are kept for one reader of a network: as many as one read of full blocks holds. What 40,000 transfers of a block are takes 10 MB. */
const BLOCKS_MAX = 8

/**
 * What was read of blocks that are too long for one answer, piece by piece. Where a piece fails, as behind a provider that limits requests, the next round goes on from
 * there: begun anew each time, a block of 10,000 transactions would never be read, and cost thousands of requests a round.
 */
export interface Pieces<Piece> {
  /** The pieces of a block that were read, by their number; to be added to. Of who asks over this transport, and for exactly these transactions. */
  of(
    transport: object,
    block: Pick<Block, 'hash'>,
    hashes: readonly TransactionHash[],
  ): Map<number, Piece>
}

/** Keeps the pieces of a few blocks for one reader, the ones last asked for; those of a transport that nobody has any more go with it. */
export function openPieces<Piece>(): Pieces<Piece> {
  const kept = new WeakMap<object, Map<string, Map<number, Piece>>>()
  return {
    of: (transport, { hash }, hashes) => {
      const blocks = kept.get(transport) ?? new Map<string, Map<number, Piece>>()
      kept.set(transport, blocks)
      const key = [hash, hashes.length, hashes[0], hashes.at(-1)].join(' ')
      const pieces = blocks.get(key) ?? new Map<number, Piece>()
      // To the end: the first one is the one that nobody asked for the longest.
      blocks.delete(key)
      blocks.set(key, pieces)
      for (const oldest of blocks.keys()) if (blocks.size > BLOCKS_MAX) blocks.delete(oldest)
      return pieces
    },
  }
}

/**
 * Reads something of many transactions, so many at once, and gives the pieces in their order. What was read before is not asked for again. Undefined, with nothing kept, as soon
 * as one piece is: the chain has left the block. Throws what the first piece that fails throws.
 */
export async function readInPieces<Piece>(
  hashes: readonly TransactionHash[],
  atOnce: number,
  pieces: Map<number, Piece>,
  read: (few: readonly TransactionHash[]) => Promise<Piece | undefined>,
): Promise<readonly Piece[] | undefined> {
  const all: Piece[] = []
  for (let from = 0; from < hashes.length; from += atOnce) {
    const piece = pieces.get(from) ?? (await read(hashes.slice(from, from + atOnce)))
    if (piece === undefined) {
      pieces.clear()
      return undefined
    }
    pieces.set(from, piece)
    all.push(piece)
  }
  return all
}

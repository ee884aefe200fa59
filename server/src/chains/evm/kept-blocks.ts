import { limits } from '../../kernel/limits.ts'
import type { Block } from '../chain.ts'
import { fieldsFrom } from '../json-rpc/answer.ts'
import type { Fields } from '../json-rpc/answer.ts'
import type { ReadBlock } from '../next-blocks.ts'
import { logsToldBy } from './block-logs.ts'
import type { LogsTold } from './block-logs.ts'

/** What a node has shown of a block with all of its transactions. */
export interface WholeBlock {
  readonly block: Block
  readonly told: LogsTold
  readonly transactions: readonly Fields[]
}

/**
 * The blocks that were read last with all of their transactions, by their hash, so that nobody who reads the same block is asked for a call of its own: what came to
 * wallets, what was built here, and the markets. A hash is of one block only, so none of it is ever old.
 */
export interface KeptBlocks {
  keep(whole: WholeBlock): void
  of(block: Pick<Block, 'hash'>): WholeBlock | undefined
  forget(block: Pick<Block, 'hash'>): void
  /** The blocks above one that was read up to a head, in order: where each that lies between is kept. Undefined where one is not, or the head is of another branch. */
  between(read: ReadBlock, head: Block): readonly Block[] | undefined
}

/** Of one network. Bounded by blocks, and by the length of what their transactions say, which whoever fills a block decides. */
export function openKeptBlocks(): KeptBlocks {
  const kept = new Map<string, { readonly whole: WholeBlock; readonly characters: number }>()
  let characters = 0

  function forget({ hash }: Pick<Block, 'hash'>): void {
    characters -= kept.get(hash)?.characters ?? 0
    kept.delete(hash)
  }

  return {
    forget,
    of: ({ hash }) => kept.get(hash)?.whole,
    keep: (whole) => {
      forget(whole.block)
      const length = charactersOf(whole)
      if (length > limits.keptBlockCharactersMax) return
      kept.set(whole.block.hash, { whole, characters: length })
      characters += length
      for (const hash of kept.keys()) {
        if (kept.size <= limits.keptBlocksMax && characters <= limits.keptBlockCharactersMax) break
        forget({ hash })
      }
    },
    between: (read, head) => {
      const down: Block[] = [head]
      for (let low = head; low.parentHash !== read.blockHash;) {
        const below = kept.get(low.parentHash)?.whole.block
        // Height by height, so that no block that says it is its own parent is followed without an end.
        if (below === undefined || below.height !== low.height - 1n) return undefined
        if (below.height <= read.height) return undefined
        down.push(below)
        low = below
      }
      return down.at(-1)?.height === read.height + 1n ? down.toReversed() : undefined
    },
  }
}

/** Of the small fields of a transaction, generously. */
const CHARACTERS_BESIDE = 1_000

/** Each field counts: some chains have lists of calls and signatures beside the call data, as long as whoever signs makes them. */
function charactersOf({ transactions }: WholeBlock): number {
  return transactions.reduce(
    (all, fields) =>
      Object.values(fields).reduce<number>((most, each) => most + lengthOf(each), all) +
      CHARACTERS_BESIDE,
    0,
  )
}

function lengthOf(field: unknown): number {
  if (typeof field === 'string') return field.length
  return typeof field === 'object' && field !== null ? JSON.stringify(field).length : 0
}

/** What a block's answer with whole transactions is. Throws NodeFailure. */
export function wholeBlockOf(
  block: Block,
  fields: Fields,
  transactions: readonly unknown[],
): WholeBlock {
  return {
    block,
    told: logsToldBy(fields),
    transactions: transactions.map((each) => fieldsFrom(each, 'transaction')),
  }
}

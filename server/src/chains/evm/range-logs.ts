import type { Clock } from '../../kernel/clock.ts'
import { hasLeft } from '../../kernel/has-left.ts'
import { limits } from '../../kernel/limits.ts'
import { NodeFailure } from '../chain.ts'
import type { Block } from '../chain.ts'
import { fieldsFrom, listFrom } from '../json-rpc/answer.ts'
import type { Fields } from '../json-rpc/answer.ts'
import type { Read, Transport } from '../json-rpc/transport.ts'
import { wordFrom } from './answer.ts'
import type { LogsTold } from './block-logs.ts'
import { hexQuantity } from './hex.ts'
import { mayHold, saysOfLogs } from './logs-bloom.ts'

/** The logs of a block that a question for several has shown. */
export interface BlockLogs<Found> {
  readonly isEmpty: boolean
  readonly found: readonly Found[]
}

/** Which logs are asked for, and what each of them is to the asker. */
export interface AskedLogs<Found> {
  readonly filter: { readonly address?: readonly string[]; readonly topics: readonly unknown[] }
  found(log: Fields, block: Block): readonly Found[]
}

/** Asks for the logs of several blocks at once. */
export interface RangeLogs {
  /**
   * What one question says of a block's logs, for those of the blocks that it is asked for; undefined, now or then, where the block has to be asked for by itself. `chain` are blocks in
   * order, with these among them: those are asked for together of which each builds on the one before. Throws nothing for a node.
   */
  read<Found>(
    blocks: readonly Block[],
    chain: readonly Block[],
    asked: AskedLogs<Found>,
  ): (block: Block) => Promise<BlockLogs<Found> | undefined> | undefined
}

/**
 * One question for the logs of a range instead of one for each block. A range is asked for by heights, so who answers may be behind, or on another branch, and says neither: it is an
 * answer as far up as it shows a log of a block that is ours by its hash, since a block is of one chain down to the first. Of those blocks it says as much as a question by their hash
 * would. A log of any other block makes it none, and so do very many: some nodes leave out what is more than they give. Nodes that give no ranges, or shorter ones, are asked by hash for a while.
 */
export function openRangeLogs(
  transport: Pick<Transport, 'read'>,
  clock: Pick<Clock, 'nowMilliseconds'>,
): RangeLogs {
  let refusedUntil = 0

  async function answerOf<Value>(read: Read<Value | 'refused'>): Promise<Value | undefined> {
    try {
      const answer = await transport.read(read)
      return answer === 'refused' ? undefined : answer
    } catch (error) {
      if (!(error instanceof NodeFailure)) throw error
      return undefined
    }
  }

  async function readRun<Found>(
    run: readonly Block[],
    asked: AskedLogs<Found>,
  ): Promise<ReadonlyMap<string, BlockLogs<Found>>> {
    const logs = await answerOf(rangeRead(run, asked))
    if (logs === undefined) {
      refusedUntil = clock.nowMilliseconds() + limits.logRangePauseMilliseconds
      return new Map()
    }
    // Who gives no more than so many gives so many, and not the rest.
    if (logs.length >= limits.logRangeLogsMax) return new Map()
    const ofBlock = Map.groupBy(logs, ({ blockHash }) => blockHash)
    const known = new Set(run.map(({ hash }) => hash))
    if ([...ofBlock.keys()].some((hash) => !known.has(hash))) return new Map()
    const top = run.findLastIndex(({ hash }) => ofBlock.has(hash))
    return new Map(
      run.slice(0, top + 1).map(({ hash }) => {
        const shown = ofBlock.get(hash) ?? []
        return [hash, { isEmpty: shown.length === 0, found: shown.flatMap((log) => log.found) }]
      }),
    )
  }

  return {
    read: (blocks, chain, asked) => {
      if (hasLeft(refusedUntil, clock.nowMilliseconds(), limits.logRangePauseMilliseconds))
        return () => undefined
      const wanted = new Set(blocks.map(({ hash }) => hash))
      const runs = runsOf(chain)
        .map((run) => trimmed(run, wanted))
        .filter((run) => run.length > 1)
      const answers = new Map(
        runs.flatMap((run) => {
          const answer = readRun(run, asked)
          return run.map(({ hash }) => [hash, answer] as const)
        }),
      )
      return ({ hash }) => answers.get(hash)?.then((logs) => logs.get(hash))
    },
  }
}

/**
 * Whether a block's filter excludes what is wanted, so that nobody needs to be asked by its hash: it has something in it, as only a chain's own that fills them has, and none of these. Where nothing stands in
 * it, or everything, it says nothing here: a chain may not fill it.
 */
export function excludes({ bloom }: LogsTold, anyOf: readonly (readonly Uint8Array[])[]): boolean {
  if (bloom === undefined || saysOfLogs(bloom) !== 'some') return false
  return !anyOf.some((items) => mayHold(bloom, items))
}

/** Parts of which each block builds on the one before it. */
function runsOf(chain: readonly Block[]): readonly (readonly Block[])[] {
  const runs: Block[][] = []
  for (const block of chain) {
    const below = runs.at(-1)?.at(-1)
    const isNext = below?.hash === block.parentHash && below.height + 1n === block.height
    if (isNext) runs.at(-1)?.push(block)
    else runs.push([block])
  }
  return runs
}

/** From the first block that is wanted to the last. */
function trimmed(run: readonly Block[], wanted: ReadonlySet<string>): readonly Block[] {
  const isWanted = ({ hash }: Block) => wanted.has(hash)
  const first = run.findIndex(isWanted)
  return first === -1 ? [] : run.slice(first, run.findLastIndex(isWanted) + 1)
}

interface RangeLog<Found> {
  readonly blockHash: string
  readonly found: readonly Found[]
}

function rangeRead<Found>(
  run: readonly Block[],
  { filter, found }: AskedLogs<Found>,
): Read<readonly RangeLog<Found>[] | 'refused'> {
  const byHash = new Map(run.map((block) => [block.hash, block]))
  const [from, to] = [run[0]?.height ?? 0n, run.at(-1)?.height ?? 0n]
  return {
    method: 'eth_getLogs',
    params: [{ fromBlock: hexQuantity(from), toBlock: hexQuantity(to), ...filter }],
    parse: (result) =>
      listFrom(result, 'logs').map((each) => {
        const log = fieldsFrom(each, 'log')
        const blockHash = wordFrom(log['blockHash'], "log's block")
        const block = byHash.get(blockHash)
        return { blockHash, found: block === undefined ? [] : found(log, block) }
      }),
    // Whoever refuses is asked by hash, and need not be asked twice before.
    meaning: () => 'refused',
  }
}

import type { MarketConfig } from '../../../kernel/network-config.ts'
import type { Address, Block } from '../../chain.ts'
import type { MarketFact, MarketPlace, MarketReader } from '../../market.ts'
import type { Transport } from '../../json-rpc/transport.ts'
import type { VenueName } from '../../venue.ts'
import { requireAddress } from '../account.ts'
import { blocksInReads } from '../blocks-in-reads.ts'
import { logsBehindNone } from '../block-logs.ts'
import type { LogsTold } from '../block-logs.ts'
import type { KeptBlocks } from '../kept-blocks.ts'
import { excludes } from '../range-logs.ts'
import type { RangeLogs } from '../range-logs.ts'
import { openKnownPools } from './known-pools.ts'
import type { KnownPools, QuotePool } from './known-pools.ts'
import {
  logFrom,
  logsToldRead,
  marketLogsRead,
  signerRead,
  wantedMarketLogs,
} from './market-log.ts'
import type { MarketLog } from './market-log.ts'
import { V2_POOLS, V3_POOLS } from './pool-logs.ts'
import type { PoolKind } from './pool-logs.ts'

interface Followed {
  readonly venue: VenueName
  readonly factory: Address
  readonly kind: PoolKind
  readonly pools: KnownPools
}

/** What whoever follows the payments of the network has read of the same blocks, and how several are asked for their logs at once. */
export interface SharedReads {
  readonly wholes?: KeptBlocks
  readonly ranges?: RangeLogs
  /** What a block's filter excludes need not be asked for; left out, it is. */
  readonly isFiltered?: boolean
}

/** Reads pool creations, swaps and reserves of the configured factories' pools with the wrapped native currency,
 * and what those with a hub show. */
export function openMarketReader(
  transport: Transport,
  markets: readonly MarketConfig[],
  shared: SharedReads = {},
): MarketReader {
  const followed = markets.flatMap((market) => followedOf(transport, market))
  const topics = [
    ...new Set(followed.flatMap(({ kind }) => [kind.createdTopic, ...kind.poolTopics])),
  ]

  async function readSome(
    blocks: readonly Block[],
    chain: readonly Block[],
  ): Promise<readonly MarketFact[] | undefined> {
    const logs = await readLogs({ transport, ...shared }, blocks, chain, topics)
    if (logs === undefined) return undefined
    const found = await Promise.all(followed.map((each) => factsOf(each, logs)))
    const facts = found.flat()
    const unsigned = facts.filter((each) => each.isSigned)
    const signers = new Map(
      await Promise.all(
        unsigned.map(
          async ({ log }) => [log.transactionHash, await transport.read(signerRead(log))] as const,
        ),
      ),
    )
    const order = new Map(blocks.map(({ hash }, index) => [hash, index]))
    const signed = facts.map((each) => {
      if (!each.isSigned) return each.fact
      const signer = signers.get(each.log.transactionHash)
      return signer === undefined ? undefined : each.fact(signer)
    })
    if (signed.includes(undefined)) return undefined
    return signed
      .flatMap((fact) => fact ?? [])
      .toSorted(
        (a, b) =>
          (order.get(a.blockHash) ?? 0) - (order.get(b.blockHash) ?? 0) ||
          a.effectIndex - b.effectIndex,
      )
  }

  return {
    read: async (blocks) => {
      const facts: MarketFact[] = []
      for (const part of blocksInReads(blocks)) {
        const some = await readSome(part, blocks)
        if (some === undefined) return undefined
        facts.push(...some)
      }
      return facts
    },
  }
}

function followedOf(transport: Transport, market: MarketConfig): readonly Followed[] {
  switch (market.venue) {
    case 'uniswap-v2':
    case 'uniswap-v3': {
      const { venue } = market
      const kind = venue === 'uniswap-v2' ? V2_POOLS : V3_POOLS
      const factory = requireAddress(market.factory)
      const wrapped = requireAddress(market.wrappedNative)
      const hubs = (market.hubs ?? []).map(requireAddress)
      const pools = openKnownPools(transport, { kind, factory, wrapped, hubs })
      return [{ venue, factory, kind, pools }]
    }
    // Those of the other family.
    case 'rfq':
    case 'jupiter':
    case 'module':
      return []
    default:
      return market satisfies never
  }
}

/** Undefined where one of the blocks is not there. */
async function readLogs(
  {
    transport,
    wholes,
    ranges,
    isFiltered = false,
  }: SharedReads & { readonly transport: Transport },
  blocks: readonly Block[],
  chain: readonly Block[],
  topics: readonly string[],
): Promise<readonly MarketLog[] | undefined> {
  const ranged =
    blocks.length < 2
      ? undefined
      : ranges?.read(blocks, chain, {
          filter: { topics: [topics] },
          found: (log, block) => [logFrom(log, block)],
        })
  const says = blocks.map(
    async (block) => wholes?.of(block)?.told ?? (await transport.read(logsToldRead(block))),
  )
  const logsOf = async (block: Block, told: Promise<LogsTold | undefined> | undefined) => {
    const asked = ranged?.(block)
    if (asked !== undefined) {
      const shown = await asked
      if (shown !== undefined) return shown.found
      const its = await told
      if (its === undefined) return []
      if (isFiltered && excludes(its, wantedMarketLogs(block, topics).anyOf)) return []
    }
    return transport.read(marketLogsRead(block, topics))
  }
  const [told, logged] = await Promise.allSettled([
    Promise.all(says),
    Promise.all(blocks.map((block, index) => logsOf(block, says[index]))),
  ])
  if (told.status === 'rejected') throw told.reason
  // Where a block is not there, an error about its logs says no more.
  if (told.value.includes(undefined)) return undefined
  if (logged.status === 'rejected') throw logged.reason
  const shown = logged.value
  const all = blocks.map(async (block, index): Promise<readonly MarketLog[]> => {
    const [logs = [], its] = [shown[index], told.value[index]]
    if (logs.length > 0 || its === undefined) return logs
    return await logsBehindNone(transport, block, its, wantedMarketLogs(block, topics))
  })
  return (await Promise.all(all)).flat()
}

type Seen =
  | {
      readonly isSigned: true
      readonly log: MarketLog
      /** The fact, once it is known who signed its transaction. */
      fact(signer: Address): MarketFact
    }
  /** Who signed does not matter, and is not asked. */
  | { readonly isSigned: false; readonly fact: MarketFact }

async function factsOf(
  { venue, factory, kind, pools }: Followed,
  logs: readonly MarketLog[],
): Promise<readonly Seen[]> {
  const opened = logs.flatMap((log): readonly Seen[] => {
    if (log.address !== factory || log.topics[0] !== kind.createdTopic) return []
    const made = kind.madePool(log)
    const quoted = made && pools.note(made)
    if (made === undefined || quoted === undefined || quoted.hub !== null) return []
    const opening = { kind: 'opened', ...placeOf(venue, log), mint: quoted.mint } as const
    const fact = (creator: Address) => ({ ...opening, market: made.pool, creator })
    return [{ isSigned: true, log, fact }]
  })
  const written = logs.filter(({ topics: [topic = ''] }) => kind.poolTopics.includes(topic))
  const heights = written.map(({ block }) => block.height)
  await pools.learn(
    written.map(({ address }) => address),
    heights.reduce((most, height) => (height > most ? height : most), 0n),
  )
  const happened = written.flatMap((log) => {
    const pool = pools.get(log.address)
    return pool === undefined ? [] : poolFact(venue, kind, pool, log)
  })
  return [...opened, ...happened]
}

function poolFact(
  venue: VenueName,
  kind: PoolKind,
  { mint, hub, isQuoteFirst }: QuotePool,
  log: MarketLog,
): readonly Seen[] {
  const event = kind.event(log)
  if (event === undefined) return []
  const place = { ...placeOf(venue, log), mint, market: log.address }
  const isHeld = event.kind === 'sync'
  const [first, second] = isHeld ? event.held : event.moved
  const [native, token] = isQuoteFirst ? [first, second] : [second, first]
  // A loan that is paid back in kind, or a gift to the pool: nothing was traded for anything.
  const isTrade = native !== 0n && token !== 0n && native > 0n !== token > 0n
  if (!isHeld && !isTrade) return []
  if (hub !== null) {
    if (!isHeld && kind.showsReserves) return []
    const amounts = { hubAmount: abs(native), tokenAmount: abs(token), isHeld }
    return [{ isSigned: false, fact: { kind: 'hub', ...place, hub, ...amounts } }]
  }
  if (isHeld) {
    const reserves = { kind: 'reserves', ...place, native, token } as const
    return [{ isSigned: true, log, fact: () => reserves }]
  }
  const trade = {
    kind: 'trade',
    ...place,
    side: native > 0n ? 'buy' : 'sell',
    nativeAmount: abs(native),
    tokenAmount: abs(token),
  } as const
  return [{ isSigned: true, log, fact: (trader) => ({ ...trade, trader }) }]
}

function abs(value: bigint): bigint {
  return value < 0n ? -value : value
}

function placeOf(venue: VenueName, { block, transactionHash, logIndex }: MarketLog): MarketPlace {
  const { height, hash, timeMilliseconds } = block
  return {
    venue,
    transactionHash,
    height,
    blockHash: hash,
    timeMilliseconds,
    effectIndex: logIndex,
  }
}

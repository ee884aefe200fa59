import { NodeFailure } from '../chains/chain.ts'
import type { Address, Block, Chain, HistoryLook, TransactionHash } from '../chains/chain.ts'
import { baseUnits } from '@florin/wire/amount.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import { scriptedChain } from './test-chain.ts'

const LIFETIME_BLOCKS = 150
const FINAL_DEPTH = 32
const LAG_BLOCKS_MAX = 40

/** Numbers between 0 and 1, the same for the same seed. */
export type Chance = () => number

interface Attempt {
  readonly place: string
  readonly lifetime: number
  /** Where it is on the chain now. */
  height: number | undefined
}

/** A model of a chain whose transactions live for 150 blocks: they land late, on forks that go away, or never, and nodes lag and fail. */
export interface ExpiringChain {
  readonly chain: Chain
  /** Blocks pass, things land, a fork may begin or be replaced. */
  advance(blocks: number): void
  /** The height below which nothing changes any more. */
  finalized(): number
  /** How many attempts of each place stand on the chain. */
  effects(): ReadonlyMap<string, number>
}

export function openExpiringChain(config: NetworkConfig, chance: Chance): ExpiringChain {
  const attempts = new Map<string, Attempt>()
  const flying = new Set<string>()
  const blocks: { hash: string; landed: string[] }[] = []
  let fork = 0
  let forkedFrom: number | undefined
  let made = 0
  const top = () => blocks.length - 1
  const finalized = () => Math.max(0, Math.min(top() - FINAL_DEPTH, (forkedFrom ?? Infinity) - 1))

  function mine(): void {
    const height = blocks.length
    const landed: string[] = []
    for (const hash of flying) {
      const attempt = attempts.get(hash)
      if (attempt === undefined || height > attempt.lifetime) continue
      if (attempt.height !== undefined || chance() > 0.01) continue
      attempt.height = height
      landed.push(hash)
    }
    blocks.push({ hash: `${fork}:${height}`, landed })
  }

  /** The blocks above give way to others; what landed there is in flight again. */
  function replace(from: number): void {
    const gone = blocks.splice(from)
    for (const hash of gone.flatMap(({ landed }) => landed)) {
      const attempt = attempts.get(hash)
      if (attempt !== undefined) attempt.height = undefined
    }
    fork += 1
    for (let count = 0; count <= gone.length; count += 1) mine()
  }

  const blockAt = (height: number): Block => ({
    height: BigInt(height),
    hash: blocks[height]?.hash ?? '',
    parentHash: blocks[height - 1]?.hash ?? 'genesis',
    timeMilliseconds: 0,
    transactionHashes: (blocks[height]?.landed ?? []) as TransactionHash[],
  })

  const look = (node: string, hash: string, at: number): HistoryLook => {
    const height = attempts.get(hash)?.height
    const found = height !== undefined && height <= at
    const final = BigInt(Math.min(finalized(), at - FINAL_DEPTH))
    return { node, finalizedHeight: final, height: final, found }
  }

  for (let count = 0; count < FINAL_DEPTH * 2; count += 1) mine()
  const chain = scriptedChain(config, {
    renewal: {
      kind: 'lifetime',
      lifetimeOf: (terms) => BigInt(terms['lastValidBlockHeight'] ?? '0'),
      lookBack: async (hashes) => {
        const nodes = ['one', 'two'].filter(() => chance() > 0.3)
        if (nodes.length === 0) throw new NodeFailure('no node answered')
        const views = nodes.map((node) => ({
          node,
          at: top() - Math.floor(chance() * LAG_BLOCKS_MAX),
        }))
        return hashes.map((hash) => views.map(({ node, at }) => look(node, hash, at)))
      },
      deadFrom: async (asked) =>
        asked.map(({ raw, sinceHeight }) => {
          const hash = new TextDecoder().decode(raw)
          const lifetime = attempts.get(hash)?.lifetime ?? Number(hash.split(' ')[1])
          const slots = ['one', 'two'].map(() => {
            if (chance() < 0.2) return undefined
            const at = Math.min(
              finalized(),
              top() - FINAL_DEPTH - Math.floor(chance() * LAG_BLOCKS_MAX),
            )
            return at > lifetime && at >= Number(sinceHeight) ? BigInt(at) : undefined
          })
          if (slots.includes(undefined)) return undefined
          return slots.reduce((most, slot) => ((slot ?? 0n) > (most ?? 0n) ? slot : most), 0n)
        }),
    },
    renew: async (terms) => ({
      ...terms,
      lastValidBlockHeight: String(top() + LIFETIME_BLOCKS),
    }),
    sign: async (terms) => {
      made += 1
      const hash = `next-${made}` as TransactionHash
      const lifetime = Number(terms['lastValidBlockHeight'])
      attempts.set(hash, { place: terms['place'] ?? '', lifetime, height: undefined })
      return { hash, raw: new TextEncoder().encode(hash) }
    },
    broadcast: async (raws) =>
      raws.map((raw) => {
        const hash = new TextDecoder().decode(raw)
        // First attempts are known by their bytes: `place lifetime`.
        const [place = '', lifetime] = hash.split(' ')
        if (!attempts.has(hash))
          attempts.set(hash, { place, lifetime: Number(lifetime), height: undefined })
        if (chance() > 0.6) flying.add(hash)
        return { kind: 'unknown', reason: 'nobody said' }
      }),
    head: async () => ({
      height: BigInt(top()),
      hash: blockAt(top()).hash,
      finalizedHeight: BigInt(finalized()),
    }),
    blocks: async (from, count) =>
      Array.from({ length: count }, (_, index) => Number(from) + index)
        .filter((height) => height <= top())
        .map(blockAt),
    outcomes: async (hashes) =>
      hashes.map((hash) => {
        const height = attempts.get(hash)?.height
        if (height === undefined) return { state: 'absent' }
        const seen = { height: BigInt(height), blockHash: blockAt(height).hash }
        return { ...seen, state: 'mined', succeeded: true, feePaid: baseUnits(1n), transfers: [] }
      }),
  })

  return {
    chain,
    finalized,
    advance: (count) => {
      for (let passed = 0; passed < count; passed += 1) mine()
      if (forkedFrom === undefined && chance() < 0.3) {
        forkedFrom = top() - Math.floor(chance() * 8)
      } else if (forkedFrom !== undefined) {
        replace(forkedFrom)
        forkedFrom = undefined
      }
    },
    effects: () => {
      const count = new Map<string, number>()
      for (const { place, height } of attempts.values()) {
        if (height !== undefined) count.set(place, (count.get(place) ?? 0) + 1)
      }
      return count
    },
  }
}

/** What the model's places are sent from. */
export const EXPIRING_SENDER = 'Sender1111111111111111111111111111111111111' as Address

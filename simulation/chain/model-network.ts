import type { Address, TransactionHash, Verdict } from '@florin/server/chains/chain.ts'
import { NodeFailure } from '@florin/server/chains/chain.ts'
import { jointVerdict } from '@florin/server/chains/json-rpc/broadcast.ts'
import type { Dice } from '../dice.ts'
import { authorizationKey } from './authorization.ts'
import { isOutside, line, openBlockTree, SOURCE } from './block-tree.ts'
import type { BlockTree, Manner, ModelBlock } from './block-tree.ts'
import type { Rules, Surroundings } from './rules.ts'
import type { HeardTransfer } from './signed-transfer.ts'

export const BASE_FEE = 100n
const BLOCK_TRANSFERS_MAX = 6

/** One node: what it takes for the chain, and what waits there. */
export interface ModelNode {
  readonly name: string
  tip: ModelBlock
  final: ModelBlock
  readonly pool: Map<TransactionHash, HeardTransfer>
  /** Answers nothing. */
  isDown: boolean
  /** Answers, and hears of no new block. */
  isStuck: boolean
  /** Its look into the history does not know what was included more lately than this. */
  indexLagMilliseconds: number
}

/** How badly the network treats transactions: probabilities. */
export interface Weather {
  /** A node does not hear it. */
  unheard: number
  /** A node takes it and its answer is lost. */
  unanswered: number
  /** A block takes bytes that some node once heard and every node has forgotten. */
  resurfaces: number
}

/** A network of two nodes and a miner. The miner knows all bytes that any node ever heard, and may use them at any time. */
export interface ModelNetwork {
  readonly tree: BlockTree
  readonly nodes: readonly ModelNode[]
  best(): ModelBlock
  final(): ModelBlock
  /** Authorizations that had paid when a reorg took their block back, see `authorizationKey`. */
  readonly takenBack: ReadonlySet<string>
  /** Whether a reorg has taken a deposit back for good. */
  hasLostDeposits(): boolean
  /** What somebody else has signed with a wallet's key. */
  readonly strangers: readonly HeardTransfer[]
  baseFee: bigint
  weather: Weather
  /** One more block; `fill` is the share of what it could hold that it holds. */
  mine(nowMilliseconds: number, fill: number): void
  /** Other blocks take the place of the newest `depth`, never of final ones. */
  reorg(depth: number, nowMilliseconds: number): void
  /** Final is what lies at least `lag` blocks below the best. */
  finalize(lag: number): void
  /** Nodes that are not stuck take over the best chain. */
  spread(): void
  /** A node forgets what waits there, as after a restart. */
  forget(node: ModelNode): void
  /** Somebody else's transaction; every node hears of it. */
  inject(transfer: HeardTransfer): void
  /** Strangers send again what every node has forgotten: a place that they have taken is not free because of a reorg. */
  insist(): void
  /** Hands bytes to every node; the joint verdict as the service's own transport makes it. */
  broadcast(transfer: HeardTransfer): Verdict
  /** A node that answers and has at least this height, the one asked last more often than another. */
  node(heightAtLeast: bigint): ModelNode
}

export function openModelNetwork({
  network,
  rules,
  dice,
  state,
  mannerOf,
  takesMore,
  skipsHeights,
}: {
  network: string
  rules: Rules
  dice: Dice
  state: ReadonlyMap<string, bigint>
  mannerOf: (address: Address) => Manner
  /** Of each third place of a lane more than is held for it. */
  takesMore: boolean
  /** Solana's heights are slots, and some stay empty. */
  skipsHeights: boolean
}): ModelNetwork {
  const tree = openBlockTree(network, state, mannerOf, takesMore)
  const heard = new Map<TransactionHash, HeardTransfer>()
  const deposits = new Map<TransactionHash, HeardTransfer>()
  const strangers: HeardTransfer[] = []
  const takenBack = new Set<string>()
  let hasLostDeposits = false
  let best = tree.first
  let final = tree.first
  let preferred = 0
  const nodes = [1, 2].map((number): ModelNode => ({
    name: `node ${number}`,
    tip: best,
    final,
    pool: new Map(),
    isDown: false,
    isStuck: false,
    indexLagMilliseconds: 0,
  }))

  const after = (parent: ModelBlock): Surroundings => ({
    height: parent.height + (skipsHeights && dice.chance(0.2) ? 2n : 1n),
    baseFee: model.baseFee,
  })

  /** A block on any parent, filled with whatever the rules let in, in any order. */
  function grow(parent: ModelBlock, nowMilliseconds: number, fill: number): ModelBlock {
    const next = after(parent)
    const facts = { height: next.height, timeMilliseconds: nowMilliseconds }
    const waiting = new Map(deposits)
    for (const { pool } of nodes) for (const entry of pool) waiting.set(...entry)
    if (dice.chance(model.weather.resurfaces)) for (const entry of heard) waiting.set(...entry)
    const open = dice
      .shuffled([...waiting.values()])
      .filter(({ hash }) => tree.find(parent, hash) === undefined)
    const chosen: HeardTransfer[] = []
    while (chosen.length < BLOCK_TRANSFERS_MAX && dice.chance(fill)) {
      const state = tree.preview(parent, chosen, nowMilliseconds)
      const fit = open.findIndex((transfer) => rules.admits(transfer, state, next))
      if (fit === -1) break
      chosen.push(...open.splice(fit, 1))
    }
    return tree.append(parent, chosen, facts)
  }

  function spread(): void {
    for (const node of nodes) {
      if (node.isStuck) continue
      node.tip = best
      node.final = final
      for (const hash of node.pool.keys()) {
        if (tree.find(best, hash) !== undefined) node.pool.delete(hash)
      }
    }
  }

  function tell(node: ModelNode, transfer: HeardTransfer): Verdict {
    if (node.isDown || dice.chance(model.weather.unheard)) {
      return { kind: 'unknown', reason: 'no connection' }
    }
    const isMined = tree.find(node.tip, transfer.hash) !== undefined
    const known = { tip: node.tip, pool: node.pool.values(), isMined }
    const verdict = rules.judge(transfer, known, after(node.tip))
    if (verdict.kind === 'accepted') {
      for (const rival of node.pool.values()) {
        const isReplaced = rival.from === transfer.from && rival.nonce === transfer.nonce
        if (isReplaced && rival.hash !== transfer.hash) node.pool.delete(rival.hash)
      }
      node.pool.set(transfer.hash, transfer)
      heard.set(transfer.hash, transfer)
    }
    return dice.chance(model.weather.unanswered) ? { kind: 'unknown', reason: 'timeout' } : verdict
  }

  const model: ModelNetwork = {
    tree,
    nodes,
    best: () => best,
    final: () => final,
    strangers,
    takenBack,
    hasLostDeposits: () => hasLostDeposits,
    baseFee: BASE_FEE,
    weather: { unheard: 0, unanswered: 0, resurfaces: 0 },
    mine: (now, fill) => {
      best = grow(best, now, fill)
      spread()
    },
    reorg: (depth, now) => {
      let parent = best
      for (let undone = 0; undone < depth && parent !== final; undone += 1) {
        parent = parent.parent ?? parent
      }
      if (parent === best) return
      for (const block of line(best)) {
        if (block === parent) break
        // Whoever sent it has spent it elsewhere in the other branch.
        for (const { transfer, moved } of block.included) {
          const { authorization } = transfer
          if (moved && authorization !== undefined) takenBack.add(authorizationKey(authorization))
          if (transfer.from === SOURCE && deposits.has(transfer.hash) && dice.chance(0.5)) {
            deposits.delete(transfer.hash)
            hasLostDeposits = true
          }
        }
      }
      const target = best.height
      while (parent.height <= target) parent = grow(parent, now, dice.roll())
      best = parent
      spread()
    },
    finalize: (lag) => {
      let block: ModelBlock | undefined = best
      for (let passed = 0; passed < lag && block !== undefined; passed += 1) block = block.parent
      if (block !== undefined && block.height > final.height) final = block
      spread()
    },
    spread,
    forget: (node) => node.pool.clear(),
    inject: (transfer) => {
      if (isOutside(transfer.from)) deposits.set(transfer.hash, transfer)
      else {
        strangers.push(transfer)
        model.insist()
      }
    },
    insist: () => {
      for (const { pool } of nodes) for (const each of strangers) pool.set(each.hash, each)
    },
    broadcast: (transfer) => jointVerdict(nodes.map((node) => tell(node, transfer))),
    node: (heightAtLeast) => {
      const able = nodes.filter(({ isDown, tip }) => !isDown && tip.height >= heightAtLeast)
      if (able.length === 0) throw new NodeFailure('no node answers')
      const usual = able.find((node) => node === nodes[preferred])
      const node = usual !== undefined && dice.chance(0.8) ? usual : dice.pick(able)
      preferred = nodes.indexOf(node)
      return node
    },
  }
  return model
}

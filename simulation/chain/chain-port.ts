import { createHash } from 'node:crypto'
import { baseUnits } from '@florin/wire/amount.ts'
import { NATIVE_EFFECT_INDEX, NodeFailure } from '@florin/server/chains/chain.ts'
import type { Address, Arrival, Block, Chain, Outcome } from '@florin/server/chains/chain.ts'
import type { NetworkConfig } from '@florin/server/kernel/network-config.ts'
import { scriptedChain } from '@florin/server/sender/test-chain.ts'
import type { Dice } from '../dice.ts'
import type { Steps } from '../steps.ts'
import { ancestorAt, balanceKey, line, nonceKey } from './block-tree.ts'
import type { ModelBlock } from './block-tree.ts'
import type { ModelNetwork, ModelNode } from './model-network.ts'
import type { HeardTransfer } from './signed-transfer.ts'
import { openExactPort } from './exact-port.ts'
import { readTransfer, signTransfer, termsOf, transferOf } from './signed-transfer.ts'

/** How many heights a transaction lives where transactions expire. */
export const LIFETIME = 30n
/** Much hangs on its answer. */
const BROADCAST_WEIGHT = 10

/** The port to a model network as one life of an instance holds it. */
export function openChainPort({
  actor,
  config,
  network,
  steps,
  dice,
  now,
  onBroadcast,
}: {
  actor: string
  config: NetworkConfig
  network: ModelNetwork
  steps: Steps
  dice: Dice
  now: () => number
  /** Hears of all bytes before any node does. */
  onBroadcast: (transfers: readonly HeardTransfer[]) => Promise<void>
}): Chain {
  /** As the real connections do: what a node says of receipts and places counts only above what is known to be final. */
  let finalHeight = 0n
  const noteFinal = (height: bigint) => {
    if (height > finalHeight) finalHeight = height
  }
  const ask = <T>(label: string, effect: (node: ModelNode) => T, heightAtLeast = () => 0n) =>
    steps.ask({
      actor,
      kind: 'node',
      label,
      effect: () => effect(network.node(heightAtLeast())),
      failure: () => new NodeFailure('the world took the node away'),
    })
  const isFee = config.family === 'evm'
  const addressBytes = (address: Address) =>
    new Uint8Array(createHash('sha256').update(address).digest()).slice(0, isFee ? 20 : 32)

  const outcomeAt = (
    { tip }: ModelNode,
    hash: Parameters<Chain['outcomes']>[0][number],
  ): Outcome => {
    const found = network.tree.find(tip, hash)
    if (found === undefined) return { state: 'absent' }
    const { block, included } = found
    return {
      state: 'mined',
      height: block.height,
      blockHash: block.hash,
      succeeded: included.succeeded,
      feePaid: baseUnits(included.feePaid),
      transfers: included.transfers,
    }
  }

  return scriptedChain(config, {
    parseAddress: (text) => (/^[\w-]{3,64}$/.test(text) ? (text as Address) : undefined),
    addressBytes,
    draft: ({ sender, recipient, asset, amount, commitment }) =>
      ask('draft', ({ tip }) => {
        const fee = network.baseFee * 2n
        const mark = Buffer.from(commitment).toString('hex')
        const lifetime = isFee ? 0n : tip.height + LIFETIME
        const terms = {
          from: sender,
          to: recipient,
          asset: asset.asset,
          amount,
          mark,
          fee,
          lifetime,
        }
        const balance = (of: string) => tip.state.get(balanceKey(sender, of)) ?? 0n
        return {
          ok: true,
          draft: {
            terms: termsOf(terms),
            feeCeiling: baseUnits(fee * config.fees.ceilingMultiple),
            carriesCommitment: true,
            balances: {
              native: balance('native'),
              asset: balance(asset.asset),
              height: tip.height,
              blockHash: dice.chance(0.02) ? null : tip.hash,
            },
            laneLatest: isFee ? (tip.state.get(nonceKey(sender)) ?? 0n) : 0n,
          },
        }
      }),
    sign: async (terms, nonce) => {
      const transfer = transferOf(terms, nonce)
      // The payer has signed these bytes before anybody gave them a place.
      const isPayers = !isFee && transfer.authorization !== undefined
      return signTransfer(isPayers ? { ...transfer, nonce: 0n } : transfer)
    },
    exact: openExactPort({ config, network, ask }),
    estimateFees: () =>
      ask('fees', () => ({
        transfer: baseUnits(network.baseFee),
        priorityFee: baseUnits(0n),
      })),
    renewal: isFee
      ? { kind: 'fee' }
      : {
          kind: 'lifetime',
          lifetimeOf: (terms) => transferOf(terms, 0n).lifetime,
          isRenewable: (terms) => transferOf(terms, 0n).authorization === undefined,
          lookBack: (hashes) =>
            ask('look back', () => {
              const nodes = network.nodes.filter(({ isDown }) => !isDown && !dice.chance(0.1))
              if (nodes.length === 0) throw new NodeFailure('no node tells of its history')
              return hashes.map((hash) =>
                nodes.map(({ name, tip, final, indexLagMilliseconds }) => {
                  const block = network.tree.find(tip, hash)?.block
                  const age = now() - (block?.timeMilliseconds ?? Infinity)
                  return {
                    node: name,
                    finalizedHeight: final.height,
                    height: final.height,
                    found: age >= indexLagMilliseconds,
                  }
                }),
              )
            }),
          deadFrom: (asked) =>
            ask('dead from', () => {
              const told = network.nodes.map(({ isDown, final }) => (isDown ? -1n : final.height))
              const least = told.reduce((one, other) => (one < other ? one : other))
              const most = told.reduce((one, other) => (one > other ? one : other))
              return asked.map(({ raw, sinceHeight }) => {
                const isOver = least > readTransfer(raw).lifetime && least >= sinceHeight
                return isOver ? most : undefined
              })
            }),
        },
    renew: (terms, feeCeiling) =>
      ask('renew', ({ tip }) => {
        const before = transferOf(terms, 0n)
        if (!isFee) return termsOf({ ...before, lifetime: tip.height + LIFETIME })
        const least = (before.fee * 9n) / 8n + 1n
        const market = network.baseFee * 2n
        const fee = [least, market].reduce((one, other) => (one > other ? one : other))
        if (least > feeCeiling) return undefined
        return termsOf({ ...before, fee: fee > feeCeiling ? feeCeiling : fee })
      }),
    broadcast: (raws) =>
      steps.ask({
        actor,
        kind: 'node',
        label: 'broadcast',
        weight: BROADCAST_WEIGHT,
        effect: async () => {
          const transfers = raws.map(readTransfer)
          await onBroadcast(transfers)
          return transfers.map((transfer) => network.broadcast(transfer))
        },
      }),
    head: () =>
      ask('head', ({ tip, final }) => {
        noteFinal(final.height)
        const { height, hash } = tip
        return {
          height,
          hash,
          finalizedHeight: final.height,
          ...(isFee ? { block: blockOf(tip) } : {}),
        }
      }),
    blocks: (fromHeight, count) =>
      ask('blocks', ({ tip }) =>
        [...line(tip)]
          .filter(({ height }) => height >= fromHeight)
          .toReversed()
          .slice(0, count)
          .map(blockOf),
      ),
    arrivals: async (blocks, ours) => {
      const found = await ask('arrivals', ({ tip }) => {
        const shown = blocks.map(({ height, hash }) => {
          const block = ancestorAt(tip, height)
          return block?.hash === hash ? arrivalsOf(block) : undefined
        })
        return shown.includes(undefined) ? undefined : shown.flatMap((each) => each ?? [])
      })
      if (found === undefined || found.length === 0) return found
      const mine = await ours([...new Set(found.map(({ to }) => to))])
      return found.filter(({ to }) => mine.has(to))
    },
    outcomes: (hashes) =>
      ask(
        'outcomes',
        (node) => hashes.map((hash) => outcomeAt(node, hash)),
        () => finalHeight,
      ),
    lanePosition: (address) =>
      ask(
        'lane position',
        ({ tip, final }) => {
          noteFinal(final.height)
          const used = ({ state }: ModelBlock) => state.get(nonceKey(address)) ?? 0n
          return {
            latest: used(tip),
            finalized: used(ancestorAt(tip, final.height) ?? final),
            finalizedHeight: final.height,
          }
        },
        () => finalHeight,
      ),
    balances: (address, assets) =>
      ask('balances', ({ tip }) => ({
        height: tip.height,
        amounts: assets.map(({ asset }) => tip.state.get(balanceKey(address, asset)) ?? 0n),
      })),
    sandboxInstance: async () => null,
  })
}

function arrivalsOf({ hash: blockHash, height, included }: ModelBlock): readonly Arrival[] {
  return included.flatMap(({ transfer, moved, transfers }) => {
    const { hash, from, to, asset, amount } = transfer
    const effectIndex = transfers[0]?.logIndex ?? NATIVE_EFFECT_INDEX
    const facts = { transactionHash: hash, height, blockHash, asset, from, to, effectIndex }
    return moved ? [{ ...facts, amount: baseUnits(amount) }] : []
  })
}

function blockOf({ height, hash, parent, timeMilliseconds, included }: ModelBlock): Block {
  return {
    height,
    hash,
    parentHash: parent?.hash ?? '',
    timeMilliseconds,
    transactionHashes: [...new Set(included.map(({ transfer }) => transfer.hash))],
  }
}

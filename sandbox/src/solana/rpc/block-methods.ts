import type { JsonObject } from '../../host/json.ts'
import type { Block } from '../chain/block.ts'
import type { RpcValue } from '../rpc-json.ts'
import { viewAt } from './method.ts'
import type { Methods, RpcContext } from './method.ts'
import { commitmentOf, configAt, oneOf, wholeAt } from './params.ts'
import type { Params } from './params.ts'
import { invalidParams, RPC_CODE, RpcFailure } from './rpc-failure.ts'
import { accountsView, transactionForm, transactionView } from './transaction-view.ts'

const RANGE_MAX = 500_000
const DETAILS = ['full', 'accounts', 'signatures', 'none'] as const

/** Blocks that are still kept: the newest 512. */
export const BLOCK_METHODS: Methods = {
  getBlock(context, params) {
    const slot = wholeAt(params, 0)
    const config = typeof params[1] === 'string' ? { encoding: params[1] } : configAt(params, 1)
    return blockView(context, closedBlock(context, slot, config), config)
  },
  getBlocks(context, params) {
    const from = wholeAt(params, 0)
    const isConfigSecond = typeof params[1] === 'object' && params[1] !== null
    const config = configAt(params, isConfigSecond ? 1 : 2)
    const newest = confirmedSlot(context, config)
    const to =
      isConfigSecond || params[1] === undefined || params[1] === null ? newest : wholeAt(params, 1)
    if (to - from > RANGE_MAX) throw invalidParams(`Slot range too large; max ${RANGE_MAX}`)
    return slotsBetween(context, from, Math.min(to, newest))
  },
  getBlocksWithLimit(context, params) {
    const limit = wholeAt(params, 1)
    if (limit > RANGE_MAX) throw invalidParams(`Limit too large; max ${RANGE_MAX}`)
    const newest = confirmedSlot(context, configAt(params, 2))
    return slotsBetween(context, wholeAt(params, 0), newest).slice(0, limit)
  },
  getBlockTime: (context, params) =>
    closedBlock(context, wholeAt(params, 0), { commitment: 'confirmed' }).time,
  getBlockCommitment: ({ chain }, params: Params) => ({
    commitment: wholeAt(params, 0) <= chain.keeper.finalSlot() ? [1] : null,
    totalStake: 1,
  }),
  getBlockProduction: ({ chain }) => ({
    context: { slot: chain.bank.open().slot },
    value: {
      byIdentity: {},
      range: { firstSlot: chain.bank.blocks()[0]?.slot ?? 0, lastSlot: chain.bank.open().slot },
    },
  }),
}

/** A block as getBlock shows it. */
export function blockView({ chain }: RpcContext, block: Block, config: JsonObject): RpcValue {
  const details = oneOf(config['transactionDetails'], DETAILS, 'full')
  const form = transactionForm(config)
  const records = block.signatures.flatMap((signature) => chain.bank.records.get(signature) ?? [])
  return {
    blockHeight: block.height,
    blockTime: block.time,
    blockhash: block.hash ?? '',
    parentSlot: block.parentSlot,
    previousBlockhash: block.previousHash,
    ...(details === 'full'
      ? { transactions: records.map((record) => transactionView(record, form)) }
      : {}),
    ...(details === 'accounts'
      ? { transactions: records.map((record) => accountsView(record, form)) }
      : {}),
    ...(details === 'signatures' ? { signatures: [...block.signatures] } : {}),
    ...(config['rewards'] === false ? {} : { rewards: [] }),
  }
}

function confirmedSlot(context: RpcContext, config: JsonObject): number {
  const commitment = commitmentOf(config)
  if (commitment === 'processed') {
    throw invalidParams('Method does not support commitment below `confirmed`')
  }
  return viewAt(context, commitment).slot
}

function closedBlock(context: RpcContext, slot: number, config: JsonObject): Block {
  const newest = confirmedSlot(context, config)
  const { bank } = context.chain
  if (slot > newest) {
    throw new RpcFailure(RPC_CODE.blockNotAvailable, `Block not available for slot ${slot}`)
  }
  const first = bank.blocks()[0]?.slot ?? 0
  if (slot < first) {
    throw new RpcFailure(
      RPC_CODE.blockCleanedUp,
      `Block ${slot} cleaned up, does not exist on node. First available block: ${first}`,
    )
  }
  const block = bank.blockAt(slot)
  if (block.slot !== slot) {
    throw new RpcFailure(
      RPC_CODE.slotSkipped,
      `Slot ${slot} was skipped, or missing due to ledger jump to recent snapshot`,
    )
  }
  return block
}

function slotsBetween({ chain }: RpcContext, from: number, to: number): readonly number[] {
  return chain.bank
    .blocks()
    .map(({ slot }) => slot)
    .filter((slot) => slot >= from && slot <= to)
}

import { address } from '@solana/kit'
import { BLOCKHASH_BLOCKS, SLOT_MILLISECONDS } from '../chain-facts.ts'
import { faucetAddress } from '../chain/genesis.ts'
import { SLOTS_PER_EPOCH } from '../chain/svm.ts'
import { feeOf } from '../chain/fee.ts'
import { API_VERSION, viewAt, viewFor, withContext } from './method.ts'
import type { Methods, RpcContext } from './method.ts'
import { addressOf, configAt, commitmentOf, listAt, textAt, wholeAt, wholeOf } from './params.ts'
import { invalidParams } from './rpc-failure.ts'
import { readMessage } from './wire-param.ts'

const SLOTS_IN_EPOCH = Number(SLOTS_PER_EPOCH)
const FEE_SLOTS = 150
const PERFORMANCE_SECONDS = 60
const LEADERS_MAX = 5_000
const ADDRESSES_MAX = 128

/** What a node says about itself, about time and about fees. */
export const CHAIN_METHODS: Methods = {
  florin_sandbox: ({ chain }) => ({ instance: chain.identity.instance, family: 'solana' }),
  getHealth: () => 'ok',
  getVersion: () => ({ 'solana-core': API_VERSION, 'feature-set': 0 }),
  getGenesisHash: ({ chain }) => chain.identity.genesisHash,
  getIdentity: ({ chain }) => ({ identity: faucetAddress(chain.identity) }),
  getClusterNodes: () => [],
  getSlot: (context, params) => viewFor(context, configAt(params, 0)).slot,
  getBlockHeight: (context, params) =>
    heightAt(context, viewFor(context, configAt(params, 0)).slot),
  getTransactionCount: ({ chain }) => chain.bank.records.count(),
  getFirstAvailableBlock: ({ chain }) => chain.bank.blocks()[0]?.slot ?? 0,
  minimumLedgerSlot: ({ chain }) => chain.bank.blocks()[0]?.slot ?? 0,
  getMaxRetransmitSlot: ({ chain }) => chain.bank.open().slot,
  getMaxShredInsertSlot: ({ chain }) => chain.bank.open().slot,
  getHighestSnapshotSlot: ({ chain }) => ({ full: chain.keeper.finalSlot(), incremental: null }),
  getEpochInfo(context, params) {
    const { slot } = viewFor(context, configAt(params, 0))
    return {
      absoluteSlot: slot,
      blockHeight: heightAt(context, slot),
      epoch: epochOf(slot),
      slotIndex: slot % SLOTS_IN_EPOCH,
      slotsInEpoch: SLOTS_IN_EPOCH,
      transactionCount: context.chain.bank.records.count(),
    }
  },
  getEpochSchedule: () => ({
    slotsPerEpoch: SLOTS_IN_EPOCH,
    leaderScheduleSlotOffset: SLOTS_IN_EPOCH,
    warmup: false,
    firstNormalEpoch: 0,
    firstNormalSlot: 0,
  }),
  getLatestBlockhash(context, params) {
    const view = viewFor(context, configAt(params, 0))
    const { hash, previousHash, height } = context.chain.bank.blockAt(view.slot)
    // The open block has no hash yet: its parent's is the newest.
    const issuedAt = hash === undefined ? height - 1 : height
    return withContext(view, {
      blockhash: hash ?? previousHash,
      lastValidBlockHeight: issuedAt + BLOCKHASH_BLOCKS,
    })
  },
  isBlockhashValid(context, params) {
    const blockhash = textAt(params, 0)
    addressOf(blockhash)
    const view = viewFor(context, configAt(params, 1))
    return withContext(view, context.chain.bank.isUsable(blockhash, view.slot))
  },
  getFeeForMessage(context, params) {
    const message = readMessage(textAt(params, 0))
    const view = viewFor(context, configAt(params, 1))
    const { isUsable } = context.chain.bank
    return withContext(view, isUsable(message.lifetimeToken, view.slot) ? feeOf(message) : null)
  },
  getRecentPrioritizationFees(context, params) {
    if (params[0] !== undefined && params[0] !== null) {
      for (const value of listAt(params, 0, ADDRESSES_MAX)) addressOf(value)
    }
    const { slot: newest } = viewAt(context, 'processed')
    return context.chain.bank
      .blocks()
      .filter(({ slot }) => slot <= newest)
      .slice(-FEE_SLOTS)
      .map(({ slot }) => ({ slot, prioritizationFee: 0 }))
  },
  getMinimumBalanceForRentExemption: ({ chain }, params) =>
    chain.bank.svm.rentExemptMinimum(wholeAt(params, 0)),
  getSlotLeader: ({ chain }) => faucetAddress(chain.identity),
  getSlotLeaders({ chain }, params) {
    const count = wholeAt(params, 1)
    if (count < 1 || count > LEADERS_MAX) {
      throw invalidParams(`Invalid limit; max ${LEADERS_MAX}`)
    }
    return Array.from({ length: count }, () => faucetAddress(chain.identity))
  },
  getLeaderSchedule(context, params) {
    const isConfigFirst = typeof params[0] === 'object' && params[0] !== null
    const { identity } = configAt(params, isConfigFirst ? 0 : 1)
    const newest = context.chain.bank.open().slot
    const slot = isConfigFirst ? undefined : wholeOf(params[0], 'slot')
    if (epochOf(slot ?? newest) !== epochOf(newest)) return null
    const leader = faucetAddress(context.chain.identity)
    if (identity !== undefined && identity !== null && addressOf(identity) !== leader) return {}
    return { [leader]: Array.from({ length: SLOTS_IN_EPOCH }, (_, index) => index) }
  },
  /** That of a consensus which this chain has not reached. */
  getAgGenesisCert: () => null,
  getVoteAccounts: () => ({ current: [], delinquent: [] }),
  getInflationGovernor: () => ({
    initial: 0,
    terminal: 0,
    taper: 0,
    foundation: 0,
    foundationTerm: 0,
  }),
  getInflationRate: (context) => ({
    total: 0,
    validator: 0,
    foundation: 0,
    epoch: epochOf(context.chain.bank.open().slot),
  }),
  getInflationReward: (_, params) => listAt(params, 0, LEADERS_MAX).map(() => null),
  getStakeMinimumDelegation: (context, params) =>
    withContext(viewFor(context, configAt(params, 0)), 1_000_000_000),
  getSupply(context, params) {
    const config = configAt(params, 0)
    const view = viewAt(context, commitmentOf(config))
    const held = context.chain.bank.readAt(
      address(faucetAddress(context.chain.identity)),
      view.slot,
    )
    const total = held?.lamports ?? 0n
    return withContext(view, {
      total,
      circulating: total,
      nonCirculating: 0,
      nonCirculatingAccounts: [],
    })
  },
  getRecentPerformanceSamples: ({ chain }) => [
    {
      slot: chain.bank.open().slot,
      numTransactions: chain.bank.records.count(),
      numNonVoteTransactions: chain.bank.records.count(),
      numSlots: (PERFORMANCE_SECONDS * 1000) / SLOT_MILLISECONDS,
      samplePeriodSecs: PERFORMANCE_SECONDS,
    },
  ],
}

function heightAt({ chain }: RpcContext, slot: number): number {
  return chain.bank.blockAt(slot).height
}

function epochOf(slot: number): number {
  return Math.floor(slot / SLOTS_IN_EPOCH)
}

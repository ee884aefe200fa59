import { baseUnits } from '@florin/wire/amount.ts'
import { limits } from '../../kernel/limits.ts'
import type { NetworkConfig } from '../../kernel/network-config.ts'
import type { SettlementDraft, SettlementPart, WaitingSettlement } from '../exact.ts'
import { callsTogether } from './multicall.ts'
import { readTerms, writeTerms } from './terms.ts'

/** Of the call around them. What a lone transaction pays before its call begins stays in each settlement's own limit, as a reserve. */
const AROUND_GAS = 30_000n

interface Open {
  readonly indexes: number[]
  /** Payer and token of each: a token's next transfer behind a use is then that use's own, and no balance is spent twice. */
  readonly names: Set<string>
  gas: bigint
}

/**
 * Parts settlements into transactions by Multicall3's aggregate3, where each may fail by itself. The gas is the sum of what
 * each may take alone, so no settlement can starve another: tokens are on a list, and payers with code have a transaction of their own.
 */
export function shareSettlements(
  deps: { readonly config: NetworkConfig; readonly chainId: bigint },
  waiting: readonly WaitingSettlement[],
): readonly SettlementPart[] {
  const parts: { readonly indexes: readonly number[] }[] = []
  const open: Open[] = []
  for (const [index, { authorization, draft, isAlone }] of waiting.entries()) {
    if (isAlone || draft.isAlone === true) {
      parts.push({ indexes: [index] })
      continue
    }
    const { gas } = readTerms(draft.terms, deps.chainId)
    const name = `${authorization.payer} ${authorization.asset.asset}`
    const part = open.find((one) => hasRoom(one, name, gas))
    if (part !== undefined) {
      part.indexes.push(index)
      part.names.add(name)
      part.gas += gas
      continue
    }
    const begun = { indexes: [index], names: new Set([name]), gas: AROUND_GAS + gas }
    open.push(begun)
    parts.push(begun)
  }
  return parts.map(({ indexes }) => ({ indexes, draft: draftOf(deps, waiting, indexes) }))
}

function hasRoom({ indexes, names, gas }: Open, name: string, more: bigint): boolean {
  return (
    indexes.length < limits.settlementsPerTransactionMax &&
    gas + more <= BigInt(limits.sharedSettlementGasMax) &&
    !names.has(name)
  )
}

function draftOf(
  { config, chainId }: { readonly config: NetworkConfig; readonly chainId: bigint },
  waiting: readonly WaitingSettlement[],
  indexes: readonly number[],
): SettlementDraft {
  const [first, ...others] = indexes.flatMap((index) => waiting[index]?.draft ?? [])
  if (first === undefined) throw new Error('a transaction without a settlement')
  if (others.length === 0) return first
  const drafts = [first, ...others]
  const terms = drafts.map((draft) => readTerms(draft.terms, chainId))
  const { sender } = readTerms(first.terms, chainId)
  const gas = AROUND_GAS + sum(terms.map((each) => each.gas))
  const maxFeePerGas = largest(terms.map(({ fees }) => fees.maxFeePerGas))
  const maxPriorityFeePerGas = largest(terms.map(({ fees }) => fees.maxPriorityFeePerGas))
  const dataFeeMax = baseUnits(sum(terms.map((each) => each.dataFeeMax)))
  return {
    terms: writeTerms({
      chainId,
      sender,
      call: callsTogether(terms.map(({ call }) => call)),
      gas,
      fees: { maxFeePerGas, maxPriorityFeePerGas },
      dataFeeMax,
    }),
    feeCeiling: baseUnits(gas * maxFeePerGas * config.fees.ceilingMultiple + dataFeeMax),
    feeExpected: baseUnits(sum(drafts.map(({ feeExpected }) => feeExpected))),
    laneLatest: largest(drafts.map(({ laneLatest }) => laneLatest)),
    settlerBalance: smallest(drafts.map(({ settlerBalance }) => settlerBalance)),
  }
}

function sum(values: readonly bigint[]): bigint {
  return values.reduce((all, value) => all + value, 0n)
}

function largest(values: readonly bigint[]): bigint {
  return values.reduce((most, value) => (value > most ? value : most))
}

function smallest(values: readonly bigint[]): bigint {
  return values.reduce((least, value) => (value < least ? value : least))
}

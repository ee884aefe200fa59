import { baseUnits } from '@florin/wire/amount.ts'
import { textOf, unitsOf } from '@florin/wire/x402/fields.ts'
import type { Address } from '@florin/server/chains/chain.ts'
import { proofKey } from '@florin/server/chains/exact.ts'
import type {
  ExactAuthorization,
  ExactPayments,
  SettlementPart,
  WaitingSettlement,
} from '@florin/server/chains/exact.ts'
import type { NetworkConfig } from '@florin/server/kernel/network-config.ts'
import { authorizationKey } from './authorization.ts'
import type { Authorization } from './authorization.ts'
import { balanceKey, line, nonceKey } from './block-tree.ts'
import type { ModelNetwork, ModelNode } from './model-network.ts'
import { termsOf, transferOf } from './signed-transfer.ts'

/** What must be left of an authorization's time before it is taken. */
const MARGIN_SECONDS = 6n

/** Tells the effects of sales apart on chain; a payment's own mark is a hash. */
export const markOf = ({ nonce }: Pick<Authorization, 'nonce'>) => `sale ${nonce}`

/** x402 `exact` on a model network: authorizations on a chain of places, payers' own bytes on a chain of lifetimes. */
export function openExactPort({
  config,
  network,
  ask,
}: {
  config: NetworkConfig
  network: ModelNetwork
  ask: <T>(label: string, effect: (node: ModelNode) => T) => Promise<T>
}): ExactPayments {
  const isFee = config.family === 'evm'
  const fieldOf = ({ stored }: ExactAuthorization, name: string) => stored[name] ?? ''
  const onChain = (authorization: ExactAuthorization): Authorization => ({
    payer: authorization.payer,
    nonce: fieldOf(authorization, 'nonce'),
    validBeforeSeconds: authorization.validBeforeSeconds,
  })
  const secondsOf = ({ timeMilliseconds }: ModelNode['tip']) =>
    BigInt(Math.floor(timeMilliseconds / 1_000))

  /** Why the next block after the node's would not take it. */
  function refusal({ tip }: ModelNode, authorization: ExactAuthorization) {
    const { payer, asset, amount, validBeforeSeconds } = authorization
    if (tip.state.has(authorizationKey(onChain(authorization)))) {
      return {
        ok: false,
        reason: 'invalid_exact_evm_nonce_already_used',
        isUsed: true,
      } as const
    }
    if (validBeforeSeconds !== null && validBeforeSeconds < secondsOf(tip) + MARGIN_SECONDS) {
      return {
        ok: false,
        reason: 'invalid_exact_evm_payload_authorization_valid_before',
      } as const
    }
    if ((tip.state.get(balanceKey(payer, asset.asset)) ?? 0n) < amount) {
      return { ok: false, reason: 'invalid_exact_evm_insufficient_balance' } as const
    }
    if (!isFee && tip.height + 1n > BigInt(fieldOf(authorization, 'lifetime'))) {
      return { ok: false, reason: 'invalid_exact_svm_transaction_failed' } as const
    }
    return undefined
  }

  return {
    peek: () => ({ token: null, feePayer: null }),
    read: (payload, { asset, payTo, amount, settlers }) => {
      const [from, nonce] = [textOf(payload['from']), textOf(payload['nonce'])]
      const validBefore = unitsOf(payload['validBefore'])
      const lifetime = unitsOf(payload['lifetime'])
      if (from === undefined || nonce === undefined) throw new Error('no payload of this model')
      const feePayer = [...settlers].find((address) => address === payload['feePayer'])
      if (!isFee && feePayer === undefined) {
        const reason = 'invalid_exact_svm_fee_payer_not_managed_by_facilitator'
        return { ok: false, reason, payer: from }
      }
      const stored = {
        token: asset.asset,
        from,
        to: payTo,
        value: `${amount}`,
        nonce,
        ...(isFee || feePayer === undefined ? {} : { feePayer, lifetime: `${lifetime}` }),
      }
      const authorization = {
        proofKey: proofKey(`${asset.asset} ${from} ${nonce}`),
        payer: from as Address,
        asset,
        payTo,
        amount,
        validBeforeSeconds: isFee ? (validBefore ?? 0n) : null,
        feePayer: isFee ? null : (feePayer ?? null),
        stored,
      }
      return { ok: true, authorization }
    },
    check: (authorization) =>
      ask('check', (node) => refusal(node, authorization) ?? ({ ok: true } as const)),
    draft: (authorization, settler) =>
      ask('draft a settlement', (node) => {
        const refused = refusal(node, authorization)
        if (refused !== undefined) return refused
        const { payTo, asset, amount } = authorization
        const fee = network.baseFee * 2n
        const terms = termsOf({
          from: settler,
          to: payTo,
          asset: asset.asset,
          amount,
          mark: markOf(onChain(authorization)),
          fee: isFee ? fee : 2n,
          lifetime: isFee ? 0n : BigInt(fieldOf(authorization, 'lifetime')),
          authorization: onChain(authorization),
        })
        const draft = {
          terms,
          feeCeiling: baseUnits(isFee ? fee * config.fees.ceilingMultiple : 2n),
          feeExpected: baseUnits(isFee ? fee : 2n),
          laneLatest: isFee ? (node.tip.state.get(nonceKey(settler)) ?? 0n) : 0n,
          settlerBalance: node.tip.state.get(balanceKey(settler, 'native')) ?? 0n,
        }
        return { ok: true, draft } as const
      }),
    ...(isFee ? { share: (waiting) => shareTerms(config, waiting) } : {}),
    finalState: (authorization) =>
      ask('final state', ({ final }) => {
        if (final.state.has(authorizationKey(onChain(authorization)))) return 'used'
        const { validBeforeSeconds } = authorization
        const isOver = validBeforeSeconds !== null && secondsOf(final) >= validBeforeSeconds
        return isOver ? 'expired' : 'open'
      }),
    findForeign: (authorization, sinceHeight) =>
      ask('find a use', ({ tip }) => {
        const key = authorizationKey(onChain(authorization))
        for (const { height, hash: blockHash, included } of line(tip)) {
          if (height < sinceHeight) return undefined
          const use = included.find(
            ({ moved, transfer: { authorization: one } }) =>
              moved && one !== undefined && authorizationKey(one) === key,
          )
          if (use === undefined) continue
          const { to, amount, hash } = use.transfer
          const logIndex = use.transfers[0]?.logIndex
          const isOurs = to === authorization.payTo && amount === authorization.amount
          if (!isOurs || logIndex === undefined) {
            return { kind: 'wasted', height, blockHash } as const
          }
          return { kind: 'paid', settlement: { hash, height, blockHash, logIndex } } as const
        }
        return undefined
      }),
  }
}

/** As on the real chain: a payer has one settlement of a token in a transaction, and the rest follows from each. */
function shareTerms(
  config: NetworkConfig,
  waiting: readonly WaitingSettlement[],
): readonly SettlementPart[] {
  const parts: { readonly indexes: number[]; readonly payers: Set<string> }[] = []
  for (const [index, { authorization, isAlone }] of waiting.entries()) {
    const payer = `${authorization.payer} ${authorization.asset.asset}`
    const part = isAlone ? undefined : parts.find(({ payers }) => !payers.has(payer))
    if (part === undefined) parts.push({ indexes: [index], payers: new Set([payer]) })
    else {
      part.indexes.push(index)
      part.payers.add(payer)
    }
  }
  return parts.map(({ indexes }) => {
    const drafts = indexes.flatMap((index) => waiting[index]?.draft ?? [])
    const [first] = drafts
    if (first === undefined) throw new Error('a part of nothing')
    if (drafts.length === 1) return { indexes, draft: first }
    const transfers = drafts.map(({ terms }) => transferOf(terms, 0n))
    const fee = transfers.reduce((sum, transfer) => sum + transfer.fee, 0n)
    const lead = transferOf(first.terms, 0n)
    const terms = termsOf({
      from: lead.from,
      to: 'together' as Address,
      asset: 'native',
      amount: 0n,
      mark: transfers.map(({ mark }) => mark).join(' + '),
      fee,
      lifetime: 0n,
      parts: transfers.map(({ to, asset, amount, mark, authorization }) => {
        if (authorization === undefined) throw new Error('a settlement without an authorization')
        return { to, asset, amount, mark, authorization }
      }),
    })
    const largest = (one: bigint, other: bigint) => (one > other ? one : other)
    return {
      indexes,
      draft: {
        terms,
        feeCeiling: baseUnits(fee * config.fees.ceilingMultiple),
        feeExpected: baseUnits(fee),
        laneLatest: drafts.map(({ laneLatest }) => laneLatest).reduce(largest),
        settlerBalance: -drafts.map(({ settlerBalance }) => -settlerBalance).reduce(largest),
      },
    }
  })
}

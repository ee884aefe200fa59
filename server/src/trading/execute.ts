import { baseUnits } from '@florin/wire/amount.ts'
import { Refusal } from '@florin/wire/errors.ts'
import { AfterCommit } from '../http/after-commit.ts'
import { newId } from '../kernel/id.ts'
import type { PaymentId } from '../kernel/id.ts'
import type { Random } from '../kernel/random.ts'
import type { CarriedDraft, CarriedOrder, CarriedState, Carrier } from '../sender/carrier.ts'
import type { Store } from '../store/postgres.ts'
import { fitSwap } from './fit-swap.ts'
import type { SwapWish } from './fit-swap.ts'
import { nativeOf } from '../kernel/network-config.ts'
import { tradeOf } from './trade.ts'
import type { Trade } from './trade.ts'
import { findTradeOf, insertTrade } from './trade-store.ts'

export interface ExecuteDeps {
  readonly store: Store
  readonly carrier: Carrier
  readonly random: Random
}

/** A trade from a wallet of ours, as the door has parsed it. */
export type TradeOrder = Omit<CarriedOrder, 'drafted'> & SwapWish

export interface TradeResult {
  readonly trade: Trade
  readonly state: CarriedState
  readonly replayed: boolean
}

/**
 * Trades from a custodial wallet: the best quote, a draft of it with the least that the chain may give, and then the way of any payment. A
 * refusal means that nothing was stored, but for TRANSACTION_FAILED: the trade that it names has provably failed.
 */
export async function executeTrade(deps: ExecuteDeps, order: TradeOrder): Promise<TradeResult> {
  const { state, replayed } = await deps.carrier.carry({
    ...order,
    drafted: (paymentId) => draftTrade(deps, order, paymentId),
  })
  const trade = await storedTrade(deps, order, state.paymentId)
  if (state.status === 'failed') {
    throw new Refusal('TRANSACTION_FAILED', {
      details: {
        tradeId: trade.id,
        paymentId: state.paymentId,
        reason: state.failure?.reason,
        signature: state.hash,
      },
    })
  }
  return { trade, state, replayed }
}

/** From here on it is committed: no failure may look as if it were not. */
async function storedTrade(
  { store }: ExecuteDeps,
  { accountId }: TradeOrder,
  paymentId: PaymentId,
): Promise<Trade> {
  try {
    const trade = await store.inTransaction(accountId, (tx) =>
      findTradeOf(tx, accountId, paymentId),
    )
    if (trade === undefined) throw new Error('a payment that carries a trade has none')
    return trade
  } catch (error) {
    throw new AfterCommit(paymentId, error)
  }
}

async function draftTrade(
  { random }: ExecuteDeps,
  order: TradeOrder,
  paymentId: PaymentId,
): Promise<CarriedDraft> {
  const { accountId, chain, walletAddress, slippage } = order
  const { outcome, quote, minimumOut } = await fitSwap(
    order,
    random,
    (venue, swap) => venue.draft(swap),
    ({ draft }) => draft.balances.asset,
  )
  const trade = tradeOf(quote, {
    ...{ accountId, paymentId, walletAddress, slippage, minimumOut },
    id: newId(random, 'trd'),
    network: chain.config.network,
    nativeDecimals: nativeOf(chain.config).decimals,
  })
  return {
    tradeId: trade.id,
    recipient: outcome.counterparty,
    amount: baseUnits(quote.amountIn),
    draft: outcome.draft,
    allowance: outcome.allowance,
    beside: (tx, nowMilliseconds) => insertTrade(tx, trade, nowMilliseconds),
  }
}

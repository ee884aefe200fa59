import { baseUnits } from '@florin/wire/amount.ts'
import { transferMemo } from '@florin/wire/transfer-memo.ts'
import { NodeFailure } from '../../chain.ts'
import { NotCarried } from '../../venue.ts'
import type {
  Quote,
  QuoteOrder,
  QuoteOutcome,
  SwapDraftOutcome,
  SwapOrder,
  SwapPrepareOutcome,
  Venue,
} from '../../venue.ts'
import { accountsRead } from '../accounts.ts'
import { blockhashLiveRead, lifetimeRead } from '../blocks.ts'
import { endOfValid } from '../end-of-valid.ts'
import type { DraftDeps } from '../draft.ts'
import { SIGNATURE_FEE, automaticPrice, fixedPrice, priorityFeeOf } from '../fees.ts'
import { paymentSimulationRead } from '../exact-check.ts'
import type { Mint } from '../mint.ts'
import { writePaymentTerms } from '../payment-terms.ts'
import { preparationOf } from '../prepare.ts'
import { rentFor } from '../rent.ts'
import { checkSwap } from './rfq-check.ts'
import type { CheckedSwap } from './rfq-check.ts'
import type { Maker } from './rfq-maker.ts'
import { spendable } from '../scene.ts'
import { slotHash } from './slot-hash.ts'
import { receivedBy } from './swap-received.ts'

/** A buy makes a token account, of Token-2022 at worst; with ten unlucky candidates for its address it stays below. */
const UNITS = { buy: 150_000n, sell: 60_000n } as const
/** Taker and maker. */
const SIGNERS = 2n

/** What a swap needs to be known before anybody signs. */
interface Scene {
  readonly maker: Maker
  readonly mint: Mint
  readonly balances: { readonly native: bigint; readonly asset: bigint }
  readonly slot: bigint
  readonly accountRent: bigint
  readonly pricePerUnit: bigint
  readonly feeMax: bigint
}

/** A swap that the maker has signed and that was read byte for byte. */
interface Agreed extends Scene {
  readonly checked: Extract<CheckedSwap, { ok: true }>
  readonly lastValidBlockHeight: bigint
  readonly blockHash: string | null
}

type Refused = Extract<SwapDraftOutcome, { ok: false }>

/**
 * Makers that sign one transaction with the taker: both transfers happen or none. They are asked all at once, and each quotes for itself;
 * what one of them then signs is believed in nothing.
 */
export function openRfqVenue(deps: DraftDeps, makers: readonly Maker[]): Venue {
  const { transport, config, facts } = deps

  async function quote(order: QuoteOrder): Promise<QuoteOutcome> {
    const [{ slot }, ...words] = await Promise.all([
      facts.lifetime(),
      ...makers.map(async (maker) => {
        try {
          return { maker, word: await maker.quote(order) }
        } catch (error) {
          if (error instanceof NodeFailure) return { maker, failure: error }
          throw error
        }
      }),
    ])
    const offers = words.flatMap(({ maker, word }) =>
      word?.ok === true ? [{ maker, quote: word.quote }] : [],
    )
    const quotes = offers
      .toSorted((a, b) => compare(b.quote.amountOut, a.quote.amountOut))
      .map(({ maker, quote: { amountOut, priceImpactBasisPoints } }): Quote => ({
        ...order,
        venue: 'rfq',
        amountOut,
        priceImpactBasisPoints,
        height: slot,
        // Held only once a wallet is known.
        expiresAtMilliseconds: null,
        route: { maker: maker.address, ...(config.sandbox ? { prices: 'sandbox' } : {}) },
      }))
    const [best, ...others] = quotes
    if (best !== undefined) return { ok: true, quote: best, others }
    // Silence is no "no".
    for (const { failure } of words) if (failure !== undefined) throw failure
    const isThin = words.some(
      ({ word }) => word?.ok === false && word.refusal === 'insufficient_liquidity',
    )
    return { ok: false, refusal: isThin ? 'insufficient_liquidity' : 'no_market' }
  }

  async function look(order: SwapOrder): Promise<Scene | Refused> {
    const { wallet, quote: wanted, priorityFee } = order
    const maker = makers.find(({ address }) => address === wanted.route['maker'])
    if (maker === undefined || maker.address === wallet) return { ok: false, refusal: 'no_market' }
    const mint = await facts.mint(wanted.token.mint)
    // Nobody could say beforehand what arrives.
    if (mint.feeOf(wanted.amountOut) > 0n || mint.feeOf(wanted.amountIn) > 0n) {
      return { ok: false, refusal: 'no_market' }
    }
    const { address: account } = facts.tokenAccount(wallet, mint)
    const [{ slot, accounts }, rentMinimum, recentPrice] = await Promise.all([
      transport.read(accountsRead([wallet, account])),
      facts.rentMinimum(),
      facts.recentPrice(),
    ])
    const lamports = (accounts[0]?.lamports ?? 0n) - rentMinimum
    const native = lamports > 0n ? lamports : 0n
    const isBuy = wanted.side === 'buy'
    const isMissing = accounts[1]?.owner !== mint.program
    const accountRent = isBuy && isMissing ? rentFor(BigInt(mint.accountBytes), rentMinimum) : 0n
    const units = UNITS[wanted.side]
    const pricePerUnit =
      priorityFee === undefined
        ? automaticPrice(recentPrice, config.fees)
        : fixedPrice(priorityFee, units)
    const feeMax = SIGNATURE_FEE * SIGNERS + priorityFeeOf({ units, pricePerUnit })
    const asset = isBuy ? native : spendable(accounts[1], mint, wallet)
    return { maker, mint, balances: { native, asset }, slot, accountRent, pricePerUnit, feeMax }
  }

  /** `isPaidFor`: the wallet has what it takes, so a simulation says something of the maker. */
  async function agree(
    scene: Scene,
    order: SwapOrder,
    isPaidFor: boolean,
  ): Promise<Agreed | Refused> {
    const { wallet, quote: wanted, minimumOut, commitment } = order
    const { maker, mint, pricePerUnit, feeMax } = scene
    const word = await orNotCarried(maker.quote(wanted, wallet))
    if (!word.ok) {
      return { ok: false, refusal: word.refusal === 'no_market' ? 'no_market' : 'less_than_quoted' }
    }
    const { quoteId, amountOut } = word.quote
    if (amountOut < minimumOut || quoteId === null) {
      return { ok: false, refusal: 'less_than_quoted' }
    }
    const choice = {
      memo: transferMemo(commitment),
      computeUnits: UNITS[wanted.side],
      pricePerUnit,
    }
    const transaction = await orNotCarried(maker.sign(quoteId, wallet, choice))
    const checked = checkSwap(facts, transaction, {
      side: wanted.side,
      taker: wallet,
      maker: maker.address,
      mint,
      amountIn: wanted.amountIn,
      minimumOut,
      commitment: Buffer.from(commitment).toString('hex'),
      feeMax,
    })
    if (!checked.ok)
      throw new NotCarried(`the maker's transaction is not signed: ${checked.problem}`)
    const text = Buffer.from(checked.bytes).toString('base64')
    const [{ slot, isLive }, lifetime, simulation] = await Promise.all([
      transport.read(blockhashLiveRead(checked.blockhash)),
      transport.read(lifetimeRead),
      isPaidFor ? transport.read(paymentSimulationRead(text)) : undefined,
    ])
    if (!isLive) throw new NotCarried("the maker's transaction has no blockhash of this chain")
    if (simulation?.check.ok === false) {
      const said = simulation.check.message ?? ''
      throw new NotCarried(`the maker's transaction would fail: ${said}`)
    }
    // The maker's own word on it is not needed.
    const lastValidBlockHeight = endOfValid(lifetime, slot)
    const blockHash = await slotHash(transport, scene.slot, lifetime)
    return { ...scene, checked, lastValidBlockHeight, blockHash }
  }

  return {
    name: 'rfq',
    quote,
    draft: async (order) => {
      const { quote: wanted, wallet } = order
      const scene = await look(order)
      if ('ok' in scene) return scene
      const { balances, accountRent, feeMax } = scene
      if (!covers(scene, wanted)) return { ok: false, refusal: 'insufficient_funds' }
      const agreed = await agree(scene, order, true)
      if ('ok' in agreed) return agreed
      const { checked, lastValidBlockHeight, slot, blockHash } = agreed
      const transaction = Buffer.from(checked.bytes).toString('base64')
      const { network } = config
      return {
        ok: true,
        counterparty: scene.maker.address,
        allowance: null,
        draft: {
          terms: writePaymentTerms({
            network,
            feePayer: wallet,
            transaction,
            lastValidBlockHeight,
          }),
          feeCeiling: baseUnits(feeMax + accountRent),
          priorityFee: baseUnits(feeMax - SIGNATURE_FEE * SIGNERS),
          carriesCommitment: true,
          balances: { ...balances, height: slot, blockHash },
          laneLatest: 0n,
        },
      }
    },
    prepare: async (order): Promise<SwapPrepareOutcome> => {
      const scene = await look(order)
      if ('ok' in scene) return scene
      const agreed = await agree(scene, order, covers(scene, order.quote))
      if ('ok' in agreed) return agreed
      const { checked, lastValidBlockHeight, balances, accountRent, feeMax, maker } = agreed
      return {
        ok: true,
        counterparty: maker.address,
        allowance: null,
        preparation: preparationOf(deps, {
          transaction: checked.bytes,
          wallets: [order.wallet, maker.address],
          balances,
          fee: {
            max: feeMax + accountRent,
            priority: feeMax - SIGNATURE_FEE * SIGNERS,
            accountRent,
          },
          lastValidBlockHeight,
          carriesCommitment: true,
        }),
      }
    },
    received: (swap) => receivedBy(swap),
    // Both transfers happen as they were signed, or none.
    taken: ({ quote: traded }) => traded.amountIn,
  }
}

/** A price for nobody costs its maker nothing: one that it then does not stand by, whatever the reason, is no measure for others. */
async function orNotCarried<Answer>(asked: Promise<Answer>): Promise<Answer> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof NodeFailure) throw new NotCarried(error.message)
    throw error
  }
}

/** Whether the wallet has what goes in, the fee and the rent. */
function covers({ balances, accountRent, feeMax }: Scene, { side, amountIn }: QuoteOrder): boolean {
  const going = side === 'buy' ? amountIn : 0n
  return balances.native >= going + feeMax + accountRent && balances.asset >= amountIn
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}

import { baseUnits } from '@florin/wire/amount.ts'
import { transferMemo } from '@florin/wire/transfer-memo.ts'
import type { Address } from '../../chain.ts'
import { NotCarried } from '../../venue.ts'
import type {
  QuoteOrder,
  SwapDraftOutcome,
  SwapOrder,
  SwapPrepareOutcome,
  Venue,
} from '../../venue.ts'
import { accountsRead } from '../accounts.ts'
import { blockhashLiveRead, lifetimeRead } from '../blocks.ts'
import { endOfValid } from '../end-of-valid.ts'
import type { DraftDeps } from '../draft.ts'
import { SIGNATURE_FEE, automaticPrice, priorityFeeOf } from '../fees.ts'
import type { Mint } from '../mint.ts'
import { writePaymentTerms } from '../payment-terms.ts'
import { preparationOf } from '../prepare.ts'
import { simulateBytes } from '../preview.ts'
import { rentFor } from '../rent.ts'
import { spendable } from '../scene.ts'
import { TOKEN_ACCOUNT_BYTES } from '../token-account.ts'
import { carryMemo } from './carry-memo.ts'
import type { JupiterApi, Route } from './jupiter-api.ts'
import { WRAPPED_NATIVE, checkRoute } from './jupiter-check.ts'
import type { CheckedRoute } from './jupiter-check.ts'
import { slotHash } from './slot-hash.ts'
import { receivedBy } from './swap-received.ts'

/** What a route of a few steps takes; only the price of our own choice is made with it. */
const UNITS = 300_000n
const BASIS_POINTS = 10_000n
/** A quote is a forecast: what a caller allows is decided when it trades. */
const QUOTED_SLIPPAGE = 50n
/** Routes that are asked for while the price moves. */
const ROUTES_MAX = 2

interface Scene {
  readonly mint: Mint
  readonly balances: { readonly native: bigint; readonly asset: bigint }
  readonly slot: bigint
  /** Of the token's account, where a buy makes one. It stays. */
  readonly tokenRent: bigint
  /** That, and what the account of wrapped lamports takes while it is there. */
  readonly accountRent: bigint
  readonly priority: bigint
}

interface Built {
  readonly bytes: Uint8Array
  readonly checked: Extract<CheckedRoute, { ok: true }>
  readonly lastValidBlockHeight: bigint
  readonly blockHash: string | null
}

type Refused = Extract<SwapDraftOutcome, { ok: false }>

/**
 * A hosted router over the markets of mainnet. Its transactions are asked for in the form that hides no account, are read to the last
 * instruction, and are simulated before they are signed. Tested against its documented shapes only: it has not been run against the
 * live service.
 */
export function openJupiterVenue(deps: DraftDeps, api: JupiterApi): Venue {
  const { transport, config, facts } = deps

  async function look({ wallet, quote, priorityFee }: SwapOrder): Promise<Scene | Refused> {
    const { token, amountIn, amountOut, side } = quote
    const mint = await facts.mint(token.mint)
    if (mint.feeOf(amountIn) > 0n || mint.feeOf(amountOut) > 0n) {
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
    const isMissing = side === 'buy' && accounts[1]?.owner !== mint.program
    const tokenRent = isMissing ? rentFor(BigInt(mint.accountBytes), rentMinimum) : 0n
    const pricePerUnit = automaticPrice(recentPrice, config.fees)
    return {
      mint,
      balances: { native, asset: side === 'buy' ? native : spendable(accounts[1], mint, wallet) },
      slot,
      tokenRent,
      accountRent: rentFor(BigInt(TOKEN_ACCOUNT_BYTES), rentMinimum) + tokenRent,
      priority: priorityFee ?? priorityFeeOf({ units: UNITS, pricePerUnit }),
    }
  }

  /** A route whose own bound is the caller's minimum, so that the chain refuses to give less. */
  async function routed({ quote, minimumOut }: SwapOrder): Promise<Route | Refused> {
    let forecast = quote.amountOut
    for (let asked = 0; asked < ROUTES_MAX; asked += 1) {
      if (forecast < minimumOut) break
      const slippage = ((forecast - minimumOut) * BASIS_POINTS) / forecast
      const outcome = await api.route(routeOrder(quote), slippage)
      if (!outcome.ok) {
        const refusal = outcome.refusal === 'no_market' ? 'no_market' : 'price_moved'
        return { ok: false, refusal }
      }
      const { amountOut } = outcome.route
      const least = (amountOut * (BASIS_POINTS - slippage)) / BASIS_POINTS
      if (least >= minimumOut) return outcome.route
      forecast = amountOut
    }
    return { ok: false, refusal: 'price_moved' }
  }

  async function build(
    scene: Scene,
    order: SwapOrder,
    isPaidFor: boolean,
  ): Promise<Built | Refused> {
    const { wallet, quote, minimumOut, commitment } = order
    const route = await routed(order)
    if ('ok' in route) return route
    const raw = await api.swap(route, wallet, scene.priority)
    const bytes = carryMemo(raw, transferMemo(commitment))
    if (bytes === undefined) throw new NotCarried("the router's transaction cannot carry a memo")
    const checked = checkRoute(facts, bytes, {
      side: quote.side,
      taker: wallet,
      mint: scene.mint,
      amountIn: quote.amountIn,
      minimumOut,
      commitment: Buffer.from(commitment).toString('hex'),
      feeMax: SIGNATURE_FEE + scene.priority + 1n,
    })
    if (!checked.ok) {
      throw new NotCarried(`the router's transaction is not signed: ${checked.problem}`)
    }
    const [{ slot, isLive }, lifetime] = await Promise.all([
      transport.read(blockhashLiveRead(checked.blockhash)),
      transport.read(lifetimeRead),
    ])
    if (!isLive) throw new NotCarried("the router's transaction has no blockhash of this chain")
    if (isPaidFor) await rehearse(bytes, scene, order)
    const lastValidBlockHeight = endOfValid(lifetime, slot)
    const blockHash = await slotHash(transport, scene.slot, lifetime)
    return { bytes, checked, lastValidBlockHeight, blockHash }
  }

  /** Beside what its instructions say: what the chain would do to the wallet's balances now. */
  async function rehearse(bytes: Uint8Array, scene: Scene, order: SwapOrder): Promise<void> {
    const { wallet, quote, minimumOut } = order
    const outcome = await simulateBytes(deps, bytes)
    if (!('succeeds' in outcome) || !outcome.succeeds) {
      throw new NotCarried("the router's transaction would fail")
    }
    const change = (of: Address, asset: string): bigint =>
      outcome.changes
        .filter((each) => each.address === of && each.asset === asset)
        .reduce((sum, { delta }) => sum + delta, 0n)
    const { mint } = quote.token
    const { address: wrapped } = facts.tokenAccount(wallet, WRAPPED_NATIVE)
    // Without the network's fee. What was wrapped before is no gain: closing the account only pays it out.
    const native = change(wallet, 'native') + change(wrapped, 'native')
    const token = change(wallet, mint)
    const isRight =
      quote.side === 'buy'
        ? native >= -(quote.amountIn + scene.tokenRent) && token >= minimumOut
        : native >= minimumOut && token === -quote.amountIn
    const known: readonly string[] = ['native', mint, WRAPPED_NATIVE.address]
    const others = outcome.changes.filter(
      ({ address, asset, delta }) => address === wallet && delta < 0n && !known.includes(asset),
    )
    if (!isRight || others.length > 0) {
      throw new NotCarried("the router's transaction would do something else")
    }
  }

  return {
    name: 'jupiter',
    quote: async (order) => {
      const outcome = await api.route(routeOrder(order), QUOTED_SLIPPAGE)
      if (!outcome.ok) return outcome
      const { amountOut, priceImpactBasisPoints, slot, through } = outcome.route
      return {
        ok: true,
        quote: {
          ...order,
          venue: 'jupiter',
          amountOut,
          priceImpactBasisPoints,
          height: slot,
          expiresAtMilliseconds: null,
          route: { through },
        },
      }
    },
    draft: async (order) => {
      const { quote, wallet } = order
      const scene = await look(order)
      if ('ok' in scene) return scene
      if (!covers(scene, quote)) return { ok: false, refusal: 'insufficient_funds' }
      const built = await build(scene, order, true)
      if ('ok' in built) return built
      const { bytes, checked, lastValidBlockHeight, blockHash } = built
      const { balances, slot, priority, accountRent } = scene
      const transaction = Buffer.from(bytes).toString('base64')
      const { network } = config
      return {
        ok: true,
        counterparty: checked.counterparty,
        allowance: null,
        draft: {
          terms: writePaymentTerms({
            network,
            feePayer: wallet,
            transaction,
            lastValidBlockHeight,
          }),
          feeCeiling: baseUnits(SIGNATURE_FEE + priority + 1n + accountRent),
          priorityFee: baseUnits(priority),
          carriesCommitment: true,
          balances: { ...balances, height: slot, blockHash },
          laneLatest: 0n,
        },
      }
    },
    prepare: async (order): Promise<SwapPrepareOutcome> => {
      const scene = await look(order)
      if ('ok' in scene) return scene
      const built = await build(scene, order, covers(scene, order.quote))
      if ('ok' in built) return built
      const { bytes, checked, lastValidBlockHeight } = built
      const { balances, priority, accountRent } = scene
      return {
        ok: true,
        counterparty: checked.counterparty,
        allowance: null,
        preparation: preparationOf(deps, {
          transaction: bytes,
          wallets: [order.wallet],
          balances,
          fee: { max: SIGNATURE_FEE + priority + 1n + accountRent, priority, accountRent },
          lastValidBlockHeight,
          carriesCommitment: true,
        }),
      }
    },
    received: (swap) => receivedBy(swap),
    // Its program takes exactly what went into the quote, or nothing.
    taken: ({ quote }) => quote.amountIn,
  }
}

function routeOrder({ side, token, amountIn }: QuoteOrder) {
  const native = WRAPPED_NATIVE.address
  return side === 'buy'
    ? { inputMint: native, outputMint: token.mint, amountIn }
    : { inputMint: token.mint, outputMint: native, amountIn }
}

/** Whether the wallet has what goes in, the fee and the rent. */
function covers(
  { balances, accountRent, priority }: Scene,
  { side, amountIn }: QuoteOrder,
): boolean {
  const going = side === 'buy' ? amountIn : 0n
  const fee = SIGNATURE_FEE + priority + 1n + accountRent
  return balances.native >= going + fee && balances.asset >= amountIn
}

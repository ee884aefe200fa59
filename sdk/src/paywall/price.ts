import type { Clock } from '../clock.ts'
import type { Deliveries } from './deliveries.ts'
import type { ReceiptSigner } from './receipt-signer.ts'

/** What one visit costs, in one asset on one network. */
export interface PaywallPrice {
  /** Whole units of the asset, as text or a number: `'0.01'`. */
  readonly amount: string | number
  /** A symbol that the service knows on that network, or the token's address or mint. */
  readonly asset: string
  /** CAIP-2, or its name in x402 version 1: `eip155:84532`, `base-sepolia`. */
  readonly network: string
  /** Who is paid. */
  readonly payTo: string
  /**
   * `exact` unless given: the amount is taken before the handler runs. `upto`: the amount is the most that a visit may
   * cost, the handler says by `setAmount` what it did cost, and that much is taken before the answer goes out. EVM only.
   */
  readonly scheme?: 'exact' | 'upto'
}

/** What a settled payment was. */
export interface Paid {
  /** The payment in the service, null when the service did not say. */
  readonly paymentId: string | null
  /** The transaction that moved the money; empty when the service did not say. */
  readonly transaction: string
  /** As the buyer's version of x402 names it. */
  readonly network: string
  readonly payer: string | null
  /** Base units of the asset. */
  readonly amount: string
  /** What was paid for: the address of the request without its fragment. */
  readonly resource: string
}

/** A visit by `upto` that did cost nothing: no money has moved. */
export function isNothing({ amount }: Paid): boolean {
  return amount === '0'
}

export interface PaywallSettings {
  /** What is sold, for buyers to read. */
  readonly description?: string
  /** Of what is sold. */
  readonly mimeType?: string
  /** How long a buyer's authorization may be good for; 60 unless given. */
  readonly maxTimeoutSeconds?: number
  /**
   * Extensions of x402 to declare, as the stock packages make them: `declareDiscoveryExtension(...)` lists the place in
   * the service's catalogue once it was paid for.
   */
  readonly extensions?: Readonly<Record<string, unknown>>
  /** `required`: a payment of version 2 must have a name of its buyer's, under which one payment is settled. It may anyway. */
  readonly paymentIdentifier?: 'required'
  /** Signs what is asked for, and a receipt for each buyer of version 2 who paid more than zero; see `receiptSigner`. */
  readonly receipts?: ReceiptSigner
  /** Receipts name the transaction: whoever sees one then sees the payment on chain. */
  readonly receiptsNameTransactions?: boolean
  /** The address under which buyers know this place, where a proxy hides it: `https://shop.example`. */
  readonly baseUrl?: string
  /** Remembers what was delivered; in memory unless given. See Deliveries. */
  readonly deliveries?: Deliveries
  /**
   * Told once of every payment that was settled, before the handler runs; of `upto` before the answer goes out, and not
   * when it was zero. It decides nothing: when it fails, all goes on.
   */
  readonly onPaid?: (paid: Paid) => unknown
  /**
   * Told when money was taken and nothing was delivered for it, of each attempt. The same proof may then ask again, three
   * times at most; of `upto` for the answer that is kept, unless there was no room for it.
   */
  readonly onUndelivered?: (paid: Paid, reason: string) => unknown
  /**
   * Told of what is no buyer's business. `code`: what the service said or the client found when it could not settle,
   * `deliveries_failed`, `not_signed` for an offer or a receipt, `callback_failed` for one of these callbacks, or `handler_threw` for a handler
   * that threw without a framework to catch it. `cause`: the error, where there was one. Of a service that is away it is told each
   * time that it was asked in vain for what prices need: after 2 seconds, twice as long each time, 15 at most.
   */
  readonly onProblem?: (code: string, cause: unknown) => unknown
  /** Another clock than the platform's, for tests. */
  readonly clock?: Clock
}

/** One price, or several of which the buyer takes one. */
export type PaywallOptions = PaywallSettings &
  (PaywallPrice | { readonly accepts: readonly PaywallPrice[] })

/** The prices of either form. */
export function pricesOf(options: PaywallOptions): readonly PaywallPrice[] {
  return 'accepts' in options ? options.accepts : [options]
}

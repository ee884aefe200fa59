import { addresses } from './addresses.ts'
import type { Addresses } from './addresses.ts'
import { call } from './call.ts'
import type { CallOptions, Sending } from './call.ts'
import { connect } from './connection.ts'
import type { FlorinOptions } from './connection.ts'
import type { HealthReadyAnswer } from './contract/health-ready.ts'
import type { ListNetworksAnswer } from './contract/list-networks.ts'
import type { Operations } from './contract/shapes.ts'
import { events } from './events.ts'
import type { Events } from './events.ts'
import type { Input } from './prepare.ts'
import { payments } from './payments.ts'
import type { Payments } from './payments.ts'
import { trades } from './trade.ts'
import type { Trades } from './trade.ts'
import { transactions } from './transactions.ts'
import type { Transactions } from './transactions.ts'
import { webhooks } from './webhooks.ts'
import type { Webhooks } from './webhooks.ts'
import { wallets } from './wallets.ts'
import type { Wallets } from './wallets.ts'
import { x402 } from './x402.ts'
import type { X402 } from './x402.ts'

// What somebody who installed the package may name: this file is its only entry.
export { FlorinError } from './florin-error.ts'
export { verifyWebhook } from './verify-webhook.ts'
export type { ReceivedWebhook, WebhookEvent } from './verify-webhook.ts'
export type { Webhook, WebhookDelivery, Webhooks } from './webhooks.ts'
export { newIdempotencyKey } from './idempotency-key.ts'
export type { ClientCode, FlorinErrorCode } from './florin-error.ts'
export type { Addresses, ReceivingAddress } from './addresses.ts'
export type { CallOptions, IntentOptions } from './call.ts'
export type { Clock } from './clock.ts'
export type { AccountEvent, Events } from './events.ts'
export type { ListenOptions } from './listen.ts'
export type { FlorinOptions } from './connection.ts'
export type { ListedPayment, PaymentRecord, Payments } from './payments.ts'
export type { EvmTransaction, EvmWallet, OwnWallet } from './own-wallet.ts'
export type { SolanaTransaction, SolanaWallet } from './own-wallet.ts'
export type { CheckOptions } from './check-build.ts'
export type { BuiltTransaction, SignAndSendOptions, Simulation } from './transactions.ts'
export type { SignOptions, SubmittedTransaction, Transactions } from './transactions.ts'
export type { ListedTrade, TradeRecord, Trades } from './trade.ts'
export type { WaitOptions } from './wait-for.ts'
export type { Wallet, Wallets } from './wallets.ts'
export type { SettleOptions, X402 } from './x402.ts'
export type { Operations } from './contract/shapes.ts'
export { payingFetch } from './paying-fetch.ts'
export type { PayingFetch, PayingFetchOptions } from './paying-fetch.ts'
export { paywall } from './paywall/paywall.ts'
export { setAmount } from './paywall/set-amount.ts'
export { deliveriesInMemory } from './paywall/deliveries.ts'
export type { Deliveries } from './paywall/deliveries.ts'
export type { Paywall } from './paywall/paywall.ts'
export { receiptSigner } from './paywall/receipt-signer.ts'
export type { PrivateJwk, ReceiptSigner } from './paywall/receipt-signer.ts'
export type { Paid, PaywallOptions, PaywallPrice, PaywallSettings } from './paywall/price.ts'

export type Network = ListNetworksAnswer['networks'][number]

/**
 * A Florin service. Every method takes and gives what the service's reference says; amounts come out as decimal text
 * and never pass through a JavaScript number. Failures are FlorinErrors. Requests are repeated after 429, 503 and lost
 * connections, with pauses that grow, and never pay twice.
 */
export class Florin {
  readonly baseUrl: string
  readonly payments: Payments
  readonly transactions: Transactions
  readonly trade: Trades
  readonly wallets: Wallets
  readonly addresses: Addresses
  readonly events: Events
  readonly webhooks: Webhooks
  readonly x402: X402
  readonly networks: {
    /** The enabled networks and their assets, the default of each family first. */
    list(options?: CallOptions): Promise<readonly Network[]>
  }
  readonly health: {
    /** Whether everything that payments need is reachable. */
    ready(options?: CallOptions): Promise<HealthReadyAnswer>
  }

  /** Any operation of the service by its name, with its types: the methods above are this with better manners. */
  readonly call: <Id extends keyof Operations>(
    id: Id,
    input: Input<Id>,
    options?: Sending<Operations[Id]['answer']>,
  ) => Promise<Operations[Id]['answer']>

  /** @throws {FlorinError} INVALID_SETTING when an option cannot be used. */
  constructor(options: FlorinOptions) {
    const connection = connect(options)
    this.baseUrl = connection.baseUrl
    this.payments = payments(connection)
    this.transactions = transactions(connection)
    this.trade = trades(connection)
    this.wallets = wallets(connection)
    this.addresses = addresses(connection)
    this.events = events(connection)
    this.webhooks = webhooks(connection)
    this.x402 = x402(connection)
    this.networks = {
      list: async (own) => (await call(connection, 'listNetworks', {}, own)).networks,
    }
    this.call = (id, input, own) => call(connection, id, input, own)
    this.health = { ready: (own) => call(connection, 'healthReady', {}, own) }
  }

  /** Where it is, without the key. */
  toJSON(): { readonly baseUrl: string } {
    return { baseUrl: this.baseUrl }
  }
}

// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
import type { HealthLiveAnswer } from './health-live.ts'
import type { HealthReadyAnswer } from './health-ready.ts'
import type { ListNetworksAnswer } from './list-networks.ts'
import type { SendPaymentBody, SendPaymentAnswer } from './send-payment.ts'
import type { FetchPaymentBody, FetchPaymentAnswer } from './fetch-payment.ts'
import type { ReceivePaymentBody, ReceivePaymentAnswer } from './receive-payment.ts'
import type { SettlePaymentBody, SettlePaymentAnswer } from './settle-payment.ts'
import type { SettlePaymentV1Body, SettlePaymentV1Answer } from './settle-payment-v1.ts'
import type { VerifyPaymentBody, VerifyPaymentAnswer } from './verify-payment.ts'
import type { PaymentStatusAnswer } from './payment-status.ts'
import type { PaymentHistoryQuery, PaymentHistoryAnswer } from './payment-history.ts'
import type { ListPaymentsQuery, ListPaymentsAnswer } from './list-payments.ts'
import type { FindPaymentQuery, FindPaymentAnswer } from './find-payment.ts'
import type { ListEventsQuery, ListEventsAnswer } from './list-events.ts'
import type { CreateEventTicketAnswer } from './create-event-ticket.ts'
import type { CreateWalletBody, CreateWalletAnswer } from './create-wallet.ts'
import type { ListWalletsAnswer } from './list-wallets.ts'
import type { GetWalletAnswer } from './get-wallet.ts'
import type { DeleteWalletAnswer } from './delete-wallet.ts'
import type { SetWalletPolicyBody, SetWalletPolicyAnswer } from './set-wallet-policy.ts'
import type { ChallengeAddressQuery, ChallengeAddressAnswer } from './challenge-address.ts'
import type { RegisterAddressBody, RegisterAddressAnswer } from './register-address.ts'
import type { ListAddressesAnswer } from './list-addresses.ts'
import type { DeleteAddressAnswer } from './delete-address.ts'
import type { BuildTransactionBody, BuildTransactionAnswer } from './build-transaction.ts'
import type { ReceiveTransactionBody, ReceiveTransactionAnswer } from './receive-transaction.ts'
import type { AbandonTransactionAnswer } from './abandon-transaction.ts'
import type { SimulateTransactionBody, SimulateTransactionAnswer } from './simulate-transaction.ts'
import type { SubmitTransactionBody, SubmitTransactionAnswer } from './submit-transaction.ts'
import type { QuoteTradeQuery, QuoteTradeAnswer } from './quote-trade.ts'
import type { BuyTokenBody, BuyTokenAnswer } from './buy-token.ts'
import type { SellTokenBody, SellTokenAnswer } from './sell-token.ts'
import type { BuildBuyBody, BuildBuyAnswer } from './build-buy.ts'
import type { BuildSellBody, BuildSellAnswer } from './build-sell.ts'
import type { GetTradeAnswer } from './get-trade.ts'
import type { TradeHistoryQuery, TradeHistoryAnswer } from './trade-history.ts'
import type { CreateWebhookBody, CreateWebhookAnswer } from './create-webhook.ts'
import type { ListWebhooksAnswer } from './list-webhooks.ts'
import type { GetWebhookAnswer } from './get-webhook.ts'
import type { ChangeWebhookBody, ChangeWebhookAnswer } from './change-webhook.ts'
import type { DeleteWebhookAnswer } from './delete-webhook.ts'
import type { RotateWebhookBody, RotateWebhookAnswer } from './rotate-webhook.ts'
import type { TestWebhookAnswer } from './test-webhook.ts'
import type { WebhookDeliveriesQuery, WebhookDeliveriesAnswer } from './webhook-deliveries.ts'
import type { RedeliverWebhookAnswer } from './redeliver-webhook.ts'
import type { RedeliverWebhooksBody, RedeliverWebhooksAnswer } from './redeliver-webhooks.ts'
import type { ListKeysAnswer } from './list-keys.ts'
import type { CreateKeyBody, CreateKeyAnswer } from './create-key.ts'
import type { RotateKeyBody, RotateKeyAnswer } from './rotate-key.ts'
import type { DeleteKeyAnswer } from './delete-key.ts'
import type { ListAuditQuery, ListAuditAnswer } from './list-audit.ts'
import type { GetOverviewQuery, GetOverviewAnswer } from './get-overview.ts'
import type { GetUsageAnswer } from './get-usage.ts'
import type { ListTokensQuery, ListTokensAnswer } from './list-tokens.ts'
import type { TokenInfoQuery, TokenInfoAnswer } from './token-info.ts'
import type { TokenCandlesQuery, TokenCandlesAnswer } from './token-candles.ts'
import type { PortfolioQuery, PortfolioAnswer } from './portfolio.ts'
import type { X402VerifyBody, X402VerifyAnswer } from './x402-verify.ts'
import type { X402SettleBody, X402SettleAnswer } from './x402-settle.ts'
import type { X402SupportedAnswer } from './x402-supported.ts'
import type { X402ResourcesQuery, X402ResourcesAnswer } from './x402-resources.ts'
import type { X402SearchQuery, X402SearchAnswer } from './x402-search.ts'
import type { GetCatalogueAnswer } from './get-catalogue.ts'
import type { DeleteListingQuery, DeleteListingAnswer } from './delete-listing.ts'
import type { ListEscrowCallsQuery, ListEscrowCallsAnswer } from './list-escrow-calls.ts'
import type { GetEscrowCallAnswer } from './get-escrow-call.ts'
import type { GetSponsoringAnswer } from './get-sponsoring.ts'

/** What each operation takes and gives. */
export interface Operations {
  readonly healthLive: {
    readonly parts: undefined
    readonly query: undefined
    readonly body: undefined
    readonly answer: HealthLiveAnswer
  }
  readonly healthReady: {
    readonly parts: undefined
    readonly query: undefined
    readonly body: undefined
    readonly answer: HealthReadyAnswer
  }
  readonly listNetworks: {
    readonly parts: undefined
    readonly query: undefined
    readonly body: undefined
    readonly answer: ListNetworksAnswer
  }
  readonly sendPayment: {
    readonly parts: undefined
    readonly query: undefined
    readonly body: SendPaymentBody
    readonly answer: SendPaymentAnswer
  }
  readonly fetchPayment: {
    readonly parts: undefined
    readonly query: undefined
    readonly body: FetchPaymentBody
    readonly answer: FetchPaymentAnswer
  }
  readonly receivePayment: {
    readonly parts: undefined
    readonly query: undefined
    readonly body: ReceivePaymentBody
    readonly answer: ReceivePaymentAnswer
  }
  readonly settlePayment: {
    readonly parts: undefined
    readonly query: undefined
    readonly body: SettlePaymentBody
    readonly answer: SettlePaymentAnswer
  }
  readonly settlePaymentV1: {
    readonly parts: undefined
    readonly query: undefined
    readonly body: SettlePaymentV1Body
    readonly answer: SettlePaymentV1Answer
  }
  readonly verifyPayment: {
    readonly parts: undefined
    readonly query: undefined
    readonly body: VerifyPaymentBody
    readonly answer: VerifyPaymentAnswer
  }
  readonly paymentStatus: {
    readonly parts: { readonly paymentId: string }
    readonly query: undefined
    readonly body: undefined
    readonly answer: PaymentStatusAnswer
  }
  readonly paymentHistory: {
    readonly parts: { readonly walletAddress: string }
    readonly query: PaymentHistoryQuery
    readonly body: undefined
    readonly answer: PaymentHistoryAnswer
  }
  readonly listPayments: {
    readonly parts: undefined
    readonly query: ListPaymentsQuery
    readonly body: undefined
    readonly answer: ListPaymentsAnswer
  }
  readonly findPayment: {
    readonly parts: undefined
    readonly query: FindPaymentQuery
    readonly body: undefined
    readonly answer: FindPaymentAnswer
  }
  readonly listEvents: {
    readonly parts: undefined
    readonly query: ListEventsQuery
    readonly body: undefined
    readonly answer: ListEventsAnswer
  }
  readonly createEventTicket: {
    readonly parts: undefined
    readonly query: undefined
    readonly body: undefined
    readonly answer: CreateEventTicketAnswer
  }
  readonly createWallet: {
    readonly parts: undefined
    readonly query: undefined
    readonly body: CreateWalletBody
    readonly answer: CreateWalletAnswer
  }
  readonly listWallets: {
    readonly parts: undefined
    readonly query: undefined
    readonly body: undefined
    readonly answer: ListWalletsAnswer
  }
  readonly getWallet: {
    readonly parts: { readonly address: string }
    readonly query: undefined
    readonly body: undefined
    readonly answer: GetWalletAnswer
  }
  readonly deleteWallet: {
    readonly parts: { readonly address: string }
    readonly query: undefined
    readonly body: undefined
    readonly answer: DeleteWalletAnswer
  }
  readonly setWalletPolicy: {
    readonly parts: { readonly address: string }
    readonly query: undefined
    readonly body: SetWalletPolicyBody
    readonly answer: SetWalletPolicyAnswer
  }
  readonly challengeAddress: {
    readonly parts: undefined
    readonly query: ChallengeAddressQuery
    readonly body: undefined
    readonly answer: ChallengeAddressAnswer
  }
  readonly registerAddress: {
    readonly parts: undefined
    readonly query: undefined
    readonly body: RegisterAddressBody
    readonly answer: RegisterAddressAnswer
  }
  readonly listAddresses: {
    readonly parts: undefined
    readonly query: undefined
    readonly body: undefined
    readonly answer: ListAddressesAnswer
  }
  readonly deleteAddress: {
    readonly parts: { readonly address: string }
    readonly query: undefined
    readonly body: undefined
    readonly answer: DeleteAddressAnswer
  }
  readonly buildTransaction: {
    readonly parts: undefined
    readonly query: undefined
    readonly body: BuildTransactionBody
    readonly answer: BuildTransactionAnswer
  }
  readonly receiveTransaction: {
    readonly parts: undefined
    readonly query: undefined
    readonly body: ReceiveTransactionBody
    readonly answer: ReceiveTransactionAnswer
  }
  readonly abandonTransaction: {
    readonly parts: { readonly paymentId: string }
    readonly query: undefined
    readonly body: undefined
    readonly answer: AbandonTransactionAnswer
  }
  readonly simulateTransaction: {
    readonly parts: undefined
    readonly query: undefined
    readonly body: SimulateTransactionBody
    readonly answer: SimulateTransactionAnswer
  }
  readonly submitTransaction: {
    readonly parts: undefined
    readonly query: undefined
    readonly body: SubmitTransactionBody
    readonly answer: SubmitTransactionAnswer
  }
  readonly quoteTrade: {
    readonly parts: undefined
    readonly query: QuoteTradeQuery
    readonly body: undefined
    readonly answer: QuoteTradeAnswer
  }
  readonly buyToken: {
    readonly parts: undefined
    readonly query: undefined
    readonly body: BuyTokenBody
    readonly answer: BuyTokenAnswer
  }
  readonly sellToken: {
    readonly parts: undefined
    readonly query: undefined
    readonly body: SellTokenBody
    readonly answer: SellTokenAnswer
  }
  readonly buildBuy: {
    readonly parts: undefined
    readonly query: undefined
    readonly body: BuildBuyBody
    readonly answer: BuildBuyAnswer
  }
  readonly buildSell: {
    readonly parts: undefined
    readonly query: undefined
    readonly body: BuildSellBody
    readonly answer: BuildSellAnswer
  }
  readonly getTrade: {
    readonly parts: { readonly tradeId: string }
    readonly query: undefined
    readonly body: undefined
    readonly answer: GetTradeAnswer
  }
  readonly tradeHistory: {
    readonly parts: { readonly publicKey: string }
    readonly query: TradeHistoryQuery
    readonly body: undefined
    readonly answer: TradeHistoryAnswer
  }
  readonly createWebhook: {
    readonly parts: undefined
    readonly query: undefined
    readonly body: CreateWebhookBody
    readonly answer: CreateWebhookAnswer
  }
  readonly listWebhooks: {
    readonly parts: undefined
    readonly query: undefined
    readonly body: undefined
    readonly answer: ListWebhooksAnswer
  }
  readonly getWebhook: {
    readonly parts: { readonly webhookId: string }
    readonly query: undefined
    readonly body: undefined
    readonly answer: GetWebhookAnswer
  }
  readonly changeWebhook: {
    readonly parts: { readonly webhookId: string }
    readonly query: undefined
    readonly body: ChangeWebhookBody
    readonly answer: ChangeWebhookAnswer
  }
  readonly deleteWebhook: {
    readonly parts: { readonly webhookId: string }
    readonly query: undefined
    readonly body: undefined
    readonly answer: DeleteWebhookAnswer
  }
  readonly rotateWebhook: {
    readonly parts: { readonly webhookId: string }
    readonly query: undefined
    readonly body: RotateWebhookBody
    readonly answer: RotateWebhookAnswer
  }
  readonly testWebhook: {
    readonly parts: { readonly webhookId: string }
    readonly query: undefined
    readonly body: undefined
    readonly answer: TestWebhookAnswer
  }
  readonly webhookDeliveries: {
    readonly parts: { readonly webhookId: string }
    readonly query: WebhookDeliveriesQuery
    readonly body: undefined
    readonly answer: WebhookDeliveriesAnswer
  }
  readonly redeliverWebhook: {
    readonly parts: { readonly webhookId: string; readonly deliveryId: string }
    readonly query: undefined
    readonly body: undefined
    readonly answer: RedeliverWebhookAnswer
  }
  readonly redeliverWebhooks: {
    readonly parts: { readonly webhookId: string }
    readonly query: undefined
    readonly body: RedeliverWebhooksBody
    readonly answer: RedeliverWebhooksAnswer
  }
  readonly listKeys: {
    readonly parts: undefined
    readonly query: undefined
    readonly body: undefined
    readonly answer: ListKeysAnswer
  }
  readonly createKey: {
    readonly parts: undefined
    readonly query: undefined
    readonly body: CreateKeyBody
    readonly answer: CreateKeyAnswer
  }
  readonly rotateKey: {
    readonly parts: { readonly keyId: string }
    readonly query: undefined
    readonly body: RotateKeyBody
    readonly answer: RotateKeyAnswer
  }
  readonly deleteKey: {
    readonly parts: { readonly keyId: string }
    readonly query: undefined
    readonly body: undefined
    readonly answer: DeleteKeyAnswer
  }
  readonly listAudit: {
    readonly parts: undefined
    readonly query: ListAuditQuery
    readonly body: undefined
    readonly answer: ListAuditAnswer
  }
  readonly getOverview: {
    readonly parts: undefined
    readonly query: GetOverviewQuery
    readonly body: undefined
    readonly answer: GetOverviewAnswer
  }
  readonly getUsage: {
    readonly parts: undefined
    readonly query: undefined
    readonly body: undefined
    readonly answer: GetUsageAnswer
  }
  readonly listTokens: {
    readonly parts: undefined
    readonly query: ListTokensQuery
    readonly body: undefined
    readonly answer: ListTokensAnswer
  }
  readonly tokenInfo: {
    readonly parts: { readonly mint: string }
    readonly query: TokenInfoQuery
    readonly body: undefined
    readonly answer: TokenInfoAnswer
  }
  readonly tokenCandles: {
    readonly parts: { readonly mint: string }
    readonly query: TokenCandlesQuery
    readonly body: undefined
    readonly answer: TokenCandlesAnswer
  }
  readonly portfolio: {
    readonly parts: { readonly publicKey: string }
    readonly query: PortfolioQuery
    readonly body: undefined
    readonly answer: PortfolioAnswer
  }
  readonly x402Verify: {
    readonly parts: undefined
    readonly query: undefined
    readonly body: X402VerifyBody
    readonly answer: X402VerifyAnswer
  }
  readonly x402Settle: {
    readonly parts: undefined
    readonly query: undefined
    readonly body: X402SettleBody
    readonly answer: X402SettleAnswer
  }
  readonly x402Supported: {
    readonly parts: undefined
    readonly query: undefined
    readonly body: undefined
    readonly answer: X402SupportedAnswer
  }
  readonly x402Resources: {
    readonly parts: undefined
    readonly query: X402ResourcesQuery
    readonly body: undefined
    readonly answer: X402ResourcesAnswer
  }
  readonly x402Search: {
    readonly parts: undefined
    readonly query: X402SearchQuery
    readonly body: undefined
    readonly answer: X402SearchAnswer
  }
  readonly getCatalogue: {
    readonly parts: undefined
    readonly query: undefined
    readonly body: undefined
    readonly answer: GetCatalogueAnswer
  }
  readonly deleteListing: {
    readonly parts: undefined
    readonly query: DeleteListingQuery
    readonly body: undefined
    readonly answer: DeleteListingAnswer
  }
  readonly listEscrowCalls: {
    readonly parts: undefined
    readonly query: ListEscrowCallsQuery
    readonly body: undefined
    readonly answer: ListEscrowCallsAnswer
  }
  readonly getEscrowCall: {
    readonly parts: { readonly callId: string }
    readonly query: undefined
    readonly body: undefined
    readonly answer: GetEscrowCallAnswer
  }
  readonly getSponsoring: {
    readonly parts: undefined
    readonly query: undefined
    readonly body: undefined
    readonly answer: GetSponsoringAnswer
  }
}

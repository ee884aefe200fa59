/** Bounds of the client. Every wait, every loop and every text that it reads ends at one of these. */
export const limits = {
  /** Requests that one call may send, the first one included. */
  triesMax: 8,
  /** Time that one call may take, all its tries and pauses together. */
  totalMilliseconds: 120_000,
  /** Time for one try, beside what the service was asked to wait. */
  tryMilliseconds: 30_000,
  /** A settlement may be waited for by the service itself: 25 s, and longer where an approval of the payer comes first. */
  settleWaitSeconds: 56,
  /** Wait of a send that names none. */
  sendWaitSeconds: 10,
  /** Wait of a receive or a settle that names none. */
  receiveWaitSeconds: 30,
  /** A seller is asked, perhaps waited for, paid and asked again. */
  fetchWaitSeconds: 75,
  /** How often a call hears that nobody listens at the seller's address: the second time is for one that starts again. */
  sellerAwayMax: 2,
  /** The first pause; each one doubles. */
  pauseFirstMilliseconds: 250,
  pauseMaxMilliseconds: 8_000,
  /** Between two looks at a payment. */
  lookFirstMilliseconds: 250,
  lookMaxMilliseconds: 3_000,
  /** How long wait() looks at a payment unless it is told otherwise. */
  waitSeconds: 300,
  /** Far more than any answer of the service. */
  answerCharactersMax: 32 * 1024 * 1024,
  /** Of what a seller has packed, when it is unpacked. */
  unpackedBytesMax: 32 * 1024 * 1024,
  /** How often a quiet socket is asked whether it is there, and how long it may say nothing at all. */
  eventPingMilliseconds: 30_000,
  eventSilenceMilliseconds: 75_000,
  /** Events that have come and nobody has read; beyond that they are fetched again. */
  eventsWaitingMax: 10_000,
  /** What the network may take for one payment that your wallet signs, whole native units, unless maxFee says otherwise. */
  feeMax: { evm: '0.05', solana: '0.01' },
  /** Bounds of an API key, and of an idempotency key. */
  keyCharactersMax: 255,
  /** A paywall: how long a buyer's authorization is good for unless its settings say otherwise. */
  paywallTimeoutSeconds: 60,
  /** How long a buyer waits for a settlement before it is told to ask again. */
  paywallSettleMilliseconds: 28_000,
  /** The same where the buyer's approval of Permit2 comes first, for which the service waits by itself (`settleWaitSeconds`). */
  paywallApprovalMilliseconds: 58_000,
  /** How long what the service said of networks and fee payers is used, and how long it may take to say it. */
  paywallTermsMilliseconds: 300_000,
  paywallAskMilliseconds: 5_000,
  /** How long it is not asked for that again once it could not be; doubled each time. */
  paywallTermsPauseMilliseconds: 2_000,
  paywallTermsPauseMillisecondsMax: 15_000,
  /** What a buyer is told to wait at least. */
  paywallRetryAfterSeconds: 2,
  /** Payments whose delivery is remembered. */
  paywallDeliveriesMax: 100_000,
  /** Payments of which is remembered that an answer of the service was lost. */
  paywallLostAnswersMax: 100_000,
  /** How long before it was found lost an answer may have been given: as long as a call takes, and what two clocks differ by. */
  paywallLostMilliseconds: 300_000,
  /** How often one payment is delivered for again after deliveries that failed. */
  paywallRedeliveriesMax: 3,
  /** How long a handler whose buyer is gone keeps its payment from running another. */
  paywallHandlerMilliseconds: 300_000,
  /** How long an answer whose body nobody has begun to read counts as on its way. */
  paywallUnreadMilliseconds: 30_000,
  /** Bytes of an answer that is held back until it is paid for. */
  paywallHeldBytesMax: 8 * 1024 * 1024,
  /** What each part of such an answer counts for beside its length: a part of one byte takes some 340 of memory. */
  paywallHeldPartBytes: 256,
  /** Bytes of answers that were paid for, or are being, and have not gone out. */
  paywallKeptBytesMax: 64 * 1024 * 1024,
  paymentHeaderCharactersMax: 64 * 1024,
} as const

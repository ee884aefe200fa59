import { accessLimits } from './access-limits.ts'
import { buildLimits } from './build-limits.ts'
import { claimLimits } from './claim-limits.ts'
import { databaseLimits } from './database-limits.ts'
import { forgetLimits } from './forget-limits.ts'
import { marketLimits } from './market-limits.ts'
import { nodeLimits } from './node-limits.ts'
import { purchaseLimits } from './purchase-limits.ts'

/** Every bound of the service on one screen. Unit last. What a field of a request may hold stands in its schema, in wire. */
export const limits = {
  ...accessLimits,
  ...buildLimits,
  ...claimLimits,
  ...databaseLimits,
  ...forgetLimits,
  ...marketLimits,
  ...nodeLimits,
  ...purchaseLimits,
  bodyBytesMax: 64 * 1024,
  jsonDepthMax: 16,
  jsonNodesMax: 1_000,
  /** Of an operation whose body may hold a claim of a hundred vouchers: 680 bytes and 13 values each. */
  longBodyBytesMax: 128 * 1024,
  longJsonNodesMax: 2_000,
  jsonKeyCharactersMax: 128,
  headerBytesMax: 16 * 1024,
  pathPartCharactersMax: 256,
  idempotencyKeyCharactersMax: 255,
  /** How long a caller may take to send its headers, and its whole request. */
  headersArriveSeconds: 10,
  requestArrivesSeconds: 20,
  /** How long an open connection may stay quiet: between requests, and while an answer is being made. */
  keepAliveSeconds: 65,
  requestTimeoutSeconds: 75,
  /** What a caller is told to wait when nobody knows better. */
  retryAfterSeconds: 1,
  waitDefaultSeconds: 10,
  /** Requests that wait for a chain at the same time; one more is answered at once with what is known. */
  waitersMax: 10_000,
  drainSeconds: 15,
  /** How long a browser may show a page of the documents without asking again. */
  pageCacheSeconds: 300,
  /** Of one file of the dashboard, and of the list of them. */
  dashboardFileBytesMax: 4 * 1024 * 1024,
  dashboardListBytesMax: 64 * 1024,
  walletsPerAccountMax: 1_000,
  /** Registered receiving addresses, wallets of the service not counted. */
  receiversPerAccountMax: 1_000,
  /** Statements that read the same at once, and how many reads share one: what comes meanwhile gathers for the next. */
  statusReadsUnderWayMax: 2,
  statusReadsSharedMax: 64,
  walletReadsUnderWayMax: 2,
  walletReadsSharedMax: 64,
  receiverReadsUnderWayMax: 2,
  receiverReadsSharedMax: 64,
  /** How long a verification may believe what was read of a receiving address, and of how many. */
  receiverCacheMilliseconds: 500,
  knownReceiversMax: 10_000,
  /** Successes that are taken together: two statements at once, each for this many. */
  successesUnderWayMax: 2,
  successesSharedMax: 64,
  claimReadsUnderWayMax: 2,
  claimReadsSharedMax: 64,
  waitReadsUnderWayMax: 2,
  waitReadsSharedMax: 64,
  /** How long a payer’s name for a payment is kept at least. */
  paymentIdentifierKeptDays: 30,
  /** How long an approval of a payer is kept for which nobody was given anything. */
  approvalKeptDays: 7,
  /** The same where something was given, and that is final. Longer than `idempotencyDays`: its payment is found by its key no more. */
  approvalGivenKeptDays: 90,
  /** How old what is announced of the wallet that sponsors approvals may be, and how long who asks for it waits for a node. */
  sponsorStandingSeconds: 15,
  sponsorAbsentSeconds: 2,
  sponsorStandingWaitMilliseconds: 1_000,
  /** Resources of one account that the catalogue of x402 lists. */
  catalogueResourcesPerAccountMax: 200,
  /** What one page of it has of descriptions and ways to pay; a page with fewer than were asked for says so. */
  catalogueAnswerBytesMax: 256 * 1024,
  /** Settled resources that wait for being listed, of all accounts; about 10 MB. */
  catalogueWaitingMax: 500,
  /** Ways to pay that are listed of one resource. */
  catalogueAcceptsMax: 8,
  /** JSON of one listing, and of one way to pay. */
  catalogueListingCharactersMax: 16 * 1024,
  catalogueRequirementCharactersMax: 4 * 1024,
  /** Steps to check a listing against its schema, and how deep the schema is looked into. */
  catalogueSchemaStepsMax: 20_000,
  catalogueSchemaDepthMax: 64,
  /** Payments of one account behind one transaction that a search shows. */
  foundPaymentsMax: 1_000,
  /** Payments that one page of an account's list looks at for filters that no index serves. */
  listLookedAtMax: 10_000,
  /** How long the proof of a transfer can be claimed after it was confirmed. */
  transferProofHours: 24,
  /** Payments with the terms of a proof that the chain does not show, whose secrets are held against it: the newest. */
  proofCandidatesMax: 1_000,
  /** What needs attention is read at most once in so many seconds for an account. */
  attentionSeconds: 3,
  /** How old the figures of an overview may be: of an hour, of a day, and of a month. Accounts whose figures are kept. */
  overviewHourSeconds: 5,
  overviewDaySeconds: 5,
  overviewMonthSeconds: 60,
  overviewsKeptMax: 1_000,
  /** Payments that wait too long are counted up to here. */
  overduePaymentsMax: 1_000,
  /** Low wallets, and policies, that one look names. */
  attentionWalletsMax: 10,
  /** How often past hours of payments are looked for that could be summed up. */
  paymentHoursSeconds: 300,
  /** How often counted requests are written down, and for how many days they are kept. */
  requestCountsSeconds: 5,
  requestCountsKeptDays: 400,
  /** What a wallet has spent is summed up in runs of so many payments, where so many are not that are old enough; so many runs at once. */
  spendsPerRun: 1_000,
  spendsUnsummedMax: 2_000,
  spendRunsAtOnceMax: 50,
  /** Longer than any transaction takes, and than clocks are apart. */
  spendsSummedAfterSeconds: 300,
  /** A shortage, or a blockhash that it does not know, that a node saw so long before what is followed says nothing of now. */
  shortageBehindSecondsMax: 5,
  /** How old the fees that GET /networks shows may be; a network is asked for them at most this often. */
  networkFeesSeconds: 10,
  /** How long a caller waits for fees that nobody knows yet. */
  networkFeesWaitMilliseconds: 1_000,
  /** Of an address that a caller gave, and of the headers that it answers with. */
  outboundUrlCharactersMax: 2_048,
  outboundHeaderBytesMax: 16 * 1024,
  /** Answers of 1xx before the one that counts, and pieces of its body: each takes microseconds of everybody's time, however short it is. */
  outboundInterimMax: 16,
  outboundPiecesMax: 20_000,
  /** Addresses of one name that are tried, and requests to others' addresses under way at once; one more fails at once. */
  outboundAddressesMax: 8,
  outboundRequestsMax: 256,
  /** How long another facilitator may take, and how much it may say. */
  remoteVerifySeconds: 10,
  remoteSettleSeconds: 30,
  remoteAnswerBytesMax: 64 * 1024,
  /** The same for a maker or a hosted router of a network. */
  marketAnswerSeconds: 5,
  marketAnswerBytesMax: 64 * 1024,
  /** How far below the height at which a signature was first seen its use is looked for, since a reorganisation may bring it there: as many blocks, and as long. */
  lookBackBlocks: 5_000,
  lookBackSeconds: 10_000,
  /** Blocks in which a node is asked for logs at once, and how often for one question; and of how many questions it is known where the last one left off. */
  logBlocksMax: 2_000,
  logReadsMax: 20,
  /** Questions for logs in all, where these are asked for by halves. */
  logQuestionsMax: 140,
  logLooksKeptMax: 10_000,
  /** Transactions of an owner that are looked through for the one that used up a nonce of Permit2. */
  permit2UsesReadMax: 40,
  /** Between two questions whether a node keeps what smart wallets did, as long as none has shown it. */
  smartWalletLookSeconds: 5,
  /** The same for the contracts of batch-settlement, as long as one of them was not seen; and once all were. */
  escrowLookSeconds: 30,
  escrowSeenSeconds: 600,
  /** Transactions that no node has told, asked for again at once. */
  untoldPlacesMax: 100,
  /** Of what others signed and nobody here could read, asked for again at once: each is a block. */
  untoldBuildsMax: 8,
  /** The same of deposits that were set aside, and how far apart the questions for one become. */
  unreadDepositsMax: 8,
  unreadDepositAskSecondsMax: 600,
  /** Of which nobody tells whom they pay, of one block and of a network in all: beyond that nothing more of it is read. */
  unreadRecordsPerBlockMax: 64,
  unreadRecordsMax: 1_000,
  /** Sends of one wallet that share one database transaction. */
  sendBatchMax: 64,
  // Payments per second of 64 callers over 10 wallets on two cores: 346 with 2, 327 with 3, 320 with 5, 233 with 10.
  /** Signing transactions of an instance under way at once. More than 2 because a database that is far away answers each statement later. */
  signingTransactionsMax: 4,
  /** Sends of one wallet that may wait for their turn; one more is 503. */
  sendQueueMax: 2_000,
  /** Settlements of one key that share one database transaction, and how many may wait for their turn. */
  claimBatchMax: 64,
  claimQueueMax: 2_000,
  /** How long claims wait for those of their key that are being drafted, to share a transaction; one that is alone waits for none. */
  claimGatherMilliseconds: 60,
  // A payer who gets code in the very block can burn all the gas: the token asks that code, and a call takes what it likes.
  /** Settlements that share one transaction on chain, and the gas of it: some 18, and what one such attack may cost. */
  settlementsPerTransactionMax: 64,
  sharedSettlementGasMax: 1_500_000,
  /** After one transaction was burned whole, every settlement of its network goes alone this long. */
  settlementsApartSeconds: 600,
  /** How old what all builds share may be: fees, newest block or blockhash. */
  buildFactsMilliseconds: 1_000,
  /** EVM: how long a swap may wait for its block; later its router refuses. By the chain's own time. */
  swapValidSeconds: 600,
  /** EVM: how old a pool's state may be for a quote when no newer block is known of; half a block's time where that is less. */
  poolStateMillisecondsMax: 1_000,
  poolStatesKeptMax: 10_000,
  poolAddressesKeptMax: 10_000,
  /** Pools whose state is asked for in one call. */
  poolsPerReadMax: 100,
  /** EVM: tokens that are asked about in one call. */
  tokensPerReadMax: 50,
  /** EVM: contracts that called themselves pools in a log, with what they turned out to be. */
  supposedPoolsKeptMax: 50_000,
  /** How long a transaction built for somebody else's wallet should be used at most. Solana's chain allows about that with slots of 400 ms, and half of it with 200. */
  buildValidSeconds: 60,
  rebroadcastBatchMax: 200,
  /** How far ahead of ours the clock of another instance may be: what was noted for a later time was noted before a clock was set back. */
  clockAheadSeconds: 60,
  /** How far a clock may be from the time of new blocks: those of honest makers, and their way here, take some seconds. */
  chainClockOffSecondsMax: 30,
  /** Between two looks at a head, for a block to have come between them; and between two lines of the log about one clock. */
  chainClockLookSecondsMax: 5,
  chainClockToldSeconds: 3_600,
  /** How long the doctor waits for the next block where the newest is old. */
  doctorNextBlockSeconds: 30,
  followBlocksPerRoundMax: 50,
  /** Deposits that a follower takes in with one step of its cursor, unless a single block has more; and rows of one statement of it. */
  depositsPerRoundMax: 1_000,
  depositsPerStatementMax: 500,
  /** How long a final deposit waits for the word on an open claim that it may be the payment of. */
  heldDepositSeconds: 120,
  leaseSeconds: 5,
  gapRecoverySeconds: 30,
  idempotencyDays: 30,
  /** Rows and events that one transaction takes out of the outbox, of events as many more as the last row holds; and of those that never lie there. */
  relayBatchMax: 500,
  /** Of those that never lie in the outbox, as many may wait for it. */
  relayGivenMax: 2_000,
  relayLeaseSeconds: 2,
  /** Pause between two such transactions, so that many facts share one; the first fact after a while waits for none. */
  relayGatherMilliseconds: 20,
  /** As many rows are asked for by a relay that was told of some: it does not look first how many there are. */
  relayAddedMax: 32,
  /** How late an event is numbered whose wake-up was lost. */
  relayLookAgainMilliseconds: 500,
  /** At most so often an instance that does not number tells the one that does. */
  relayTellMilliseconds: 10,
  /** Facts of one account and one transaction that are kept as one row. A page of events reads so many too many at most. */
  eventsPerRunMax: 128,
  eventDays: 30,
  /** How long a socket may take to say its last word. */
  socketCloseSeconds: 2,
  socketPingSeconds: 30,
  /** How long a socket may stay open without a key; and how many of those there may be, in all and from one address. */
  socketAuthenticateSeconds: 10,
  socketStrangersMax: 2_000,
  socketStrangersPerAddressMax: 50,
  /** Of a socket that nobody has authenticated, and of one message on it; the plans say it for the others, and bodyBytesMax. */
  socketStrangerMessagesPerSecond: 20,
  socketStrangerBytesMax: 1024,
  socketKeysMax: 100,
  /** Of one socket that nobody has handled yet; one more closes it. */
  socketMessagesWaitingMax: 100,
  /** What may wait for a slow reader before it is closed, and for how long. */
  socketBehindBytesMax: 1024 * 1024,
  socketBehindSeconds: 10,
  /** What is handed to the operating system ahead of a reader; the rest waits as references to frames that are shared. */
  socketAheadBytes: 64 * 1024,
  /** How often sockets are looked over: slow readers, and keys that were deleted. */
  socketLookMilliseconds: 400,
  /** A comment that keeps proxies from closing a quiet stream. */
  streamCommentSeconds: 15,
  eventsPerPageMax: 500,
  eventsPerReplayPage: 100,
  /** How late an instance hears of an event whose notification was lost. */
  feedLookAgainMilliseconds: 1_000,
  eventTicketSeconds: 30,
  /** How long verifications are gathered before one write tells of them, and how many at most. */
  verificationEventsMilliseconds: 100,
  verificationEventsMax: 1_000,
  /** Webhooks of an account, by its key's plan. */
  webhooksStandardMax: 5,
  webhooksPremiumMax: 20,
  webhooksEnterpriseMax: 50,
  /** A webhook must be answered within this, and with no more; so many characters of the answer are kept. */
  webhookAnswerSeconds: 10,
  webhookAnswerBytesMax: 64 * 1024,
  webhookAnswerCharactersKept: 500,
  /** From then on an endpoint counts as slow, and gets one request at a time. */
  webhookSlowMilliseconds: 2_000,
  /** Requests under way: of one instance, those of them to endpoints that are slow or fail; from all instances to one endpoint, and to all of one account. */
  webhookRequestsMax: 64,
  webhookTroubledRequestsMax: 32,
  webhookRequestsPerEndpointMax: 4,
  webhookRequestsPerAccountMax: 16,
  /** Endpoints that one look for something due asks; the next look goes on with the next of them. */
  webhookEndpointsPerLookMax: 200,
  /** How long what is under way may take to end when the service stops; then it is given up and sent again by the next. */
  webhookDrainMilliseconds: 2_000,
  /** How long a dead instance keeps what it was sending. */
  webhookLeaseSeconds: 5,
  /** How late a retry is at most, and a delivery whose wake-up was lost. */
  webhookLookAgainMilliseconds: 1_000,
  /** How long a delivery is tried, and an endpoint may do nothing but fail until it is paused. */
  webhookRetryHours: 72,
  webhookPauseHours: 24,
  /** How long deliveries can be looked up and repeated, and how many of the last requests of one are shown. */
  webhookLogDays: 30,
  webhookLogAttemptsMax: 20,
  webhookRowsPerStatementMax: 500,
  /** One step of giving events out to webhooks: deliveries, by one event's at most more, their bodies, and of how many numberings. Senders wait as long. */
  webhookGivenPerStepMax: 500,
  webhookGivenCharactersMax: 1024 * 1024,
  webhookGivingsPerStepMax: 128,
  /** Deliveries that one request repeats, and what their bodies come to, unless a single one is longer. */
  webhookRedeliveriesMax: 500,
  webhookRedeliveredBytesMax: 1024 * 1024,
  /** Of one endpoint that wait to be sent again, however often that is asked. */
  webhookRedeliveriesWaitingMax: 5_000,
  /** Old deliveries are removed that often, so many at a time. */
  webhookForgetSeconds: 60,
  webhookForgetMax: 1_000,
  /** Deliveries that are counted for /metrics; more are shown as so many. */
  webhookCountedMax: 100_000,
  draftRetriesMax: 5,
  /** Of a transaction that a caller hands in: Solana's packet holds 1,232, and a build on EVM is far smaller. */
  transactionBytesMax: 4_096,
  /** Submitted bytes that are sent again in one round, and the longest pause between two sends of the same. */
  resentSubmissionsMax: 50,
  resendSecondsMax: 3_600,
  /** The same while their build's time is not over: a node that starts anew has forgotten them, and the payment would end unpaid. */
  resendInTimeSecondsMax: 5,
  /** A submitted allowance is sent again until its build's time plus so long: the swap behind it has a deadline of its own (ten minutes). */
  approvalResentSeconds: 600,
  /** Remembered blocks below the final height, to find the ancestor of a reorg that breaks the policy. */
  finalBlocksKept: 64,
  /** The same where a transaction names a block that it was made on (Solana): an hour of blocks of 200 ms, so that one that is late can be dated. */
  datedBlocksKept: 18_000,
  /** Blocks after the one that a transaction names which may hold it, and some to spare. Source: Agave, `MAX_PROCESSING_AGE`, 150. */
  datedBlocksAfter: 155,
  /** Heads that wait for their block to be followed before what they call final counts. */
  toldHeadsMax: 16,
  /**
   * Blocks that are not final, of those that a network may have: more than an hour of blocks of 200 ms. A roll-up's are final when Ethereum's are, which
   * takes some twenty minutes, and later when nobody posts them.
   */
  rememberedBlocksMax: 20_000,
  finalBatchMax: 500,
  /** Payments that one transaction settles: it holds their lanes, and who signs there meanwhile waits some 20 ms and not a quarter of a second. */
  finalPaymentsMax: 100,
  /** Pause between two passes over what is final, where blocks come more quickly: a pass is some twenty statements, and what is final can wait. */
  finalPauseMilliseconds: 1_000,
  laneFrontsMax: 200,
  /** Nonces of a lane that nobody has used and that one release fills. */
  gapPlacesMax: 16,
  /** Next attempts that are made at once: as many transactions of the database may be begun for them, and payments need some, too. */
  renewalsAtOnceMax: 8,
  /** How far above the newest block that was read the word of a node may be about that something can happen no more: what it says waits for that block. */
  deadAheadBlocksMax: 1_000,
  /** Open places whose expiry is looked after in one round. */
  livingPlacesMax: 200,
  /** How long a node may have found a place that the follower has not seen before somebody is told, and how often it is logged. */
  foundUnseenSeconds: 600,
  foundWarnedSeconds: 3_600,
  /** Attempts of one place, fee raises and rebuilds together. */
  attemptsMax: 20,
  /** Age of the database's figures in /metrics, however often it is read, and how long reading them may take. */
  metricsLifetimeMilliseconds: 5_000,
  metricsReadSeconds: 3,
  /** Of each text in a log line, and of each error's stack. */
  logTextCharactersMax: 500,
  logStackFramesMax: 12,
  /** Tokens of which decimals and symbol are kept. */
  tradedTokensKeptMax: 10_000,
  /** How often a part of a balance is computed anew because the balance has changed. */
  tradeSharesMax: 4,
  /** Names of node calls that are counted apart; further ones are "other". */
  metricsNodeMethodsMax: 64,
} as const

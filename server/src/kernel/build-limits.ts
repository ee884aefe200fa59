/** Bounds of transactions that are built for wallets elsewhere: a part of the table of limits. */
export const buildLimits = {
  /** Builds whose end a transaction at their place shows at once: of one place, and of all in one round. More are found over in their turn. */
  buildsPerPlaceMax: 200,
  buildsPerRoundMax: 2_000,
  /** Builds past their time that are looked at in one round. */
  silentBuildsMax: 100,
  /** For so long, from its first build on, a proof may be kept from other accounts by building again. */
  softClaimMinutesMax: 10,
  /** Builds that share one transaction; that wait of one account and network; and transactions of builds under way at once. */
  buildBatchMax: 64,
  buildQueueMax: 2_000,
  buildTransactionsMax: 4,
  /** How many builds of one account one transaction is held against. */
  buildsPerMarkMax: 100,
  /** As many places behind a submitted allowance are looked at for its sale: other builds may stand between the two. */
  approvalPlacesMax: 32,
  /** Signed forms of one build that are stored and sent. */
  submissionsPerBuildMax: 16,
  /** A build that nobody has sent for so long is asked about no more; a block that holds it is still recognised. */
  dormantBuildDays: 30,
} as const

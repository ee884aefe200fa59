/** Bounds of what is asked of nodes: a part of the table of limits. */
export const nodeLimits = {
  nodeCallSeconds: 10,
  /** The same where another node can be asked instead. */
  nodeCallWithOthersSeconds: 5,
  /** What a wallet has on all its networks is asked for so long: a read of a lone node that hangs, and a moment for each asset by itself. */
  balancesSeconds: 12,
  /** How long a node that failed is not read, doubled each time it fails again, up to the second. */
  nodeAsideSeconds: 15,
  nodeAsideSecondsMax: 240,
  /**
   * A node that has given no result for so long, while others did, has no say in whether a transaction is dead: some twenty times as long as Solana takes
   * a blockhash, so that whatever it could know of it stands in final blocks of the others. Between two questions at most so much of it counts: longer than
   * a node is left alone.
   */
  nodeSilentSeconds: 1_800,
  nodeSilentGapSecondsMax: 300,
  /** The same for one that answers and does not move, once another one went on by so many blocks: four times as long as a blockhash is taken. */
  nodeStillBlocksMin: 600,
  /** Answers that take longer, so many in a row, put a node aside, too. */
  nodeSlowMilliseconds: 2_000,
  nodeSlowAnswersMax: 3,
  /** How often the heights of a network's nodes are compared, and how long the highest of them counts. */
  nodeLookSeconds: 5,
  nodeHeightSeconds: 30,
  /** How far a node may be behind another: this many blocks, or as many as the seconds hold where blocks are quick. */
  nodeBehindBlocksMax: 5,
  nodeBehindSecondsMax: 15,
  /** How far one answer alone may be ahead of the slots that time allows since the last one. */
  slotSlackSeconds: 15,
  nodeResponseBytesMax: 32 * 1024 * 1024,
  /** JSON-RPC calls in one HTTP request; providers refuse larger batches. */
  nodeBatchCallsMax: 100,
  /** Of one that a node refuses as too large, the parts that are under way at once; and how long it is asked in such parts. */
  nodeBatchPartsMax: 4,
  nodeBatchPartsSeconds: 3_600,
  /** Of what a node says with a status that is no success, to be read. */
  nodeErrorBytesMax: 64 * 1024,
  /** HTTP requests to a network's nodes under way at once; what comes later shares bigger batches. */
  nodeRequestsMax: 16,
  /** Reads of which callers decide the size, under way at once to a network's nodes beside all others, and how many may wait. */
  nodeApartMax: 2,
  nodeApartWaitingMax: 4,
  /** Gas that a simulation may use; what wants more is run with this much. */
  simulatedGasMax: 1_000_000,
  /** Simulations of one account under way at once; one more is refused. */
  simulationsPerAccountMax: 2,
  /** Broadcasts under way at once to one node; it misses one more, which is sent again later. */
  nodeTellsMax: 64,
  /** Different reads that may wait for their turn; one more fails at once. */
  nodeReadsMax: 10_000,
  /** Between two rounds on a chain whose blocks come more quickly than that: each costs a few calls, however many blocks have come. With what a round takes it is about a second until a payment is told. */
  followGatherMilliseconds: 800,
  /** What a node calls final is asked for once in so long, or more often where it is near the head. */
  finalAskedMillisecondsMax: 5_000,
  /** Blocks of which all transactions are kept for whoever reads them next, and the characters of these together. */
  keptBlocksMax: 32,
  keptBlockCharactersMax: 8_000_000,
  /** So many blocks are asked for together with all of their transactions, of a chain of quick ones. */
  wholeBlocksPerReadMax: 8,
  /** Fewer logs of several blocks than these are believed to be all. */
  logRangeLogsMax: 1_000,
  /** How long nobody asks for the logs of several blocks at once behind a node that refuses it. */
  logRangePauseMilliseconds: 60_000,
} as const

/** Bounds of what buys from other services: a part of the table of limits. */
export const purchaseLimits = {
  /** A purchase: asking a seller without the payment, signing, showing it, and then waiting for the chain. */
  fetchAskSeconds: 15,
  fetchSignSeconds: 10,
  /** How long one caller alone may show a payment to its seller; the request itself ends before, by the spare. */
  fetchExchangeSeconds: 35,
  fetchExchangeSpareSeconds: 3,
  fetchConfirmSeconds: 4,
  /** How long an authorization of a wallet of ours is good for at most, whatever its seller asks. */
  fetchAuthorizationSecondsMax: 300,
  /** How far ahead of this machine's clock a chain's newest block is believed to be: further than any time zone that was taken for another. */
  chainAheadSecondsMax: 24 * 3600,
  /** Of a seller's answer. */
  fetchBodyBytesMax: 1024 * 1024,
  /** How long an instance remembers that goods were longer than that, and of how many requests. */
  fetchTooLongSeconds: 3_600,
  fetchTooLongMax: 10_000,
  /** Of what is read of a demand in the body, packed or unpacked. */
  fetchDemandBytesMax: 64 * 1024,
  fetchHeadersMax: 50,
  fetchHeaderCharactersMax: 16 * 1024,
  fetchOffersMax: 32,
  /** How often one payment is shown to its seller, however often its caller repeats the request. */
  fetchShowsMax: 20,
  /** Requests of one account to sellers, under way at once in one instance: slow sellers of one hold up nobody else's. */
  fetchRequestsPerAccountMax: 16,
  /** Authorizations that are looked at in one round, of how many the chain is asked at once, and how long one rests at most. */
  purchasesPerRoundMax: 500,
  purchasesPerReadMax: 100,
  purchaseLookSecondsMax: 15,
  /** Between two looks at one whose buyer waits, doubled each time. */
  purchaseUntilPaidMillisecondsMin: 25,
  purchaseUntilPaidMillisecondsMax: 500,
  /** Of how many at once it is asked by what they were used: each takes several questions, for some of which a node has few places. */
  purchaseFindsAtOnceMax: 2,
  /**
   * One in a block of which the nodes contradict each other whether it failed: between two questions, doubled each time up to the second, how many are asked
   * for at once, and after how many answers one is put aside for a person.
   */
  purchaseDoubtSecondsMin: 5,
  purchaseDoubtSecondsMax: 600,
  purchaseDoubtsAtOnceMax: 8,
  purchaseDoubtAsksMax: 8,
  /** Open purchases of one account on one network of which the chain shows nothing yet, of all sellers and of one: each is asked about until it ends. */
  purchasesSilentMax: 2_000,
  purchasesSilentOfSellerMax: 500,
  /** When a purchase that is the same to the letter as another one is signed anew: after the next block it is not. */
  sameProofAgainMilliseconds: 500,
} as const

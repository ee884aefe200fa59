/** What the Solana sandbox claims to be: devnet's id and USDC mint, so that stock clients need no setting. */
export const SOLANA_NETWORK = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1'
export const SOLANA_USDC = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU'
export const SOLANA_USDC_DECIMALS = 6
export const SOL_DECIMALS = 9
export const SLOT_MILLISECONDS = 400
/** Blocks for which a blockhash can be used after the block that it names. */
export const BLOCKHASH_BLOCKS = 150
/**
 * Slots below the open one from which a slot on disk is called finalized. Clusters take 32 (13 s); no client knows the
 * number, they ask for the commitment. Four keeps all three commitments apart for a client that polls, and people wait 2 s.
 */
export const FINAL_DEPTH = 4

import type { Verdict } from '../chain.ts'

const KNOWN: Verdict = { kind: 'known' }
const SHORT: Verdict = { kind: 'rejected', reason: 'insufficient_funds' }
const INVALID: Verdict = { kind: 'rejected', reason: 'invalid' }

/** The code a saying comes with, the text, and what it means. The texts are Agave's. */
export const SAYINGS: readonly [number, string, Verdict][] = [
  [-32002, 'Transaction simulation failed: This transaction has already been processed', KNOWN],
  [-32002, 'This transaction has already been processed', KNOWN],
  [-32002, 'AlreadyProcessed', KNOWN],
  [-32003, 'Transaction signature verification failure', INVALID],
  [
    -32602,
    'base64 encoded solana_transaction::versioned::VersionedTransaction too large: 1720 bytes (max: encoded/raw 1644/1232)',
    INVALID,
  ],
  [
    -32602,
    'decoded solana_transaction::versioned::VersionedTransaction too large: 1300 bytes (max: 1232 bytes)',
    INVALID,
  ],
  [
    -32602,
    'failed to deserialize solana_transaction::versioned::VersionedTransaction: io error',
    INVALID,
  ],
  [-32602, 'invalid base64 encoding: InvalidByte(0, 33)', INVALID],
  [
    -32602,
    'invalid transaction: Transaction failed to sanitize accounts offsets correctly',
    INVALID,
  ],
  [
    -32002,
    'Transaction simulation failed: Attempt to debit an account but found no record of a prior credit.',
    SHORT,
  ],
  [-32002, 'Transaction simulation failed: Insufficient funds for fee', SHORT],
  [
    -32002,
    'Transaction simulation failed: Transaction results in an account (0) with insufficient funds for rent',
    SHORT,
  ],
]

/** Texts of nodes in trouble, or behind: the bytes may be on their way, or be taken a moment later. */
export const TROUBLES: readonly [number, string][] = [
  [-32002, 'Transaction simulation failed: Blockhash not found'],
  [-32002, 'Blockhash not found'],
  [
    -32002,
    'Transaction simulation failed: Error processing Instruction 2: custom program error: 0x1',
  ],
  [-32004, 'Block not available for slot 5'],
  [-32005, 'Node is unhealthy'],
  [-32005, 'Node is behind by 42 slots'],
  [-32016, 'Minimum context slot has not been reached'],
  [-32429, 'rate limited'],
  [429, 'Too many requests for a specific RPC call'],
  [402, 'insufficient funds: top up your plan to continue'],
  [403, 'Access forbidden'],
  [-32603, 'Internal error'],
  [-32600, 'Invalid request'],
  [-32601, 'Method not found'],
  [-32000, 'the sandbox node is restarting'],
  [0, ''],
  [0, 'no reason'],
]

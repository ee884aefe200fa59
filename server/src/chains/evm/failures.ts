import type { Verdict } from '../chain.ts'
import type { NodeError } from '../json-rpc/messages.ts'

type Meaning = Exclude<Verdict, { kind: 'accepted' | 'unknown' }>

/**
 * What nodes say when they do not take a transaction, in the order of looking. Only texts that can mean one thing are
 * here; everything else is `unknown`, because a rejection that is believed too easily loses a payment.
 * The texts are those of geth, op-geth, Nitro, Bor, reth, Erigon, Nethermind, Besu, anvil, Hardhat and zkSync.
 */
const MEANINGS: readonly (readonly [RegExp, Meaning])[] = [
  [/\balready known\b|\balready imported\b|^AlreadyKnown\b/i, { kind: 'known' }],
  [
    /^known transaction\b|^tx already in mempool\b|existing tx with same hash|^(?:INTERNAL_ERROR: )?mined$/i,
    { kind: 'known' },
  ],
  [/\bnonce (?:is )?too low\b|^OldNonce\b/i, { kind: 'nonce_too_low' }],
  [/^OwnNonceAlreadyUsed\b|^nonce has already been used\b/i, { kind: 'nonce_too_low' }],
  [
    /replacement (?:transaction|tx)(?: is)? underpriced|replacement fee too low|ReplacementNotAllowed/i,
    { kind: 'replacement_underpriced' },
  ],
  [
    /could not replace existing tx|replaced by transaction with higher tip/i,
    { kind: 'replacement_underpriced' },
  ],
  [/\bnonce (?:is )?too high\b|^NonceGap\b|^NonceTooFarInFuture\b/i, { kind: 'nonce_too_high' }],
  [/nonce is too distant from current sender nonce|gapped-nonce tx/i, { kind: 'nonce_too_high' }],
  [
    /insufficient funds for (?:gas|transfer)|^(?:INTERNAL_ERROR: )?insufficient funds$/i,
    { kind: 'rejected', reason: 'insufficient_funds' },
  ],
  [
    /^InsufficientFunds\b|upfront cost exceeds account balance|insufficient balance for transfer/i,
    { kind: 'rejected', reason: 'insufficient_funds' },
  ],
  [
    /sender doesn't have enough funds to send tx|not enough balance to cover the fee/i,
    { kind: 'rejected', reason: 'insufficient_funds' },
  ],
  [
    /max fee per gas less than block base fee|gas price below (?:current base fee|(?:the )?configured min)/i,
    { kind: 'rejected', reason: 'fee_too_low' },
  ],
  [
    /^(?:INTERNAL_ERROR: )?(?:transaction )?underpriced\b|^FeeTooLow|^fee too low$/i,
    { kind: 'rejected', reason: 'fee_too_low' },
  ],
  [
    /gas tip cap .*below|gas price below minimum|transaction gas price too low/i,
    { kind: 'rejected', reason: 'fee_too_low' },
  ],
  [
    /intrinsic gas (?:too low|exceeds gas limit)|floor data gas|^IntrinsicGas/i,
    { kind: 'rejected', reason: 'invalid' },
  ],
  [
    /exceeds block gas limit|^GasLimitExceeded\b|gas limit too high/i,
    { kind: 'rejected', reason: 'invalid' },
  ],
  [
    /(?:invalid|wrong|incorrect) ?chain ?id|^InvalidTxChainId\b|^invalid sender\b|^InvalidSender\b/i,
    { kind: 'rejected', reason: 'invalid' },
  ],
  [
    /^invalid (?:transaction )?signature|^InvalidTxSignature\b|sender not an eoa|SenderIsContract/i,
    { kind: 'rejected', reason: 'invalid' },
  ],
  [
    /^(?:transaction|tx) type not supported|^NotSupportedTxType\b|tx fee .*exceeds the configured cap/i,
    { kind: 'rejected', reason: 'invalid' },
  ],
  [
    /max priority fee per gas (?:higher than|exceeds) max fee per gas/i,
    { kind: 'rejected', reason: 'invalid' },
  ],
  [
    /^oversized data\b|^MaxTxSizeExceeded\b|^rlp: |^failed to decode signed transaction\b/i,
    { kind: 'rejected', reason: 'invalid' },
  ],
]

/** What a node's error on a broadcast means; a text that nobody listed is `unknown`. */
export function verdictOf({ code, message }: NodeError): Verdict {
  const text = message.trim()
  const found = MEANINGS.find(([pattern]) => pattern.test(text))
  return found?.[1] ?? { kind: 'unknown', reason: `${code} ${text}` }
}

/** Why a node cannot estimate a call: its sender is short of money, or the call fails. */
export type EstimateProblem = 'short' | 'reverted'

const EXECUTION_REVERTED = 3
const REVERTED: readonly RegExp[] = [/\brevert/i]
const SHORT: readonly RegExp[] = [
  /\bOutOfFunds\b|insufficient (?:funds|balance|sender balance)|doesn't have enough funds/i,
  /insufficient MaxFeePerGas for sender balance|upfront cost exceeds account balance/i,
]
const FAILED: readonly RegExp[] = [
  /always failing transaction|gas required exceeds allowance|out of gas|^VM execution error/i,
  /invalid opcode|InvalidFEOpcode|(?:bad|invalid) jump|stack (?:under|over)flow|write protection/i,
  /^EVM error/i,
]

/** What a node's error on an estimate means; undefined when it is only the node's own trouble. */
export function estimateProblemOf({ code, message }: NodeError): EstimateProblem | undefined {
  // A revert comes first: its text is the contract's own and may speak of funds.
  const says = (patterns: readonly RegExp[]): boolean =>
    patterns.some((pattern) => pattern.test(message))
  if (code === EXECUTION_REVERTED || says(REVERTED)) return 'reverted'
  if (says(SHORT)) return 'short'
  return says(FAILED) ? 'reverted' : undefined
}

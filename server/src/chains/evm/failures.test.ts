import { describe, expect, test } from 'vitest'
import type { Verdict } from '../chain.ts'
import { estimateProblemOf, isUnknownMethod, verdictOf } from './failures.ts'

const KNOWN: Verdict = { kind: 'known' }
const LOW: Verdict = { kind: 'nonce_too_low' }
const HIGH: Verdict = { kind: 'nonce_too_high' }
const POOLED: Verdict = { kind: 'replacement_underpriced' }
const SHORT: Verdict = { kind: 'rejected', reason: 'insufficient_funds' }
const CHEAP: Verdict = { kind: 'rejected', reason: 'fee_too_low' }
const INVALID: Verdict = { kind: 'rejected', reason: 'invalid' }

/** Who says it, the code it comes with, the text, and what it means. */
const SAYINGS: readonly [string, number, string, Verdict][] = [
  ['geth', -32000, 'already known', KNOWN],
  ['anvil', -32003, 'transaction already imported', KNOWN],
  ['Erigon', -32000, 'existing tx with same hash', KNOWN],
  ['Erigon', -32000, 'mined', KNOWN],
  ['a Cosmos chain', -32000, 'tx already in mempool', KNOWN],
  ['Bor', -32000, 'INTERNAL_ERROR: existing tx with same hash', KNOWN],
  ['Nethermind', -32010, 'AlreadyKnown', KNOWN],
  ['Besu', -32000, 'Known transaction', KNOWN],
  ['a gateway', -32000, 'ALREADY_EXISTS: already known', KNOWN],
  ['zkSync', 3, 'known transaction. transaction with hash 0x1 is already in the system', KNOWN],
  ['geth', -32000, 'nonce too low', LOW],
  ['geth', -32000, 'nonce too low: next nonce 5, tx nonce 3', LOW],
  [
    'geth',
    -32000,
    'nonce too low: address 0x8ba1f109551bD432803012645Ac136ddd64DBA72, tx: 3 state: 5',
    LOW,
  ],
  ['reth', -32000, 'nonce too low: next nonce 1, tx nonce 0', LOW],
  ['anvil', -32003, 'nonce too low', LOW],
  ['Besu', -32001, 'Nonce too low', LOW],
  ['Nethermind', -32010, 'OldNonce, Current nonce: 5, nonce of rejected tx: 3', LOW],
  ['Nethermind', -32010, 'OwnNonceAlreadyUsed', LOW],
  ['Hardhat', -32000, 'Nonce too low. Expected nonce to be 5 but got 4.', LOW],
  ['Bor', -32000, 'INTERNAL_ERROR: nonce too low', LOW],
  ['geth', -32000, 'replacement transaction underpriced', POOLED],
  ['reth', -32000, 'replacement transaction underpriced', POOLED],
  ['anvil', -32003, 'replacement transaction underpriced', POOLED],
  ['Erigon', -32000, 'could not replace existing tx', POOLED],
  ['Erigon', -32000, 'replaced by transaction with higher tip', POOLED],
  ['Besu', -32000, 'Replacement transaction underpriced', POOLED],
  ['Nethermind', -32010, 'ReplacementNotAllowed', POOLED],
  [
    'geth, which also says how',
    -32000,
    'replacement transaction underpriced: new tx gas fee cap 100000000 <= 100000000 queued',
    POOLED,
  ],
  ['geth', -32000, 'nonce too high', HIGH],
  ['Nitro', -32000, 'nonce too high: address 0x8ba1, tx: 9 state: 5', HIGH],
  ['Nethermind', -32010, 'NonceGap, Future nonce. Expected nonce: 5', HIGH],
  ['Besu', -32006, 'Transaction nonce is too distant from current sender nonce', HIGH],
  ['geth', -32000, 'gapped-nonce tx from delegated accounts', HIGH],
  ['Hardhat', -32000, 'Nonce too high. Expected nonce to be 0 but got 4. Note that ...', HIGH],
  [
    'geth',
    -32000,
    'insufficient funds for gas * price + value: balance 0, tx cost 42, overshot 42',
    SHORT,
  ],
  ['reth', -32003, 'insufficient funds for gas * price + value: have 0 want 42', SHORT],
  ['anvil', -32003, 'Insufficient funds for gas * price + value', SHORT],
  ['geth', -32000, 'insufficient funds for transfer', SHORT],
  ['Erigon', -32000, 'insufficient funds', SHORT],
  ['Nethermind', -32010, 'InsufficientFunds, Account balance: 0, cumulative cost: 42', SHORT],
  ['Besu', -32004, 'Upfront cost exceeds account balance', SHORT],
  [
    'Hardhat',
    -32000,
    "Sender doesn't have enough funds to send tx. The max upfront cost is: 42",
    SHORT,
  ],
  ['anvil', -32003, 'max fee per gas less than block base fee', CHEAP],
  [
    'Nitro',
    -32000,
    'max fee per gas less than block base fee: address 0x8ba1, maxFeePerGas: 1, baseFee: 100',
    CHEAP,
  ],
  ['geth', -32000, 'transaction underpriced', CHEAP],
  ['geth', -32000, 'transaction underpriced: gas tip cap 1, minimum needed 1000000', CHEAP],
  ['geth', -32000, 'transaction gas price below minimum: gas tip cap 0, minimum needed 1', CHEAP],
  ['Erigon', -32000, 'underpriced', CHEAP],
  ['Nethermind', -32010, 'FeeTooLowToCompete', CHEAP],
  ['Nethermind', -32010, 'FeeTooLow, MaxFeePerGas too low', CHEAP],
  ['Besu', -32009, 'Gas price below configured minimum gas price', CHEAP],
  ['Besu', -32009, 'Gas price below current base fee', CHEAP],
  ['geth', -32000, 'intrinsic gas too low', INVALID],
  ['geth', -32000, 'intrinsic gas too low: gas 1, minimum needed 21000', INVALID],
  [
    'geth',
    -32000,
    'insufficient gas for floor data gas cost: gas 1, minimum needed 21000',
    INVALID,
  ],
  ['Besu', -32003, 'Intrinsic gas exceeds gas limit', INVALID],
  ['geth', -32000, 'exceeds block gas limit', INVALID],
  ['Nethermind', -32010, 'GasLimitExceeded, Block gas limit: 1', INVALID],
  ['geth', -32000, 'invalid chain id for signer: have 1 want 2', INVALID],
  ['anvil', -32003, 'invalid chain id for signer', INVALID],
  ['reth', -32000, 'invalid chain ID', INVALID],
  ['Besu', -32000, 'Wrong chainId', INVALID],
  ['geth', -32000, 'invalid sender', INVALID],
  ['geth', -32000, 'transaction type not supported', INVALID],
  ['geth', -32000, 'tx fee (1.20 ether) exceeds the configured cap (1.00 ether)', INVALID],
  [
    'geth',
    -32000,
    'max priority fee per gas higher than max fee per gas: address 0x8ba1, maxPriorityFeePerGas: 2, maxFeePerGas: 1',
    INVALID,
  ],
  ['geth', -32602, 'rlp: value size exceeds available input length', INVALID],
  ['reth', -32602, 'failed to decode signed transaction', INVALID],
]

/** Texts of nodes and gateways in trouble: the bytes may be in a pool, or be taken a moment later. */
const TROUBLES: readonly [number, string][] = [
  [-32000, 'txpool is full'],
  [-32000, 'pending sub-pool is full'],
  [-32000, 'context deadline exceeded'],
  [-32000, 'queue full'],
  [-32000, 'sequencer temporarily not available'],
  [-32000, 'in-flight transaction limit reached for delegated accounts'],
  [-32000, 'account limit exceeded: 64'],
  [-32000, 'future transaction tries to replace pending'],
  [-32000, 'spammer'],
  [-32000, 'transaction is temporarily banned'],
  [-32000, 'An invalid transaction with a lower nonce exists'],
  [-32000, 'the sandbox node is restarting'],
  [-32002, 'request timed out'],
  [-32005, 'daily request count exceeded, request rate limited'],
  [-32005, 'limit exceeded'],
  [-32007, '50/second request limit reached - reduce calls per second'],
  [-32010, 'Syncing'],
  [-32603, 'Internal error'],
  [-32603, 'method handler crashed'],
  [-32601, 'the method eth_sendRawTransaction does not exist/is not available'],
  [429, 'Your app has exceeded its compute units per second capacity.'],
  [402, 'insufficient funds: top up your plan to continue'],
  [402, 'Payment required: your credit balance is underfunded'],
  [0, ''],
  [0, 'no reason'],
]

describe('what a node says of a transaction', () => {
  test.each(SAYINGS)('%s %d "%s"', (_, code, message, verdict) => {
    expect(verdictOf({ code, message })).toEqual(verdict)
  })

  test.each(TROUBLES)('%d "%s" decides nothing', (code, message) => {
    expect(verdictOf({ code, message })).toEqual({ kind: 'unknown', reason: `${code} ${message}` })
  })
})

describe('what a node says of an estimate', () => {
  test.each([
    [3, 'execution reverted'],
    [3, 'execution reverted: ERC20: transfer to blacklisted'],
    [-32000, 'execution reverted'],
    [-32000, 'execution reverted: ERC20: insufficient balance'],
    [-32000, 'gas required exceeds allowance (50000000)'],
    [-32000, 'invalid opcode: INVALID'],
    [-32000, 'stack underflow (0 <=> 1)'],
    [-32000, 'out of gas'],
    [-32003, 'EVM error InvalidFEOpcode'],
    [-32015, 'VM execution error.'],
    [-32000, 'Execution reverted'],
    [-32000, 'Transaction failed, out of gas or always failing transaction'],
  ])('%d "%s": the call fails', (code, message) => {
    expect(estimateProblemOf({ code, message })).toBe('reverted')
  })

  test.each([
    [-32000, 'insufficient funds for gas * price + value: address 0x1 have 0 want 1'],
    [-32000, 'insufficient funds for transfer'],
    [-32003, 'Insufficient funds for gas * price + value'],
    [-32000, 'insufficient balance for transfer'],
    [-32000, 'insufficient sender balance'],
    [-32003, 'EVM error: OutOfFunds'],
    [-32000, 'failed with 16777216 gas: insufficient funds for gas * price + value'],
    [-32004, 'Upfront cost exceeds account balance'],
  ])('%d "%s": the sender is short', (code, message) => {
    expect(estimateProblemOf({ code, message })).toBe('short')
  })

  test.each([
    [-32603, 'Internal error'],
    [-32000, 'header not found'],
    [-32001, 'BlockOutOfRangeError: block height is 5 but requested was 6'],
    [-32005, 'limit exceeded'],
    [-32000, 'Required data unavailable'],
  ])('%d "%s": the node is in trouble', (code, message) => {
    expect(estimateProblemOf({ code, message })).toBeUndefined()
  })
})

describe('what a node says of a method that it does not know', () => {
  test.each([
    [-32601, 'the method florin_sandbox does not exist/is not available'],
    [-32601, 'Method not found'],
    [-32600, 'Unsupported method: florin_sandbox. See available methods.'],
    [-32601, 'The method florin_sandbox is not supported.'],
    [-32004, 'method is not whitelisted'],
  ])('%d "%s"', (code, message) => {
    expect(isUnknownMethod({ code, message })).toBe(true)
  })

  test.each([
    [-32603, 'Internal error'],
    [-32005, 'limit exceeded'],
    [-32000, 'header not found'],
  ])('%d "%s" is something else', (code, message) => {
    expect(isUnknownMethod({ code, message })).toBe(false)
  })
})

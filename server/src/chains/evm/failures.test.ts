import { describe, expect, test } from 'vitest'
import { SAYINGS } from './test-sayings.ts'
import { estimateProblemOf, verdictOf } from './failures.ts'

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

import * as kit from '@solana/kit'
import { expect, test } from 'vitest'
import { NodeFailure } from '../chain.ts'
import { script, startScripted } from './test-script.ts'
import { paymentSimulationRead } from './exact-check.ts'
import { compileMessage } from './message.ts'
import { knownAddress } from './account.ts'
import { encodeBase58 } from './base58.ts'
import { NO_SIGNATURE, withSignature } from './sign.ts'
import type { Standing } from './simulation-doubt.ts'

const standing: Standing = { seenSlot: () => 10n, blockTimeMilliseconds: 400 }
const said = (err: unknown) => ({ context: { slot: 10 }, value: { err } })
const verdictOn = (err: unknown) => paymentSimulationRead('', standing).parse(said(err)).check

/** Each error that a transaction can have, and whether it speaks of the transaction. */
const ERRORS: readonly (readonly [unknown, boolean])[] = [
  ['AccountInUse', false],
  ['AccountLoadedTwice', true],
  ['ProgramAccountNotFound', true],
  ['AlreadyProcessed', true],
  ['BlockhashNotFound', true],
  [{ InstructionError: [2, { Custom: 1 }] }, true],
  ['CallChainTooDeep', true],
  ['MissingSignatureForFee', true],
  ['InvalidAccountIndex', true],
  ['SignatureFailure', true],
  ['InvalidProgramForExecution', true],
  ['SanitizeFailure', true],
  ['ClusterMaintenance', false],
  ['AccountBorrowOutstanding', false],
  ['WouldExceedMaxBlockCostLimit', false],
  ['UnsupportedVersion', true],
  ['InvalidWritableAccount', true],
  ['WouldExceedMaxAccountCostLimit', false],
  ['WouldExceedAccountDataBlockLimit', false],
  ['TooManyAccountLocks', true],
  ['AddressLookupTableNotFound', true],
  ['InvalidAddressLookupTableOwner', true],
  ['InvalidAddressLookupTableData', true],
  ['InvalidAddressLookupTableIndex', true],
  ['InvalidRentPayingAccount', true],
  ['WouldExceedMaxVoteCostLimit', false],
  ['WouldExceedAccountDataTotalLimit', false],
  [{ DuplicateInstruction: 3 }, true],
  [{ InsufficientFundsForRent: { account_index: 3 } }, true],
  ['MaxLoadedAccountsDataSizeExceeded', true],
  ['InvalidLoadedAccountsDataSizeLimit', true],
  ['ResanitizationNeeded', false],
  [{ ProgramExecutionTemporarilyRestricted: { account_index: 3 } }, false],
  ['UnbalancedTransaction', false],
  ['ProgramCacheHitMaxLimit', false],
  ['CommitCancelled', false],
  ['SomethingThatNobodyKnowsYet', false],
]
/** Whose fault a fee payer is that cannot pay, is a matter of its own. */
const OF_THE_FEE_PAYER = ['AccountNotFound', 'InsufficientFundsForFee', 'InvalidAccountForFee']

test.each(ERRORS)('%j speaks of the transaction: %s', (err, isFault) => {
  const reason = isFault ? 'invalid_exact_svm_transaction_simulation_failed' : 'network_unavailable'
  expect(verdictOn(err)).toMatchObject({ ok: false, reason })
})

test('every error that the kit knows is judged', () => {
  const nameOf = (err: unknown) => (typeof err === 'string' ? err : Object.keys(err ?? {})[0])
  const judged = new Set([...ERRORS.map(([err]) => nameOf(err)), ...OF_THE_FEE_PAYER])
  const prefix = 'SOLANA_ERROR__TRANSACTION_ERROR__'
  const known = Object.keys(kit)
    .filter((name) => name.startsWith(prefix) && !name.endsWith('__UNKNOWN'))
    .map((name) =>
      name
        .slice(prefix.length)
        .split('_')
        .map((word) => `${word.slice(0, 1)}${word.slice(1).toLowerCase()}`)
        .join(''),
    )
  expect(known.length).toBeGreaterThan(30)
  expect(known.filter((name) => !judged.has(name))).toEqual([])
})

test('a run that says nothing of the transaction is told to nobody as its failure', async () => {
  const payer = knownAddress(encodeBase58(new Uint8Array(32).fill(9)))
  const blockhash = knownAddress(encodeBase58(new Uint8Array(32).fill(1)))
  const bytes = withSignature(NO_SIGNATURE, compileMessage(payer, [], blockhash))
  const runs = async (err: unknown) => {
    const { chain, stop } = await startScripted([
      script({
        simulateTransaction: said(err),
        getMultipleAccounts: { context: { slot: 10 }, value: [null] },
      }),
    ])
    try {
      return await chain.selfCustody?.simulate(bytes)
    } finally {
      await stop()
    }
  }
  await expect(runs('ClusterMaintenance')).rejects.toThrow(NodeFailure)
  expect(await runs('AlreadyProcessed')).toMatchObject({ succeeds: false })
})

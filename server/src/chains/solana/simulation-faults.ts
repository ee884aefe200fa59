import type { Fields } from '../json-rpc/answer.ts'

/**
 * What a simulation can say against the transaction itself, its accounts or its time. Whatever else there is speaks of the cluster, of a block's
 * other transactions or of the node (`ClusterMaintenance`, `AccountInUse`, `WouldExceedMaxBlockCostLimit`): the same bytes may pass a moment later, and
 * whoever signed them can do nothing about it. One that nobody here knows is no verdict, either. Source: Agave, `TransactionError`.
 */
const FAULTS: ReadonlySet<string> = new Set([
  'AccountLoadedTwice',
  'AccountNotFound',
  'AddressLookupTableNotFound',
  'AlreadyProcessed',
  'BlockhashNotFound',
  'CallChainTooDeep',
  'DuplicateInstruction',
  'InstructionError',
  'InsufficientFundsForFee',
  'InsufficientFundsForRent',
  'InvalidAccountForFee',
  'InvalidAccountIndex',
  'InvalidAddressLookupTableData',
  'InvalidAddressLookupTableIndex',
  'InvalidAddressLookupTableOwner',
  'InvalidLoadedAccountsDataSizeLimit',
  'InvalidProgramForExecution',
  'InvalidRentPayingAccount',
  'InvalidWritableAccount',
  'MaxLoadedAccountsDataSizeExceeded',
  'MissingSignatureForFee',
  'ProgramAccountNotFound',
  'SanitizeFailure',
  'SignatureFailure',
  // Of all that it names itself, however busy the cluster is.
  'TooManyAccountLocks',
  'UnsupportedVersion',
])

/** Whether the `err` of a simulation speaks of the transaction. */
export function isOfTransaction(error: string | Fields): boolean {
  const name = typeof error === 'string' ? error : Object.keys(error)[0]
  return name !== undefined && FAULTS.has(name)
}

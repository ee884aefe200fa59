import type { JsonObject } from '../../host/json.ts'
import { isJsonArray, isJsonObject } from '../../host/json.ts'
import { resolveKeys } from '../chain/account-keys.ts'
import { asOf } from '../chain/as-of.ts'
import { base58Of } from '../chain/block.ts'
import { feeOf } from '../chain/fee.ts'
import type { Outcome, Simulated } from '../chain/svm.ts'
import type { TransactionError } from '../chain/transaction-error.ts'
import { storedInner, tokenBalances } from '../chain/transaction-record.ts'
import type { WireTransaction } from '../chain/wire-transaction.ts'
import type { RpcValue } from '../rpc-json.ts'
import { accountForm, accountView } from './account-view.ts'
import type { RpcContext, View } from './method.ts'
import { addressOf } from './params.ts'
import { innerView, parserFor, plainBalance } from './transaction-parts.ts'
import { invalidParams } from './rpc-failure.ts'

export interface SimulationWish {
  readonly view: View
  readonly verifySignatures: boolean
  readonly replaceBlockhash: boolean
  /** The caller's configuration, for `accounts` and `innerInstructions`. */
  readonly config: JsonObject
}

/**
 * Runs a transaction on the accounts of the view's slot, without keeping anything. What landed after that slot is as unknown as it
 * is to a node that is asked at that commitment. Gives back the transaction's error and the answer's value.
 */
export function simulate(
  { chain }: RpcContext,
  wire: WireTransaction,
  { view, verifySignatures, replaceBlockhash, config }: SimulationWish,
): { readonly error: TransactionError | null; readonly value: RpcValue } {
  const { bank } = chain
  const before = (address: string) => bank.readAt(address, view.slot)
  const keys = resolveKeys(wire.message, before)
  const known = 'error' in keys ? { keys: wire.message.staticAccounts, loaded: null } : keys
  const obstacle =
    (replaceBlockhash ? undefined : bank.obstacle(wire, view.slot)) ??
    ('error' in keys ? keys.error : undefined)
  const result: Simulated =
    obstacle === undefined
      ? asOf(bank, known.keys, view.slot, () =>
          bank.svm.simulate(wire.transaction, verifySignatures),
        )
      : { ...NOTHING, error: obstacle }
  const read = (address: string) => result.after.get(address) ?? before(address)
  const { returnData } = result
  const sizes = known.keys.map((key) => before(key)?.data.length ?? 0)
  return {
    error: result.error,
    value: {
      err: result.error,
      logs: result.logs,
      accounts: wantedAccounts(config, result, read),
      unitsConsumed: result.units,
      loadedAccountsDataSize: sizes.reduce((sum, size) => sum + size, 0),
      loadedAddresses: known.loaded === null ? null : { ...known.loaded },
      ...balancesOf(known.keys, result, before, feeOf(wire.message)),
      fee: obstacle === undefined ? feeOf(wire.message) : null,
      returnData:
        returnData === null
          ? null
          : {
              programId: returnData.programId,
              data: [Buffer.from(returnData.data).toString('base64'), 'base64'],
            },
      innerInstructions:
        config['innerInstructions'] === true
          ? innerView(storedInner(result.inner, base58Of), parserFor(known.keys, true))
          : null,
      replacementBlockhash: replaceBlockhash ? newestBlockhash(chain.bank) : null,
    },
  }
}

const NOTHING: Outcome & Simulated = {
  error: null,
  logs: [],
  units: 0n,
  inner: [],
  returnData: null,
  after: new Map(),
}

function wantedAccounts(
  config: JsonObject,
  { error }: Simulated,
  read: Parameters<typeof accountView>[2],
): RpcValue {
  const { accounts } = config
  if (!isJsonObject(accounts)) return null
  const { addresses } = accounts
  if (!isJsonArray(addresses)) throw invalidParams('Invalid params: accounts has addresses')
  const form = accountForm(accounts, 'base64')
  return addresses.map((value) => {
    const address = addressOf(value)
    return error === null ? accountView(read(address), form, read) : null
  })
}

/** What the accounts held and would hold; null when nothing ran. A failure takes its fee and nothing else. */
function balancesOf(
  keys: readonly string[],
  { error, logs, after }: Simulated,
  before: Parameters<typeof accountView>[2],
  fee: bigint,
): Readonly<Record<string, RpcValue>> {
  if (error !== null && logs.length === 0) {
    return {
      preBalances: null,
      postBalances: null,
      preTokenBalances: null,
      postTokenBalances: null,
    }
  }
  const then = (key: string) => after.get(key) ?? before(key)
  const lamports = (key: string) => before(key)?.lamports ?? 0n
  return {
    preBalances: keys.map(lamports),
    postBalances: keys.map((key, index) => {
      if (error === null) return then(key)?.lamports ?? 0n
      return index === 0 ? lamports(key) - fee : lamports(key)
    }),
    preTokenBalances: tokenBalances(keys, before).map(plainBalance),
    postTokenBalances: tokenBalances(keys, then).map(plainBalance),
  }
}

function newestBlockhash(bank: RpcContext['chain']['bank']): RpcValue {
  const blockhash = bank.open().previousHash
  return { blockhash, lastValidBlockHeight: bank.lastValidHeight(blockhash) ?? 0 }
}

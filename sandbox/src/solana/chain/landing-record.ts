import type { AccountKeys } from './account-keys.ts'
import type { StoredAccount } from './account.ts'
import { base58Of } from './block.ts'
import type { Block } from './block.ts'
import { instructionsOf } from './compiled-message.ts'
import type { Message } from './compiled-message.ts'
import { MEMO_PROGRAM, MEMO_V1_PROGRAM } from './program-addresses.ts'
import type { Outcome } from './svm.ts'
import { storedInner, tokenBalances } from './transaction-record.ts'
import type { TransactionRecord } from './transaction-record.ts'
import type { WireTransaction } from './wire-transaction.ts'

type Accounts = ReadonlyMap<string, StoredAccount | undefined>

/** Everything about a transaction that has just landed. */
export function recordOf({
  wire,
  keys: { keys, loaded },
  before,
  after,
  outcome,
  block,
  read,
}: {
  readonly wire: WireTransaction
  readonly keys: AccountKeys
  readonly before: Accounts
  readonly after: Accounts
  readonly outcome: Outcome
  readonly block: Block
  /** For mints that the message does not name. */
  readonly read: (address: string) => StoredAccount | undefined
}): TransactionRecord {
  const pre = balances(keys, before)
  const post = balances(keys, after)
  const among = (accounts: Accounts) => (address: string) =>
    accounts.has(address) ? accounts.get(address) : read(address)
  const { returnData } = outcome
  return {
    signature: wire.signature,
    slot: block.slot,
    time: block.time,
    wire: Buffer.from(wire.bytes).toString('base64'),
    messageHash: wire.messageHash,
    keys,
    loaded,
    error: outcome.error,
    // Lamports are neither made nor lost by a transaction, but for its fee.
    fee: String(sum(pre) - sum(post)),
    units: String(outcome.units),
    preBalances: pre.map(String),
    postBalances: post.map(String),
    preTokenBalances: tokenBalances(keys, among(before)),
    postTokenBalances: tokenBalances(keys, among(after)),
    logs: outcome.logs,
    inner: storedInner(outcome.inner, base58Of),
    returnData:
      returnData === null
        ? null
        : { ...returnData, data: Buffer.from(returnData.data).toString('base64') },
    memo: memoOf(wire.message),
  }
}

function balances(keys: readonly string[], accounts: Accounts): readonly bigint[] {
  return keys.map((key) => accounts.get(key)?.lamports ?? 0n)
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n)
}

/** "[length] text" of each memo, as the RPC writes them. */
function memoOf(message: Message): string | null {
  const memos = instructionsOf(message).flatMap(({ program: place, data }) => {
    const program = message.staticAccounts[place]
    if (program !== MEMO_PROGRAM && program !== MEMO_V1_PROGRAM) return []
    const bytes = Buffer.from(data)
    return [`[${bytes.length}] ${bytes.toString('utf8')}`]
  })
  return memos.length === 0 ? null : memos.join('; ')
}

import { baseUnits } from '@florin/wire/amount.ts'
import type { Address, AssetChange, Outcome, TokenTransfer, TransactionHash } from '../chain.ts'
import { fieldsFrom, listFrom, malformed } from '../json-rpc/answer.ts'
import type { Fields } from '../json-rpc/answer.ts'
import type { Read, Transport } from '../json-rpc/transport.ts'
import { addressFrom, integerFrom, transactionHashFrom } from './answer.ts'
import { balanceTransfers } from './balance-transfers.ts'
import { blockHashRead } from './blocks.ts'
import { allInstructions, lamportsMoved, topLevelInstructions } from './instructions.ts'
import type { Called } from './instructions.ts'
import { JUPITER_PROGRAM, NATIVE_MINT } from './programs.ts'
import { holdingsOf, tokenTransfers } from './token-transfers.ts'

/** How a transaction is read whole. */
export const outcomeOptions = {
  commitment: 'confirmed',
  encoding: 'json',
  maxSupportedTransactionVersion: 0,
}

const NO_PROGRAMS: ReadonlySet<string> = new Set()

type Mined = Extract<Outcome, { state: 'mined' }>
type Found = Omit<Mined, 'blockHash'> | undefined

/**
 * What the chain shows of each transaction, what programs of smart wallets moved by calls of their own included: one round trip, and one more for the
 * blocks that they stand in.
 */
export async function readOutcomes(
  transport: Transport,
  hashes: readonly TransactionHash[],
  walletPrograms: ReadonlySet<string>,
): Promise<readonly Outcome[]> {
  const found = await Promise.all(
    hashes.map((hash) => transport.read(lookUp(hash, walletPrograms))),
  )
  const slots = new Set(found.flatMap((each) => (each === undefined ? [] : [each.height])))
  const blockHashes = new Map(
    await Promise.all(
      [...slots].map(async (slot) => [slot, await transport.read(blockHashRead(slot))] as const),
    ),
  )
  return found.map((each) => {
    const blockHash = each === undefined ? undefined : blockHashes.get(each.height)
    return each === undefined || blockHash === undefined
      ? { state: 'absent' }
      : { ...each, blockHash }
  })
}

function lookUp(hash: TransactionHash, walletPrograms: ReadonlySet<string>): Read<Found> {
  return {
    method: 'getTransaction',
    params: [hash, outcomeOptions],
    parse: (result) => (result === null ? undefined : outcomeFrom(result, hash, walletPrograms)),
  }
}

/** Reads a transaction that the node gave whole, else throws NodeFailure. */
export function outcomeFrom(
  result: unknown,
  hash: TransactionHash,
  walletPrograms: ReadonlySet<string> = NO_PROGRAMS,
): Omit<Mined, 'blockHash'> {
  const fields = fieldsFrom(result, 'transaction')
  const meta = fieldsFrom(fields['meta'], "transaction's meta")
  const transaction = fieldsFrom(fields['transaction'], 'transaction')
  const [signature] = listFrom(transaction['signatures'], 'signatures')
  if (transactionHashFrom(signature, 'signature') !== hash) {
    throw malformed('signature', signature)
  }
  const message = fieldsFrom(transaction['message'], 'message')
  const accounts = accountsOf(message, meta)
  const called = topLevelInstructions(message, accounts)
  if (meta['err'] === undefined) throw malformed("transaction's err", meta['err'])
  const succeeded = meta['err'] === null
  return {
    state: 'mined',
    height: integerFrom(fields['slot'], 'slot'),
    succeeded,
    feePaid: baseUnits(costOf(meta, accounts, called)),
    transfers: succeeded ? moved(message, meta, accounts, walletPrograms) : [],
    senderChanges: senderChanges(meta, accounts),
  }
}

/**
 * A router and a smart wallet move what their caller hands them by their own hand; nobody else's inner instructions are somebody's own
 * transfers. Where a node keeps no inner instructions, the balances around a smart wallet's transaction tell what it moved.
 */
function moved(
  message: Fields,
  meta: Fields,
  accounts: readonly Address[],
  walletPrograms: ReadonlySet<string>,
): readonly TokenTransfer[] {
  const called = topLevelInstructions(message, accounts)
  const byWallet = called.find(({ program }) => walletPrograms.has(program))
  const isInner =
    byWallet !== undefined || called.some(({ program }) => program === JUPITER_PROGRAM)
  if (byWallet !== undefined && (meta['innerInstructions'] ?? null) === null) {
    return balanceTransfers(meta, accounts, byWallet.index)
  }
  const all = isInner ? allInstructions(message, meta, accounts) : called
  return tokenTransfers(meta, accounts, all)
}

/**
 * What the fee payer has more or less than before, the fee apart; its tokens over all of its accounts. Where an account of its wrapped
 * lamports is gone, all that it held before came out of it, rent too: those were its own lamports, no gain and no loss.
 */
function senderChanges(meta: Fields, accounts: readonly Address[]): readonly AssetChange[] {
  const [payer] = accounts
  const gained = balanceAt(meta, 'postBalances', 0) - balanceAt(meta, 'preBalances', 0)
  const changes = new Map([['native', gained + integerFrom(meta['fee'], 'fee')]])
  const add = (asset: string, delta: bigint) =>
    changes.set(asset, (changes.get(asset) ?? 0n) + delta)
  for (const [account, { owner, mint, before, after }] of holdingsOf(meta, accounts)) {
    if (owner !== payer) continue
    const at = accounts.indexOf(account)
    const isUnwrapped = mint === NATIVE_MINT && balanceAt(meta, 'postBalances', at) === 0n
    if (isUnwrapped) add('native', -balanceAt(meta, 'preBalances', at))
    else add(mint, after - before)
  }
  return [...changes].flatMap(([asset, delta]) => (delta === 0n ? [] : [{ asset, delta }]))
}

/** The accounts in the order in which the meta counts them: the message's own, then those of lookup tables. */
export function accountsOf(message: Fields, meta: Fields): readonly Address[] {
  const loaded = meta['loadedAddresses']
  const { writable = [], readonly = [] } =
    loaded === undefined || loaded === null ? {} : fieldsFrom(loaded, 'loaded addresses')
  return [message['accountKeys'], writable, readonly].flatMap((list) =>
    listFrom(list, 'account keys').map((each) => addressFrom(each, 'account key')),
  )
}

/** What the fee payer lost beyond the lamports that it sent: the fee, and rent of what it created. Never less than the fee. */
function costOf(meta: Fields, accounts: readonly Address[], called: readonly Called[]): bigint {
  const [payer] = accounts
  if (payer === undefined) throw malformed('account keys', '')
  const fee = integerFrom(meta['fee'], 'fee')
  const lost = balanceAt(meta, 'preBalances', 0) - balanceAt(meta, 'postBalances', 0)
  const cost = lost - lamportsMoved(called, payer)
  return cost > fee ? cost : fee
}

function balanceAt(meta: Fields, which: 'preBalances' | 'postBalances', at: number): bigint {
  return integerFrom(listFrom(meta[which], which)[at], which)
}

import { baseUnits } from '@florin/wire/amount.ts'
import { NodeFailure } from '../chain.ts'
import type {
  Address,
  AssetChange,
  Block,
  Outcome,
  TokenTransfer,
  TransactionHash,
} from '../chain.ts'
import { fieldsFrom, listFrom, malformed } from '../json-rpc/answer.ts'
import type { Fields } from '../json-rpc/answer.ts'
import type { Read, Transport } from '../json-rpc/transport.ts'
import {
  addressFrom,
  heightFrom,
  indexFrom,
  integerFrom,
  transactionErrorFrom,
  transactionHashFrom,
} from './answer.ts'
import { KNOWN_VERSIONS } from './any-version.ts'
import { balanceTransfers } from './balance-transfers.ts'
import { blockHashRead } from './blocks.ts'
import { SIGNATURE_FEE } from './fees.ts'
import { NotInItsBlock, readInBlock } from '../json-rpc/in-its-block.ts'
import { allInstructions, lamportsMoved, topLevelInstructions } from './instructions.ts'
import type { Called } from './instructions.ts'
import {
  COMPUTE_BUDGET_PROGRAM,
  JUPITER_PROGRAM,
  LIGHTHOUSE_PROGRAM,
  MEMO_PROGRAM,
  NATIVE_MINT,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from './programs.ts'
import { costOfTrade, lamportsBeside, tradeIn } from './program-trades.ts'
import type { CalledTrade } from './program-trades.ts'
import {
  holdingsOf,
  keepsTokenBalances,
  movesTokens,
  tokenTransfers,
  walletTransfers,
} from './token-transfers.ts'
import { areLamportsUntrue, isFailureUntrue } from './untrue-lamports.ts'
import { areMovesUntrue } from './untrue-moves.ts'
import type { OpenedModule } from './venue-module.ts'

/** How a transaction is read whole. */
export const outcomeOptions = {
  commitment: 'confirmed',
  encoding: 'json',
  ...KNOWN_VERSIONS,
}

/** What our own transactions and those of plain wallets call; none of these moves tokens by a call of its own for whoever signed. */
const PLAIN_PROGRAMS: ReadonlySet<string> = new Set([
  SYSTEM_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  TOKEN_PROGRAM,
  TOKEN_2022_PROGRAM,
  MEMO_PROGRAM,
  LIGHTHOUSE_PROGRAM,
])

type Mined = Extract<Outcome, { state: 'mined' }>
type Untold = Extract<Outcome, { state: 'untold' }>
type Found = Omit<Mined, 'blockHash'> | Omit<Untold, 'blockHash'> | undefined

/**
 * A node has the transaction and keeps too little of it or contradicts itself, or a module cannot read it, or what it says is none that can be read. Another one
 * may tell more.
 */
class UntoldTransfers extends NodeFailure {
  readonly height: bigint

  constructor(
    height: bigint,
    why = 'neither inner instructions, nor balances, nor a module tell what it did, or not the same',
  ) {
    super(why)
    this.height = height
  }
}

/**
 * What the chain shows of each transaction: one round trip, and one more for the blocks that they stand in. `followed`: blocks that the asker has just read,
 * so that what stands in one of them is there, however little of it can be read alone.
 */
export async function readOutcomes(
  transport: Transport,
  hashes: readonly TransactionHash[],
  modules: readonly OpenedModule[] = [],
  followed: readonly Pick<Block, 'height' | 'transactionHashes'>[] = [],
): Promise<readonly Outcome[]> {
  const heightOf = (hash: TransactionHash) =>
    followed.find(({ transactionHashes }) => transactionHashes.includes(hash))?.height
  const found = await Promise.all(
    hashes.map((hash) =>
      readInBlock(transport, lookUp(hash, modules, heightOf(hash))).catch(
        (error: unknown): Found => {
          if (error instanceof UntoldTransfers) return { state: 'untold', height: error.height }
          throw error
        },
      ),
    ),
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

function lookUp(
  hash: TransactionHash,
  modules: readonly OpenedModule[],
  standsAt: bigint | undefined,
): Read<Found> {
  return {
    method: 'getTransaction',
    params: [hash, outcomeOptions],
    parse: (result) => {
      if (result === null && standsAt !== undefined) throw new NotInItsBlock(hash)
      if (result === null) return undefined
      try {
        return outcomeFrom(result, hash, undefined, modules)
      } catch (error) {
        const isMalformed = error instanceof NodeFailure && !(error instanceof UntoldTransfers)
        if (!isMalformed || standsAt === undefined) throw error
        throw new UntoldTransfers(heightIn(result, hash) ?? standsAt, error.message)
      }
    },
  }
}

/** Where a node has a transaction of which nothing else can be read; undefined where it does not say that, either. */
function heightIn(result: unknown, hash: TransactionHash): bigint | undefined {
  try {
    const fields = fieldsFrom(result, 'transaction')
    requireHash(fieldsFrom(fields['transaction'], 'transaction'), hash)
    return heightFrom(fields['slot'], 'slot')
  } catch (error) {
    if (error instanceof NodeFailure) return undefined
    throw error
  }
}

/**
 * Reads a transaction that the node gave whole, else throws NodeFailure. `untold` is what is said of one whose transfers cannot be told
 * from what the node keeps; left out, that is a NodeFailure, too, since nothing told is not nothing moved, and so is a fee, a success or a failure
 * that the balances contradict.
 * Of a trade by a program of `modules`, and of tokens that a router sold, too little is kept without inner instructions: only where
 * `untold` is given is what there is taken instead.
 */
export function outcomeFrom(
  result: unknown,
  hash: TransactionHash,
  untold?: () => readonly TokenTransfer[],
  modules: readonly OpenedModule[] = [],
): Omit<Mined, 'blockHash'> {
  const fields = fieldsFrom(result, 'transaction')
  const meta = fieldsFrom(fields['meta'], "transaction's meta")
  const transaction = fieldsFrom(fields['transaction'], 'transaction')
  requireHash(transaction, hash)
  const message = fieldsFrom(transaction['message'], 'message')
  const accounts = accountsOf(message, meta)
  const called = topLevelInstructions(message, accounts)
  const succeeded = transactionErrorFrom(meta['err'], "transaction's err") === null
  const height = heightFrom(fields['slot'], 'slot')
  const read = succeeded ? tradeIn(called, modules) : undefined
  const isUnread = typeof read === 'string'
  if (isUnread && untold === undefined) throw new UntoldTransfers(height)
  const trade = isUnread ? undefined : read
  const isSold = succeeded && isRouted(called) && mayHaveSold(meta, accounts)
  if ((trade !== undefined || isSold) && untold === undefined && !keepsInner(meta)) {
    throw new UntoldTransfers(height)
  }
  if (untold === undefined && isUntrue(meta, accounts, called, succeeded)) {
    throw new UntoldTransfers(height)
  }
  const transfers = succeeded ? (moved(message, meta, accounts, trade) ?? untold?.()) : []
  if (transfers === undefined) throw new UntoldTransfers(height)
  const fee = integerFrom(meta['fee'], 'fee')
  const isTrade = trade !== undefined || (succeeded && isRouted(called))
  const beside = isTrade ? lamportsBeside(called, meta, accounts) : 0n
  const gained = balanceAt(meta, 'postBalances', 0) - balanceAt(meta, 'preBalances', 0) + beside
  const cost =
    trade === undefined
      ? undefined
      : costOfTrade(
          trade,
          { fee, gained, meta, accounts },
          allInstructions(message, meta, accounts),
        )
  return {
    state: 'mined',
    height,
    succeeded,
    feePaid: baseUnits(cost ?? costOf(meta, accounts, called)),
    priorityFeePaid: priorityIn(fee, listFrom(transaction['signatures'], 'signatures').length),
    transfers,
    senderChanges: senderChanges(meta, accounts, (cost ?? fee) + beside),
    paysAccounts: true,
  }
}

/** Whether fee, balances and instructions contradict each other: then nobody knows which of them is garbled, and none of them counts. */
function isUntrue(
  meta: Fields,
  accounts: readonly Address[],
  called: readonly Called[],
  succeeded: boolean,
): boolean {
  if (!succeeded) return isFailureUntrue(meta, accounts)
  return (
    areLamportsUntrue(meta, accounts, called) ||
    (keepsTokenBalances(meta) && areMovesUntrue(meta, accounts, called))
  )
}

/**
 * A router, a program that a module trades with, and a smart wallet move what their caller hands them by their own hand; nobody else's inner
 * instructions are somebody's own transfers. Where a node keeps no inner instructions, the balances around a smart wallet's transaction tell what it moved;
 * undefined where these do not tell, either.
 */
function moved(
  message: Fields,
  meta: Fields,
  accounts: readonly Address[],
  trade: CalledTrade | undefined,
): readonly TokenTransfer[] | undefined {
  if (trade !== undefined && !keepsInner(meta)) return balanceTransfers(meta, accounts, trade.index)
  const called = topLevelInstructions(message, accounts)
  const isTraded = trade !== undefined || isRouted(called)
  const wallet = isTraded ? undefined : walletCall(message, called)
  const all = () => allInstructions(message, meta, accounts)
  // A transfer between accounts of which nothing is told would look like one that moved nothing.
  const isTold = keepsTokenBalances(meta)
  if (wallet === undefined) {
    const own = isTraded ? all() : called
    return isTold || !movesTokens(own) ? tokenTransfers(meta, accounts, own) : undefined
  }
  if (!isTold) return undefined
  return keepsInner(meta)
    ? walletTransfers(meta, accounts, all())
    : balanceTransfers(meta, accounts, wallet.index)
}

function isRouted(called: readonly Called[]): boolean {
  return routerCall(called) !== undefined
}

/** The call of a router that moves what its caller hands it by its own hand. */
export function routerCall(called: readonly Called[]): Called | undefined {
  return called.find(({ program }) => program === JUPITER_PROGRAM)
}

/** Whether the fee payer has less of a token than before, or nobody tells. */
function mayHaveSold(meta: Fields, accounts: readonly Address[]): boolean {
  const changes = senderChanges(meta, accounts, 0n)
  const isLess = changes.some(({ asset, delta }) => asset !== 'native' && delta < 0n)
  return isLess || !keepsTokenBalances(meta)
}

/** Whether the node keeps what programs called in turn. */
export function keepsInner(meta: Fields): boolean {
  return (meta['innerInstructions'] ?? null) !== null
}

/**
 * The first call of a program that may act for a wallet. Known by what was signed and not by which programs are allowed now: a payment
 * that was taken is followed to its end whatever is allowed by then. Somebody signs beside the fee payer, as nothing of our own has it.
 */
function walletCall(message: Fields, called: readonly Called[]): Called | undefined {
  const found = called.find(({ program }) => !PLAIN_PROGRAMS.has(program))
  if (found === undefined) return undefined
  const header = fieldsFrom(message['header'], "message's header")
  return indexFrom(header['numRequiredSignatures'], 'signers') > 1 ? found : undefined
}

/**
 * What the fee payer has more or less than before, `apart` from it what it cost and what is beside a trade; its tokens over all of its accounts. Where an account of its wrapped
 * lamports is gone, all that it held before came out of it, rent too: those were its own lamports, no gain and no loss.
 */
function senderChanges(
  meta: Fields,
  accounts: readonly Address[],
  apart: bigint,
): readonly AssetChange[] {
  const [payer] = accounts
  const gained = balanceAt(meta, 'postBalances', 0) - balanceAt(meta, 'preBalances', 0)
  const changes = new Map([['native', gained + apart]])
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

/** Throws NodeFailure when a transaction is another one than was asked for. */
export function requireHash(transaction: Fields, hash: TransactionHash): void {
  const [signature] = listFrom(transaction['signatures'], 'signatures')
  if (transactionHashFrom(signature, 'signature') !== hash) throw malformed('signature', signature)
}

/**
 * The accounts in the order in which the meta counts them: the message's own, then those of lookup tables. Throws NodeFailure where the meta has
 * not a balance for each: then some are missing, and what is told of one would be taken for that of another.
 */
export function accountsOf(message: Fields, meta: Fields): readonly Address[] {
  const loaded = meta['loadedAddresses']
  const { writable = [], readonly = [] } =
    loaded === undefined || loaded === null ? {} : fieldsFrom(loaded, 'loaded addresses')
  const accounts = [message['accountKeys'], writable, readonly].flatMap((list) =>
    listFrom(list, 'account keys').map((each) => addressFrom(each, 'account key')),
  )
  for (const which of ['preBalances', 'postBalances']) {
    if (listFrom(meta[which], which).length !== accounts.length) throw malformed(which, 'length')
  }
  return accounts
}

/** What the network took beyond its price of the signatures: by the price of computing alone. */
function priorityIn(fee: bigint, signatures: number): bigint {
  const base = SIGNATURE_FEE * BigInt(signatures)
  return fee > base ? fee - base : 0n
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

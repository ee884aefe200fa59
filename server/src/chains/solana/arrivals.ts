import type { NetworkConfig } from '../../kernel/network-config.ts'
import { NodeFailure } from '../chain.ts'
import type { Address, Arrival, Block, Chain, TransactionHash, UnreadArrival } from '../chain.ts'
import { fieldsFrom, listFrom, malformed } from '../json-rpc/answer.ts'
import type { Fields } from '../json-rpc/answer.ts'
import type { Read, Transport } from '../json-rpc/transport.ts'
import {
  addressFrom,
  amountFrom,
  heightFrom,
  indexFrom,
  integerFrom,
  textFrom,
  transactionErrorFrom,
  transactionHashFrom,
} from './answer.ts'
import { readBlockAccounts, readBlockRecords } from './block-accounts.ts'
import type { Records } from './block-one-by-one.ts'
import { BLOCKS_AT_ONCE, ofEachBlock } from './block-requests.ts'
import type { Facts } from './facts.ts'
import { NotInItsBlock, readInBlock } from '../json-rpc/in-its-block.ts'
import { openPieces } from '../pieces.ts'
import { topLevelInstructions } from './instructions.ts'
import { accountsOf, outcomeOptions, requireHash } from './outcome.ts'
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './programs.ts'
import { keepsTokenBalances } from './token-transfers.ts'
import { knownAddress } from './account.ts'
import { transfersIn } from './arrived-in.ts'
import { areLamportsUntrue } from './untrue-lamports.ts'
import { areMovesUntrue } from './untrue-moves.ts'

/** Validators' votes are most of a block. */
export const VOTE_PROGRAM = knownAddress('Vote111111111111111111111111111111111111111')

/** A transaction with the addresses that may have got something by it. */
interface Candidate {
  readonly hash: TransactionHash
  readonly block: Block
  readonly addresses: readonly Address[]
}

const keptCandidates = openPieces<Records<Candidate>>()

/** A node has the transaction where its block has it, and what it says of it cannot be believed. Another one may say more. */
class UnreadableTransaction extends NodeFailure {}

/**
 * Who may have got something is read from the balances around each transaction of a block; only those of ours are then read whole, and
 * what counts are the transfers that their instructions made, not a change of balance, which fees and rent are part of as well.
 */
export async function readArrivals(
  deps: { transport: Transport; config: NetworkConfig; facts: Facts },
  blocks: readonly Block[],
  ours: Parameters<Chain['arrivals']>[1],
  unread?: (arrival: UnreadArrival) => void,
): Promise<readonly Arrival[] | undefined> {
  const { transport, config } = deps
  const tokens = new Set(config.assets.map(({ asset }) => asset))
  const filled = blocks.filter(({ transactionHashes }) => transactionHashes.length > 0)
  const arrivals: Arrival[] = []
  for (let from = 0; from < filled.length; from += BLOCKS_AT_ONCE) {
    const part = filled.slice(from, from + BLOCKS_AT_ONCE)
    const found = await ofEachBlock(part, (block) => candidatesIn(transport, block, tokens, unread))
    if (found.includes(undefined)) return undefined
    const candidates = found.flatMap((each) => each ?? [])
    const mine = await ours([...new Set(candidates.flatMap(({ addresses }) => addresses))])
    const read = await Promise.all(
      candidates
        .filter(({ addresses }) => addresses.some((address) => mine.has(address)))
        .map(async (candidate) => {
          try {
            return await readInBlock(transport, transactionRead(deps, candidate, mine))
          } catch (error) {
            const address = candidate.addresses.find((each) => mine.has(each))
            const isOwn = error instanceof UnreadableTransaction && address !== undefined
            if (!isOwn || unread === undefined) throw error
            const { hash: transactionHash, block } = candidate
            unread({ transactionHash, height: block.height, blockHash: block.hash, address })
            return []
          }
        }),
    )
    if (read.includes(undefined)) return undefined
    arrivals.push(...read.flatMap((each) => each ?? []))
  }
  return arrivals
}

/**
 * The transactions of a block that may have brought something to somebody. Those that no node shows in a way that can be read are named to `unread`, without
 * anybody's address: nobody knows whom they pay.
 */
async function candidatesIn(
  transport: Transport,
  block: Block,
  tokens: ReadonlySet<string>,
  unread: ((arrival: UnreadArrival) => void) | undefined,
): Promise<readonly Candidate[] | undefined> {
  const foundIn = (each: Fields) => candidateFrom(each, block, tokens)
  if (unread === undefined) return readBlockAccounts(transport, block, foundIn, keptCandidates)
  const read = await readBlockRecords(transport, block, foundIn, keptCandidates)
  for (const transactionHash of read?.unread ?? []) {
    unread({ transactionHash, height: block.height, blockHash: block.hash })
  }
  return read?.found
}

function signatureOf(record: Fields): TransactionHash {
  const transaction = fieldsFrom(record['transaction'], 'transaction')
  const [signature] = listFrom(transaction['signatures'], 'signatures')
  return transactionHashFrom(signature, 'signature')
}

function candidateFrom(
  fields: Fields,
  block: Block,
  tokens: ReadonlySet<string>,
): readonly Candidate[] {
  const meta = fieldsFrom(fields['meta'], "transaction's meta")
  if (transactionErrorFrom(meta['err'], "transaction's err") !== null) return []
  const transaction = fieldsFrom(fields['transaction'], 'transaction')
  const keys = listFrom(transaction['accountKeys'], 'account keys').map((key) =>
    textFrom(fieldsFrom(key, 'account key')['pubkey'], 'account key'),
  )
  // Whoever pays the fee is one of them: where none is told, that nobody here is among them is not told, either.
  if (keys.length === 0) throw malformed('account keys', keys)
  requireTokenBalances(meta, keys)
  const gained = [...lamportGainers(meta, keys), ...tokenGainers(meta, tokens)]
  // Who pays itself gains nothing. Validators' votes are most of a block and pay nobody.
  const payer = keys.includes(VOTE_PROGRAM) ? [] : keys.slice(0, 1)
  const addresses = [...payer, ...gained].map((key) => addressFrom(key, 'account key'))
  if (addresses.length === 0) return []
  return [{ hash: signatureOf(fields), block, addresses }]
}

function lamportGainers(meta: Fields, keys: readonly string[]): readonly string[] {
  const before = listFrom(meta['preBalances'], 'preBalances')
  const after = listFrom(meta['postBalances'], 'postBalances')
  // One that is left out moves every balance behind it to another account.
  if (before.length !== keys.length || after.length !== keys.length) {
    throw malformed('balances', 'length')
  }
  return keys.filter(
    (_, index) =>
      integerFrom(after[index], 'postBalances') > integerFrom(before[index], 'preBalances'),
  )
}

/** Owners of token accounts that hold more of a configured mint than before. */
function tokenGainers(meta: Fields, tokens: ReadonlySet<string>): readonly string[] {
  const entries = (list: string) =>
    listFrom(meta[list] ?? [], list)
      .map((entry) => fieldsFrom(entry, list))
      .filter(({ mint }) => tokens.has(textFrom(mint, 'mint')))
      .map((fields) => ({
        account: indexFrom(fields['accountIndex'], list),
        owner: textFrom(fields['owner'], list),
        amount: amountFrom(fieldsFrom(fields['uiTokenAmount'], list)['amount'], list),
      }))
  const before = new Map(
    entries('preTokenBalances').map(({ account, amount }) => [account, amount]),
  )
  return entries('postTokenBalances')
    .filter(({ account, amount }) => amount > (before.get(account) ?? 0n))
    .map(({ owner }) => owner)
}

/**
 * Throws NodeFailure where a node does not tell the token accounts around a transaction that may have moved tokens: what is not told is
 * not nothing. Whatever moves them, its program is among the accounts.
 */
function requireTokenBalances(meta: Fields, keys: readonly string[]): void {
  if (keepsTokenBalances(meta)) return
  if (keys.some((key) => key === TOKEN_PROGRAM || key === TOKEN_2022_PROGRAM)) {
    throw malformed("transaction's token balances", undefined)
  }
}

function transactionRead(
  deps: { config: NetworkConfig; facts: Facts },
  { hash, block }: Candidate,
  mine: ReadonlySet<Address>,
): Read<readonly Arrival[]> {
  return {
    method: 'getTransaction',
    params: [hash, outcomeOptions],
    parse: (result) => {
      if (result === null) throw new NotInItsBlock(hash)
      const where = { transactionHash: hash, height: block.height, blockHash: block.hash }
      try {
        const fields = fieldsFrom(result, 'transaction')
        if (heightFrom(fields['slot'], 'slot') !== block.height) throw new NotInItsBlock(hash)
        requireTruth(fields, hash)
        return transfersIn(fields, deps, mine).map((transfer) => ({ ...where, ...transfer }))
      } catch (error) {
        const isElsewhere = error instanceof NotInItsBlock
        if (!(error instanceof NodeFailure) || isElsewhere) throw error
        throw new UnreadableTransaction(error.message)
      }
    },
  }
}

/** Throws NodeFailure where a transaction is another one than its block has, or its parts contradict each other. */
function requireTruth(fields: Fields, hash: TransactionHash): void {
  const meta = fieldsFrom(fields['meta'], "transaction's meta")
  const transaction = fieldsFrom(fields['transaction'], 'transaction')
  requireHash(transaction, hash)
  // The block says that it succeeded.
  if (meta['err'] !== null) throw malformed("transaction's err", meta['err'])
  const message = fieldsFrom(transaction['message'], 'message')
  const accounts = accountsOf(message, meta)
  requireTokenBalances(meta, accounts)
  // Either is incomplete: what came would be too much, too little or nothing.
  const called = topLevelInstructions(message, accounts)
  if (areMovesUntrue(meta, accounts, called)) throw malformed("transaction's token balances", hash)
  if (areLamportsUntrue(meta, accounts, called)) throw malformed("transaction's balances", hash)
}

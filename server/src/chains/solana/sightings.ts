import { NodeFailure } from '../chain.ts'
import type { Address, Block, TransactionHash } from '../chain.ts'
import { fieldsFrom, listFrom, malformed } from '../json-rpc/answer.ts'
import type { Fields } from '../json-rpc/answer.ts'
import type { Read, Transport } from '../json-rpc/transport.ts'
import type { SelfCustody, Sighting, SightedTransfer } from '../self-custody.ts'
import { knownAddress } from './account.ts'
import { addressFrom, heightFrom, indexFrom, textFrom, transactionHashFrom } from './answer.ts'
import { decodeBase58 } from './base58.ts'
import { OTHER_NODE, readBlockRecords } from './block-accounts.ts'
import { TRANSACTIONS_PER_READ_MAX } from './block-one-by-one.ts'
import type { Records } from './block-one-by-one.ts'
import { BLOCKS_AT_ONCE, ofEachBlock } from './block-requests.ts'
import type { Facts } from './facts.ts'
import { NotInItsBlock, readInBlock } from '../json-rpc/in-its-block.ts'
import { openPieces } from '../pieces.ts'
import { summaryOf } from './instruction-summary.ts'
import { lamportTransfer, topLevelInstructions } from './instructions.ts'
import type { Called } from './instructions.ts'
import { messageKeyIn } from './message-key.ts'
import { accountsOf, keepsInner, outcomeFrom, outcomeOptions, routerCall } from './outcome.ts'
import { lamportsOffered, tradeIn } from './program-trades.ts'
import { MEMO_PROGRAM } from './programs.ts'
import { keepsTokenBalances, movesOf, movesTokens } from './token-transfers.ts'
import { areLamportsUntrue, isFailureUntrue } from './untrue-lamports.ts'
import { areMovesUntrue } from './untrue-moves.ts'
import type { OpenedModule } from './venue-module.ts'

interface Deps {
  readonly transport: Transport
  readonly facts: Facts
  /** Whose programs' trades are told from what these moved; left out, none. */
  readonly modules?: readonly OpenedModule[]
}

/** A transaction as its block has it: who pays its fee and who signs beside, failed ones included. */
interface Included extends Standing {
  readonly payer: Address
  readonly cosigners: readonly Address[]
  readonly hasMemo: boolean
}

/** A transaction that stands in a block, whoever sent it. */
interface Standing {
  readonly hash: TransactionHash
  readonly block: Block
}

const keptIncluded = openPieces<Records<Included>>()

/**
 * Who pays the fee stands in the blocks as deposits are read from them, too; whole transactions are asked for what is watched only, and for what cannot be read in
 * its block: that one may be anybody's.
 */
export async function readSightings(
  deps: Deps,
  blocks: readonly Block[],
  watched: Parameters<SelfCustody['sightings']>[1],
): Promise<readonly Sighting[] | undefined> {
  const { transport } = deps
  const filled = blocks.filter(({ transactionHashes }) => transactionHashes.length > 0)
  const sightings: Sighting[] = []
  for (let from = 0; from < filled.length; from += BLOCKS_AT_ONCE) {
    const part = filled.slice(from, from + BLOCKS_AT_ONCE)
    const read = await ofEachBlock(part, (block) =>
      readBlockRecords(transport, block, (each) => includedFrom(each, block), keptIncluded),
    )
    if (read.includes(undefined)) return undefined
    const included = read.flatMap((each) => each?.found ?? [])
    const unread = read.flatMap((each, index): Standing[] => {
      const block = part[index]
      return block === undefined ? [] : (each?.unread ?? []).map((hash) => ({ hash, block }))
    })
    const payersOf = (some: readonly Included[]) => [...new Set(some.map(({ payer }) => payer))]
    const { senders, cosigners: awaited = new Set() } = await watched({
      senders: payersOf(included.filter(({ hasMemo }) => hasMemo)),
      commitments: [],
      cosigned: payersOf(included.filter(({ cosigners }) => cosigners.length > 0)),
    })
    // The fee payer signs first, and a build's own sender pays.
    const wanted: readonly Standing[] = [
      ...included.filter(
        ({ payer, cosigners, hasMemo }) =>
          (hasMemo && senders.has(payer)) || cosigners.some((each) => awaited.has(each)),
      ),
      ...unread,
    ]
    for (let start = 0; start < wanted.length; start += TRANSACTIONS_PER_READ_MAX) {
      const few = wanted.slice(start, start + TRANSACTIONS_PER_READ_MAX)
      const found = await Promise.all(few.map((each) => sightingOf(deps, each)))
      if (found.includes(undefined)) return undefined
      sightings.push(...found.flatMap((each) => each ?? []))
    }
  }
  return sightings
}

/**
 * A transaction that may be one that is waited for: those carry a commitment in a memo, or the payer's signature beside the fee
 * payer's. Anybody may have a build made for, or be paid through, an address that sends hundreds in each block: to read all of these
 * whole would hold up everybody on the network. A program that an instruction calls stands in no lookup table. Votes have no memo; that
 * a transaction names their program says nothing, since a buyer or a maker can have it named.
 */
function includedFrom(fields: Fields, block: Block): readonly Included[] {
  const transaction = fieldsFrom(fields['transaction'], 'transaction')
  const keys = listFrom(transaction['accountKeys'], 'account keys').map((key) => {
    const { pubkey, signer } = fieldsFrom(key, 'account key')
    return { pubkey: textFrom(pubkey, 'account key'), isSigner: signer === true }
  })
  // Whoever pays the fee is one of them: where none is told, that nobody here is among them is not told, either.
  if (keys.length === 0) throw malformed('account keys', keys)
  const signatures = listFrom(transaction['signatures'], 'signatures')
  // Who signs beside the fee payer would not be seen.
  if (keys.filter(({ isSigner }) => isSigner).length > signatures.length) {
    throw malformed('signatures', signatures)
  }
  const hasMemo = keys.some(({ pubkey }) => pubkey === MEMO_PROGRAM)
  if (!hasMemo && signatures.length < 2) return []
  // Who signs stands before everybody else.
  const [payer, ...cosigners] = keys
    .slice(0, Math.max(1, signatures.length))
    .map(({ pubkey }) => addressFrom(pubkey, 'signer'))
  if (payer === undefined) throw malformed('account keys', '')
  const [signature] = signatures
  const hash = transactionHashFrom(signature, 'signature')
  return [{ hash, block, payer, cosigners, hasMemo }]
}

/** The balances that a node tells are not those that the instructions left behind. Another node may tell others. */
class UntrueSighting extends NodeFailure {
  readonly sighting: Sighting

  constructor(sighting: Sighting) {
    super("a transaction's balances contradict its instructions, or are missing")
    const doubt = sighting.succeeded ? {} : ({ succeeded: true, isFailureDoubted: true } as const)
    this.sighting = { ...sighting, ...doubt, isUntold: true }
  }
}

/**
 * Undefined when the transaction is not where the block had it; untold where no node tells it in a way that can be believed. Throws NodeFailure where none tells it in a
 * way that can be read: it may be what somebody waits for, whose end is proven by what the blocks do not hold.
 */
async function sightingOf(deps: Deps, standing: Standing): Promise<Sighting | undefined> {
  try {
    return await readInBlock(deps.transport, sightingRead(deps, standing))
  } catch (error) {
    if (error instanceof UntrueSighting) return error.sighting
    if (!(error instanceof NodeFailure)) throw error
    const { hash, block } = standing
    const which = `transaction ${hash} of block ${block.height} cannot be read`
    const why = 'and a built payment or a purchase may wait for it'
    throw new NodeFailure(`${which}, ${why}: ${error.message}; ${OTHER_NODE}`)
  }
}

function sightingRead({ facts, modules = [] }: Deps, { hash, block }: Standing): Read<Sighting> {
  return {
    method: 'getTransaction',
    params: [hash, outcomeOptions],
    parse: (result) => {
      if (result === null) throw new NotInItsBlock(hash)
      const fields = fieldsFrom(result, 'transaction')
      if (heightFrom(fields['slot'], 'slot') !== block.height) throw new NotInItsBlock(hash)
      // No smart wallet's payment is sent by who is watched here.
      const outcome = outcomeFrom(result, hash, () => [], modules)
      const { succeeded, feePaid, priorityFeePaid = 0n, transfers: tokens } = outcome
      const meta = fieldsFrom(fields['meta'], "transaction's meta")
      const transaction = fieldsFrom(fields['transaction'], 'transaction')
      const message = fieldsFrom(transaction['message'], 'message')
      const accounts = accountsOf(message, meta)
      const called = topLevelInstructions(message, accounts)
      const read = succeeded ? tradeIn(called, modules) : undefined
      const trade = typeof read === 'string' ? undefined : read
      // Where nothing is told nobody knows whose the token accounts are, and what is not told is not what did not happen.
      const isUntrue = succeeded
        ? areLamportsUntrue(meta, accounts, called) ||
          (keepsTokenBalances(meta) ? areMovesUntrue(meta, accounts, called) : movesTokens(called))
        : isFailureUntrue(meta, accounts)
      const router = succeeded && trade === undefined ? routerCall(called) : undefined
      const header = fieldsFrom(message['header'], "message's header")
      const required = indexFrom(header['numRequiredSignatures'], 'signers')
      const { summary } = summaryOf(
        {
          signers: accounts.slice(0, required),
          // Here the chain has told what stands in them.
          usesLookupTables: false,
          instructions: called.map(({ program, accounts, data }) => ({
            program,
            accounts,
            data: (length) => (length === 0 ? emptyData(data) : decodeBase58(data, length)),
          })),
        },
        facts,
        tokens.map(({ to }) => to),
      )
      const lamports = called.flatMap((each) =>
        lamportTransfer(each).map(({ from, to, lamports: amount }): SightedTransfer => ({
          asset: 'native',
          from,
          to,
          amount,
          effectIndex: each.index,
        })),
      )
      const moved = tokens.map(({ logIndex, ...each }): SightedTransfer => ({
        ...each,
        effectIndex: logIndex,
        ...intoOf(called[logIndex], each.asset, facts),
      }))
      const { commitments, transfers, others, feePayer } = summary
      const [payer] = accounts
      if (payer === undefined) throw malformed('account keys', '')
      const sighting: Sighting = {
        transactionHash: hash,
        height: block.height,
        blockHash: block.hash,
        succeeded,
        sender: feePayer ?? payer,
        nonce: null,
        commitments,
        transfers: succeeded ? [...lamports, ...lamportsOffered(trade), ...moved] : [],
        ...(succeeded && !keepsInner(meta) ? spentBy(trade ?? router, outcome) : {}),
        // Without inner instructions nobody can tell what a module's program made from what came in. What a router's transaction makes, it
        // gives back.
        ...((trade !== undefined && keepsInner(meta)) || router !== undefined
          ? { senderChanges: outcome.senderChanges }
          : {}),
        ...(read === 'unknown' ? { isUntold: true } : {}),
        isPlain: commitments.length === 1 && transfers.length === 1 && others.length === 0,
        ...{ feePaid, priorityFeePaid },
        proofKey: messageKeyIn(fields['version'], message),
      }
      if (isUntrue) throw new UntrueSighting(sighting)
      return sighting
    },
  }
}

/** What a program took of the fee payer's tokens by calls that the node does not keep. */
function spentBy(
  traded: Pick<Called, 'index'> | undefined,
  { transfers, senderChanges = [] }: ReturnType<typeof outcomeFrom>,
): Pick<Sighting, 'spent'> {
  if (traded === undefined) return {}
  const told = new Set<string>(transfers.map(({ asset }) => asset))
  const spent = senderChanges.flatMap(({ asset, delta }) =>
    delta >= 0n || asset === 'native' || told.has(asset)
      ? []
      : [{ asset, amount: -delta, effectIndex: traded.index }],
  )
  return { spent }
}

/** Of a transfer that the sender signed itself, the account that it names. */
function intoOf(
  called: Called | undefined,
  asset: string,
  facts: Pick<Facts, 'tokenAccount'>,
): Pick<SightedTransfer, 'isInto'> {
  const [move] = called === undefined ? [] : movesOf(called)
  if (move === undefined) return {}
  const { to, program } = move
  const mint = { address: knownAddress(asset), program }
  return { isInto: (wallet) => facts.tokenAccount(wallet, mint).address === to }
}

function emptyData(text: string): Uint8Array | undefined {
  return text === '' ? new Uint8Array() : undefined
}

import { baseUnits } from '@florin/wire/amount.ts'
import { NATIVE_EFFECT_INDEX } from '../chain.ts'
import type { Address, Block, Outcome, TransactionHash } from '../chain.ts'
import { listFrom } from '../json-rpc/answer.ts'
import type { Fields } from '../json-rpc/answer.ts'
import type { Transport } from '../json-rpc/transport.ts'
import type {
  SelfCustody,
  Sighting,
  SightedTransfer,
  TransactionSummary,
  Watched,
} from '../self-custody.ts'
import { openPieces } from '../pieces.ts'
import { addressFrom, bytesFrom, quantityFrom, transactionHashFrom } from './answer.ts'
import { readBlockTransactions } from './block-transactions.ts'
import { blocksInReads } from './blocks-in-reads.ts'
import {
  ACCESS_LIST,
  carriesAuthorization,
  settledKey,
  summaryOf,
  withoutCommitments,
} from './call-summary.ts'
import { SWAP_GAS_READ_MAX, TRANSFER_GAS_READ_MAX } from './gas-read.ts'
import type { KeptBlocks } from './kept-blocks.ts'
import type { Explain } from './markets/router-calls.ts'
import { pricedInBlock, withPriority } from './outcome.ts'

/** What is known of the meaning of calls. */
interface Meaning {
  readonly tokens: ReadonlySet<string>
  readonly explain?: Explain
}

/** A transaction as its block has it, before anybody knows whether it succeeded. */
interface Included {
  readonly hash: TransactionHash
  readonly block: Block
  readonly sender: Address
  readonly nonce: bigint
  readonly summary: TransactionSummary
  readonly value: { readonly to: Address; readonly amount: bigint } | undefined
  readonly proofKey: Sighting['proofKey']
  /** The most gas that it may use, which bounds what its receipt can hold. */
  readonly gas: bigint
  /**
   * A lone transfer of the sender's own and nothing else, as far as its bytes say, or a swap by a configured router: nothing else can have
   * done what was built.
   */
  readonly isRead: boolean
  /** What its call does is known, and it is one thing. */
  readonly isPlain: boolean
  /** A lone call with one commitment, as a swap is, whatever contract it calls. */
  readonly isLikeSwap: boolean
  /** A contract that is not listed, and that is asked for a transfer as a token is: then nothing but its own logs counts. */
  readonly unlisted: Address | undefined
}

const keptIncluded = openPieces<readonly Included[]>()

/** A byte of a log costs 8 gas and takes two characters: receipts of this much gas stay below half of what one answer may hold. */
const GAS_PER_READ_MAX = 50_000_000n

/**
 * Senders, places and commitments stand in the blocks' own transactions, which deposits are read from, too; receipts are asked for what
 * is watched only.
 */
export async function readSightings(
  { transport, wholes, ...meaning }: { transport: Transport; wholes?: KeptBlocks } & Meaning,
  blocks: readonly Block[],
  watched: Parameters<SelfCustody['sightings']>[1],
): Promise<readonly Sighting[] | undefined> {
  const sightings: Sighting[] = []
  for (const part of blocksInReads(blocks)) {
    const read = await Promise.all(
      part.map((block) =>
        readBlockTransactions(
          transport,
          block,
          (each) => (isKnownType(each) ? [includedFrom(each, block, meaning)] : []),
          keptIncluded,
          wholes,
        ),
      ),
    )
    if (read.includes(undefined)) return undefined
    const included = read.flatMap((each) => each?.found ?? [])
    const { senders, commitments } = await watched({
      senders: [...new Set(included.map(({ sender }) => sender))],
      commitments: [...new Set(included.flatMap(({ summary }) => summary.commitments))],
    })
    const wanted = included
      .filter(
        ({ sender, summary }) =>
          senders.has(sender) || summary.commitments.some((each) => commitments.has(each)),
      )
      .map((each) => (isAwaitedSwap(each, { senders, commitments }) ? swapRead(each) : each))
    // Whoever is watched can log as much as it pays for: only a receipt that is small by its gas is read.
    sightings.push(...wanted.filter(({ isRead }) => !isRead).map(unreadSighting))
    for (const few of inReads(wanted.filter(({ isRead }) => isRead))) {
      const found = await Promise.all(
        few.map(async ({ hash, block }) =>
          withPriority(await pricedInBlock(transport, hash), block),
        ),
      )
      const seen = few.map((each, index) => sightingOf(each, found[index]))
      if (seen.includes(undefined)) return undefined
      sightings.push(...seen.flatMap((each) => each ?? []))
    }
  }
  return sightings
}

/**
 * A swap that somebody waits for, by a router that has left the configuration since: its commitment is signed by the one who is waited for, and
 * what counts for it is what it moved.
 */
function isAwaitedSwap(
  { isRead, isLikeSwap, sender, summary }: Included,
  { senders, commitments }: Watched,
): boolean {
  const isAwaited = senders.has(sender) && summary.commitments.some((each) => commitments.has(each))
  return !isRead && isLikeSwap && isAwaited
}

/** Read whole; nobody here knows what else it does. */
function swapRead(included: Included): Included {
  return { ...included, isRead: true, unlisted: undefined, isPlain: false }
}

function inReads(included: readonly Included[]): readonly (readonly Included[])[] {
  const reads: Included[][] = []
  let gas = GAS_PER_READ_MAX
  for (const each of included) {
    gas += each.gas
    if (gas > GAS_PER_READ_MAX) {
      reads.push([])
      gas = each.gas
    }
    reads.at(-1)?.push(each)
  }
  return reads
}

/**
 * Of the types that a key signs. What a rollup itself puts into its blocks has types and fields of its own and is nobody's build; it must
 * not stop a round. Source: EIP-2718; types 0 to 4 by EIP-2930, 1559, 4844 and 7702.
 */
const TYPE_MAX = 4

function isKnownType({ type }: Fields): boolean {
  if (type === undefined || type === null) return true
  return typeof type === 'string' && /^0x0*[0-9a-f]$/.test(type) && Number(type) <= TYPE_MAX
}

function includedFrom(fields: Fields, block: Block, { tokens, explain }: Meaning): Included {
  const sender = addressFrom(fields['from'], 'sender')
  const to =
    fields['to'] === null || fields['to'] === undefined
      ? null
      : addressFrom(fields['to'], 'recipient')
  const value = quantityFrom(fields['value'] ?? '0x0', 'value')
  const data = bytesFrom(fields['input'] ?? '0x', 'call data')
  const gas = quantityFrom(fields['gas'], 'gas')
  const extras = extrasOf(fields)
  // What was built for a token that has left the configuration since is still that token's own transfer.
  const unlisted = to === null || value > 0n || data.length === 0 || tokens.has(to) ? undefined : to
  const known = unlisted === undefined ? tokens : new Set([unlisted])
  const summary = summaryOf({ from: sender, to, value, data, extras }, known, explain)
  const { transfers, others } = summary
  const proofKey = settledKey({ to, data })
  const isLone =
    transfers.length === 1 &&
    others.length === 0 &&
    proofKey === null &&
    !carriesAuthorization(data)
  const { body, commitments } = withoutCommitments(data)
  const isLikeSwap =
    to !== null && commitments.length === 1 && extras.length === 0 && proofKey === null
  const isSwap = isLikeSwap && explain?.(to, body)?.kind === 'swap'
  return {
    hash: transactionHashFrom(fields['hash'], 'transaction hash'),
    block,
    sender,
    nonce: quantityFrom(fields['nonce'], 'nonce'),
    value: to === null || value === 0n ? undefined : { to, amount: value },
    summary,
    proofKey,
    gas,
    unlisted: isSwap ? undefined : unlisted,
    isRead: (isLone && gas <= TRANSFER_GAS_READ_MAX) || (isSwap && gas <= SWAP_GAS_READ_MAX),
    isPlain: commitments.length === 1,
    isLikeSwap: isLikeSwap && gas <= SWAP_GAS_READ_MAX,
  }
}

/** Source: EIP-2930, EIP-7702. */
function extrasOf(fields: Fields): readonly string[] {
  const has = (name: string) => listFrom(fields[name] ?? [], name).length > 0
  return [
    ...(has('accessList') ? [ACCESS_LIST] : []),
    ...(has('authorizationList') ? ['gives accounts another code'] : []),
  ]
}

/** What stands for a build by its place or its mark, and cannot be what was built. */
function unreadSighting({ hash, block, sender, nonce, summary, proofKey }: Included): Sighting {
  return {
    transactionHash: hash,
    height: block.height,
    blockHash: block.hash,
    succeeded: true,
    sender,
    nonce,
    commitments: summary.commitments,
    transfers: [],
    isPlain: false,
    feePaid: baseUnits(0n),
    proofKey,
  }
}

/** Undefined when the receipt is not of that block. */
function sightingOf(included: Included, outcome: Outcome | undefined): Sighting | undefined {
  const { hash, block, sender, nonce, summary, value, unlisted, isPlain } = included
  if (outcome?.state !== 'mined' || outcome.blockHash !== block.hash) return undefined
  const natives: readonly SightedTransfer[] =
    value === undefined
      ? []
      : [{ asset: 'native', from: sender, ...value, effectIndex: NATIVE_EFFECT_INDEX }]
  const logged = outcome.transfers
    .filter(({ asset }) => unlisted === undefined || asset === unlisted)
    .map(({ logIndex, ...transfer }) => ({
      ...transfer,
      ...askedMore(summary, transfer),
      effectIndex: logIndex,
    }))
  const { commitments } = summary
  return {
    transactionHash: hash,
    height: block.height,
    blockHash: block.hash,
    succeeded: outcome.succeeded,
    sender,
    nonce,
    commitments,
    transfers: outcome.succeeded ? [...natives, ...logged] : [],
    isPlain,
    feePaid: outcome.feePaid,
    ...(outcome.priorityFeePaid === undefined ? {} : { priorityFeePaid: outcome.priorityFeePaid }),
    proofKey: null,
  }
}

/** What a plain call asked for, where the token says that less of it arrived. */
function askedMore(
  { transfers: [asked, second] }: TransactionSummary,
  given: Omit<SightedTransfer, 'effectIndex'>,
): Pick<SightedTransfer, 'asked'> {
  if (asked === undefined || second !== undefined) return {}
  const isIt = asked.asset === given.asset && asked.from === given.from && asked.to === given.to
  return isIt && given.amount > 0n && given.amount < asked.amount ? { asked: asked.amount } : {}
}

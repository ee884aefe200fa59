import type { Clock } from '../../kernel/clock.ts'
import type { FinalityPolicy } from '../../kernel/network-config.ts'
import { limits } from '../../kernel/limits.ts'
import { NodeFailure } from '../chain.ts'
import type { Address, TransactionHash } from '../chain.ts'
import type { AuthorizationState, AuthorizationUse } from '../exact.ts'
import { fieldsFrom, listFrom } from '../json-rpc/answer.ts'
import { NodeTimeout } from '../json-rpc/endpoint.ts'
import type { Read, Transport } from '../json-rpc/transport.ts'
import { addressFrom, quantityFrom, transactionHashFrom, wordFrom } from './answer.ts'
import { readHead } from './blocks.ts'
import {
  AUTHORIZATION_CANCELED_TOPIC,
  AUTHORIZATION_USED_TOPIC,
  authorizationStateView,
} from './eip3009.ts'
import type { Authorization } from './eip3009.ts'
import { addressWord } from './eip712.ts'
import { findFlip } from './find-flip.ts'
import type { StateAt } from './find-flip.ts'
import { hexBytes, hexQuantity } from './hex.ts'
import { logQuestions, logsInHalves } from './log-halves.ts'
import type { BlockRange, LogLooks } from './log-ranges.ts'
import { blockTimeView, readViewsAt } from './multicall.ts'
import type { View } from './multicall.ts'
import { readOutcomes } from './outcome.ts'
import { receiptLogs } from './receipt-logs.ts'
import { TRANSFER_TOPIC } from './token-transfers.ts'
import type { UseView } from './used-by.ts'
import { openViewPool } from './view-pool.ts'
import type { ViewPool } from './view-pool.ts'

const NO_SUCH_FUNCTION = 2n

/**
 * Views of the chain's final state, of whoever asks at the same moment in one call; a node round trip, two where finality is a depth. Some nodes know which block is
 * final and run no call there by that name (Linea's, Erigon for Arbitrum): they are asked at its height then.
 */
export function openFinalViews(
  transport: Pick<Transport, 'read'>,
  clock: Pick<Clock, 'sleep'>,
  policy: FinalityPolicy,
): ViewPool {
  const byHeight = openViewPool(transport, clock, async () =>
    hexQuantity((await readHead(transport, policy)).finalizedHeight),
  )
  if (policy.kind === 'depth') return byHeight
  const byName = openViewPool(transport, clock, async () => 'finalized')
  return {
    read: async (views) => {
      try {
        return await byName.read(views)
      } catch (error) {
        if (!(error instanceof NodeFailure) || error instanceof NodeTimeout) throw error
        return byHeight.read(views)
      }
    },
  }
}

/** What the final state of the chain says of an authorization. */
export async function readFinalState(
  finalViews: ViewPool,
  authorization: Pick<Authorization, 'token' | 'from' | 'nonce' | 'validBeforeSeconds'>,
): Promise<AuthorizationState> {
  const views = [authorizationStateView(authorization, NO_SUCH_FUNCTION), blockTimeView]
  const [used = NO_SUCH_FUNCTION, now = 0n] = await finalViews.read(views)
  if (used === 1n) return 'used'
  // The token takes it strictly before this second, and no final block will be earlier again.
  return used === 0n && now >= authorization.validBeforeSeconds ? 'expired' : 'open'
}

/** What looking for a use takes. */
export interface UseDeps {
  readonly transport: Transport
  readonly looks: LogLooks
}

/**
 * How the authorization was used up. It paid when the token's very next event behind its AuthorizationUsed is its transfer: any later one
 * belongs to another authorization of the same transaction. What a wallet of ours signed was signed once, so that its use paid, in whatever
 * order the token tells it: by the one transfer that can have been it, and where none of the whole amount is there by the one of a part, since a
 * token may keep the rest. Undefined where no such event is shown, which proves nothing; `behind`
 * where it was not used yet in the newest block of the node that shows none, or a node lacks the receipt. The newest part of the chain is asked for its logs
 * first. Where that shows none, or is more than the node gives, the block is looked for by the state of the past; where no node keeps that, by the logs of as many parts as the
 * limit says, of which each look has others.
 */
export async function findUse(
  { transport, looks }: UseDeps,
  authorization: Authorization,
  sinceHeight: bigint,
  isOurs = false,
): Promise<AuthorizationUse | undefined> {
  const use = await newestUse({ transport, looks }, authorization, sinceHeight)
  if (use === 'behind') return { kind: 'behind' }
  if ('shownTo' in use) {
    return (await isUsedAt(transport, authorization, use.shownTo)) ? undefined : { kind: 'behind' }
  }
  const { token, from, to, value } = authorization
  // Asked in one tick, so that one answer serves both.
  const [[outcome], events] = await Promise.all([
    readOutcomes(transport, [use.hash]),
    transport.read(tokenEventsRead(use.hash, token)),
  ])
  // One node has shown its log, so the one that has no receipt of it, or another block, is behind.
  if (outcome?.state !== 'mined' || outcome.blockHash === null) return { kind: 'behind' }
  if (!outcome.succeeded) return undefined
  // A receipt without what the block's logs show says nothing of what came behind it.
  if (!events.includes(use.logIndex)) return { kind: 'behind' }
  const next = use.isCancelled ? undefined : events.find((index) => index > use.logIndex)
  const isBound = isOurs && !use.isCancelled
  const given = outcome.transfers.filter(
    (seen) => seen.asset === token && seen.from === from && seen.to === to,
  )
  const oneOf = (fitting: typeof given) =>
    fitting.find(({ logIndex }) => logIndex === next) ??
    (isBound && fitting.length === 1 ? fitting[0] : undefined)
  const whole = given.filter(({ amount }) => amount === value)
  const part = given.filter(({ amount }) => amount > 0n && amount < value)
  const isLess = isBound && whole.length === 0
  const transfer = oneOf(isLess ? part : whole)
  const { height, blockHash } = outcome
  if (transfer === undefined && isBound) return undefined
  if (transfer === undefined) return { kind: 'wasted', height, blockHash }
  const settlement = { hash: use.hash, height, blockHash, logIndex: transfer.logIndex }
  return { kind: 'paid', settlement: isLess ? { ...settlement, isLess } : settlement }
}

/** Or the height of the newest block that every node had which was asked; `behind` where it is not used in the newest. */
async function newestUse(
  { transport, looks }: UseDeps,
  authorization: Authorization,
  sinceHeight: bigint,
): Promise<Use | { readonly shownTo: bigint } | 'behind'> {
  let shownTo = await transport.read(headRead)
  const { from, token } = authorization
  const sought = `${token} ${from} ${hexBytes(authorization.nonce)}`
  const look = looks.look(sought, sinceHeight, shownTo)
  const [first, ...more] = [...look.newest, ...look.others]
  const firstUse = async (range: BlockRange): Promise<Use | undefined> => {
    // In one batch, so that the height is that of the very node that shows the logs, before it looks for them.
    const [height, [use]] = await Promise.all([
      transport.read({ ...headRead, isUnique: true }),
      transport.read(usesRead(authorization, range)),
    ])
    if (height < shownTo) shownTo = height
    return use
  }
  let isRefused = false
  if (first !== undefined) {
    try {
      const use = await firstUse(first)
      if (use !== undefined) return use
    } catch (error) {
      // Some plans of providers give the logs of five or ten blocks at once.
      if (!(error instanceof NodeFailure) || error instanceof NodeTimeout) throw error
      isRefused = true
    }
  }
  if (more.length === 0 && !isRefused) return { shownTo }
  const flip = await findUseFlip(transport, authorization, sinceHeight, shownTo)
  if (flip === 'behind') return flip
  if (flip === 'none') return { shownTo }
  if (typeof flip === 'bigint') {
    const use = await firstUse({ from: flip, to: flip })
    if (use !== undefined) return use
  }
  const questions = logQuestions()
  const again = isRefused && first !== undefined ? [first] : []
  for (const range of [...again, ...more]) {
    const [use] = await logsInHalves(
      async (part) => {
        const found = await firstUse(part)
        return found === undefined ? [] : [found]
      },
      range,
      shownTo,
      questions,
    )
    if (use !== undefined) return use
    if (look.others.includes(range)) look.looked(range)
  }
  return { shownTo }
}

/** The block in which an authorization was used up, by the state of the chain; `behind` where it is not used yet at that head. */
async function findUseFlip(
  transport: Pick<Transport, 'read'>,
  authorization: Authorization,
  sinceHeight: bigint,
  head: bigint,
): Promise<bigint | 'none' | 'behind' | 'unknown'> {
  const readAt = async (height: bigint) => {
    try {
      const read = await readUsedAt(transport, authorization, height, blockTimeView)
      const [isUsed, seconds = 0n] = read
      return { isUsed, seconds }
    } catch (error) {
      if (!(error instanceof NodeFailure)) throw error
      return undefined
    }
  }
  const now = await readAt(head)
  if (now === undefined) return 'unknown'
  if (!now.isUsed) return 'behind'
  const stateAt: StateAt = async (height) => {
    if (height < 0n) return 'open'
    const then = await readAt(height)
    // A node that gives its newest state whatever it is asked for would have everything used before it is looked for.
    const isLate = then !== undefined && then.seconds >= now.seconds
    if (then === undefined || (isLate && head - height >= LATE_BLOCKS_MIN)) return undefined
    return then.isUsed ? 'used' : 'open'
  }
  return findFlip(stateAt, sinceHeight, head)
}

/** So many blocks of any chain are not all of one second. */
const LATE_BLOCKS_MIN = BigInt(limits.logBlocksMax)

/** Whether an authorization was used up by the end of a block. Throws NodeFailure, also where no node has the state of that block. */
async function isUsedAt(
  transport: Pick<Transport, 'read'>,
  authorization: Pick<Authorization, 'token' | 'from' | 'nonce'>,
  height: bigint,
): Promise<boolean> {
  const [isUsed] = await readUsedAt(transport, authorization, height)
  return isUsed
}

/** The same, and what other views say in that state. */
async function readUsedAt(
  transport: Pick<Transport, 'read'>,
  authorization: Pick<Authorization, 'token' | 'from' | 'nonce'>,
  height: bigint,
  ...views: readonly View[]
): Promise<readonly [isUsed: boolean, ...values: bigint[]]> {
  const view = authorizationStateView(authorization, NO_SUCH_FUNCTION)
  // Apart: where that block is not there, nobody else's question is asked again with it.
  const read = readViewsAt([view, ...views], hexQuantity(height))
  const [used, ...values] = await transport.read({ ...read, apart: true })
  return [isUsedWord(used), ...values]
}

function isUsedWord(used: bigint | undefined): boolean {
  if (used !== 0n && used !== 1n) throw new NodeFailure('the token does not say what is used')
  return used === 1n
}

/** What its token says of an authorization. */
export function useView(authorization: Pick<Authorization, 'token' | 'from' | 'nonce'>): UseView {
  return { view: authorizationStateView(authorization, NO_SUCH_FUNCTION), isUsed: isUsedWord }
}

/** The height of the latest block. */
export const headRead: Read<bigint> = {
  method: 'eth_blockNumber',
  params: [],
  parse: (result) => quantityFrom(result, 'block number'),
}

interface Use {
  readonly hash: TransactionHash
  readonly logIndex: number
  readonly isCancelled: boolean
}

function usesRead(
  { token, from, nonce }: Authorization,
  { from: first, to: last }: BlockRange,
): Read<readonly Use[]> {
  const ends = [AUTHORIZATION_USED_TOPIC, AUTHORIZATION_CANCELED_TOPIC]
  const topics = [ends, hexBytes(addressWord(from)), hexBytes(nonce)]
  const fromBlock = hexQuantity(first)
  return {
    method: 'eth_getLogs',
    params: [
      { address: token, topics, fromBlock, toBlock: last === null ? 'latest' : hexQuantity(last) },
    ],
    parse: (result) =>
      listFrom(result, 'logs').map((value) => {
        const log = fieldsFrom(value, 'log')
        const [topic] = listFrom(log['topics'], 'log topics')
        return {
          hash: transactionHashFrom(log['transactionHash'], 'log transaction'),
          logIndex: Number(quantityFrom(log['logIndex'], 'log index')),
          isCancelled: wordFrom(topic, 'log topic') === AUTHORIZATION_CANCELED_TOPIC,
        }
      }),
  }
}

const EVENTS: ReadonlySet<string> = new Set([
  TRANSFER_TOPIC,
  AUTHORIZATION_USED_TOPIC,
  AUTHORIZATION_CANCELED_TOPIC,
])

/** Where a token's transfers and uses of authorizations stand in a transaction, in order. */
function tokenEventsRead(hash: TransactionHash, token: Address): Read<readonly number[]> {
  return {
    method: 'eth_getTransactionReceipt',
    params: [hash],
    parse: (result) => {
      if (result === null) return []
      const indexes = receiptLogs(fieldsFrom(result, 'receipt')).flatMap((value) => {
        const log = fieldsFrom(value, 'log')
        const [topic] = listFrom(log['topics'], 'log topics')
        const isEvent = typeof topic === 'string' && EVENTS.has(topic)
        if (!isEvent || addressFrom(log['address'], 'log address') !== token) return []
        return [Number(quantityFrom(log['logIndex'], 'log index'))]
      })
      return indexes.toSorted((one, other) => one - other)
    },
  }
}

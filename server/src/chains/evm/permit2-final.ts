import { baseUnits } from '@florin/wire/amount.ts'
import { limits } from '../../kernel/limits.ts'
import { NodeFailure } from '../chain.ts'
import type { Address, TokenTransfer, TransactionHash } from '../chain.ts'
import type { AuthorizationState, AuthorizationUse } from '../exact.ts'
import type { Transport } from '../json-rpc/transport.ts'
import { blockHashRead } from './blocks.ts'
import { summaryOf } from './call-summary.ts'
import { headRead } from './exact-final.ts'
import { logQuestions } from './log-halves.ts'
import type { LogLooks } from './log-ranges.ts'
import { blockTimeView } from './multicall.ts'
import { readOutcomes } from './outcome.ts'
import { isInvalidated, isNonceUsed, nonceView, permit2EffectOf } from './permit2.ts'
import type { Permit2Authorization, Permit2Effect } from './permit2.ts'
import { findNonceFlip, isUnusedAt, isUsedUpIn } from './permit2-flip.ts'
import { settledAmong } from './permit2-settled.ts'
import { callRead, isSilent, logsIn, ownerLogsRead } from './permit2-owner-logs.ts'
import type { Called, LogBlock, Moved, OwnerLog } from './permit2-owner-logs.ts'
import type { UseView } from './used-by.ts'
import type { ViewPool } from './view-pool.ts'

const NO_PERMIT2 = -1n

/** What the final state of the chain says of a payment by Permit2. */
export async function readPermit2State(
  finalViews: ViewPool,
  authorization: Permit2Authorization,
): Promise<AuthorizationState> {
  const views = [nonceView(authorization, NO_PERMIT2), blockTimeView]
  const [bits = NO_PERMIT2, now = 0n] = await finalViews.read(views)
  if (bits === NO_PERMIT2) return 'open'
  if (isNonceUsed(authorization, bits)) return 'used'
  // Permit2 takes it in this very second still, and no final block will be earlier again.
  return now > authorization.deadlineSeconds ? 'expired' : 'open'
}

/** What Permit2 says of its nonce. */
export function permit2UseView(authorization: Permit2Authorization): UseView {
  return {
    view: nonceView(authorization, NO_PERMIT2),
    isUsed: (bits) => {
      if (bits === NO_PERMIT2) throw new NodeFailure('there is no Permit2 that says what is used')
      return isNonceUsed(authorization, bits)
    },
  }
}

/** What is looked for: a payment by Permit2, of which any amount from the least up to its value can have been taken. */
interface Sought extends Permit2Authorization {
  readonly least: bigint
  /** A wallet of ours signed it: with its nonce nothing else was signed. */
  readonly isOurs: boolean
}

/**
 * How the nonce was used up. Permit2 logs nothing of a transfer, so the block is looked for in which the nonce came to be used, and that
 * block alone is read: `useIn`. Where no node has that state any more, the owner's transfers are looked through: `scanForUse`. Undefined
 * where nothing is shown, `behind` where that block is not there yet. Of `upto` that is ours any amount up to the signed one is the payment, and `taken` says how much it was; nothing
 * taken is `wasted`, and a transfer of nothing, which anybody can have a token log, is no trace of anything. Of `exact` that is ours a part is the
 * payment where the whole is not there: a token may keep the rest, and all of it has left.
 */
export async function findPermit2Use(
  { transport, looks }: { readonly transport: Pick<Transport, 'read'>; readonly looks: LogLooks },
  authorization: Permit2Authorization,
  sinceHeight: bigint,
  isOurs = false,
): Promise<AuthorizationUse | undefined> {
  const least = isOurs && authorization.scheme === 'upto' ? 1n : authorization.value
  const sought = { ...authorization, least, isOurs }
  const head = await transport.read(headRead)
  const flip = await findNonceFlip(transport, sought, sinceHeight, head)
  if (flip === 'none') return undefined
  if (flip === 'behind') return { kind: 'behind' }
  if (flip === 'unreadable' || flip === 'unknown') {
    const use = await scanForUse({ transport, looks }, sought, { sinceHeight, head })
    // A head of which no node has the state is one that they have not come to.
    return use === undefined && flip === 'unreadable' ? { kind: 'behind' } : use
  }
  return useIn(transport, sought, flip)
}

/**
 * What the block did in which the nonce was used up. A transaction that is itself a call of a proxy with this nonce used it. Without one,
 * the block paid only if it holds a transfer of the amount to the seller: none, and the nonce was spent on something else, if it is sure that
 * the node shows what the block has of the owner; one that may be
 * anything, and nothing is known, unless the payer is ours and that transfer alone can have been it: `useAmong`. With its nonce nothing else was signed then.
 * `behind` where it is another block after all: a height was told by a machine on a branch that was left behind.
 * Whom `upto` names may be a contract as well, so that the call need not be its own transaction.
 */
async function useIn(
  transport: Pick<Transport, 'read'>,
  authorization: Sought,
  height: bigint,
): Promise<AuthorizationUse | undefined> {
  const blockHash = await transport.read(blockHashRead(height))
  if (blockHash === undefined) return { kind: 'behind' }
  const logs = await transport.read(ownerLogsRead(authorization, { blockHash }))
  const { hash, call, isElse } = await readCalls(transport, authorization, logs)
  if (hash !== undefined) {
    return useBy(transport, authorization, hash, call && permit2EffectOf(call.to, call.data))
  }
  const fitting = fittingOf(authorization, logs, isElse)
  const isTakenBack = logs.some((log) => isTakingBack(authorization, log))
  if (fitting.length > 0 && (!authorization.isOurs || isTakenBack)) return undefined
  const isHere = await isUsedUpIn(transport, authorization, blockHash)
  if (isHere !== true) return isHere === false ? { kind: 'behind' } : undefined
  if (fitting.length > 0) return useAmong(transport, authorization, fitting)
  const isShown = logs.length > 0 || (await isSilent(transport, authorization, blockHash))
  return isShown ? { kind: 'wasted', height, blockHash } : undefined
}

/**
 * The same from the owner's transfers of the token since a height, without the state of the past: a direct call is found, and a call from
 * within another contract stays unknown, unless the payer is ours: see useWithin. What the owner invalidated was spent so when the nonce
 * was unused in the block before, and nothing in that block can have been the payment. Blocks in parts, of which a look reads the newest and some others; transactions
 * up to a limit. `behind` where nothing is found and it was not used yet in the newest block of a node that was asked.
 */
async function scanForUse(
  { transport, looks }: { readonly transport: Pick<Transport, 'read'>; readonly looks: LogLooks },
  authorization: Sought,
  { sinceHeight, head }: { readonly sinceHeight: bigint; readonly head: bigint },
): Promise<AuthorizationUse | undefined> {
  let left = limits.permit2UsesReadMax
  const questions = logQuestions()
  let shownTo = head
  const { from, nonce } = authorization
  const look = looks.look(`${from} ${nonce}`, sinceHeight, head)
  const { newest, others } = look
  // A later look has read the newest before: should they leave no room, it goes on elsewhere all the same.
  for (const range of look.isLater ? [...others, ...newest] : [...newest, ...others]) {
    // In one batch, so that the height is that of the very node that shows the logs.
    const [height, logs] = await Promise.all([
      transport.read({ ...headRead, isUnique: true }),
      logsIn(transport, authorization, range, head, questions),
    ])
    if (height < shownTo) shownTo = height
    const found = await readCalls(transport, authorization, logs, left)
    // What the parts before it left no room for begins the next look. One that fills a look by itself is passed, or none would go on.
    const isRead = found.isAll || left === limits.permit2UsesReadMax
    if (isRead && others.includes(range)) look.looked(range)
    left -= found.count
    const { hash, call, isElse } = found
    if (hash !== undefined) {
      return useBy(transport, authorization, hash, call && permit2EffectOf(call.to, call.data))
    }
    if (authorization.isOurs) {
      const within = await useWithin(transport, authorization, logs, isElse)
      if (within !== undefined) return within
    }
    const fitting = fittingOf(authorization, logs, isElse)
    for (const log of logs) {
      if (!isTakingBack(authorization, log)) continue
      if (fitting.some(({ height }) => height === log.height)) continue
      if ((await isUsedUpIn(transport, authorization, log.blockHash)) !== true) continue
      return { kind: 'wasted', height: log.height, blockHash: log.blockHash }
    }
    if (left <= 0) return undefined
  }
  if (shownTo >= head) return undefined
  return (await isUnusedAt(transport, authorization, shownTo)) ? { kind: 'behind' } : undefined
}

/**
 * Reads what the transactions called that moved the token, first those that look like the payment, of the rest the newest: the one that
 * used the nonce, and which are known to be something else. What moved nothing was no payment, and anybody can have it done; only where
 * nothing can have been taken it is read as well, after all others.
 */
async function readCalls(
  transport: Pick<Transport, 'read'>,
  authorization: Sought,
  logs: readonly OwnerLog[],
  most = limits.permit2UsesReadMax,
) {
  const moved = logs
    .flatMap((log) => (log.kind === 'moved' ? [log] : []))
    .filter((log) => !isNothing(log) || mayTakeNothing(authorization, log))
    .toReversed()
  const likely = [...moved.filter((log) => isLike(authorization, log)), ...moved].toSorted(
    (one, other) => Number(isNothing(one)) - Number(isNothing(other)),
  )
  const all = [...new Set(likely.map(({ hash }) => hash))]
  const hashes = all.slice(0, most)
  const called = await Promise.all(hashes.map((hash) => transport.read(callRead(hash))))
  const index = called.findIndex((call) => isUseOf(authorization, call))
  return {
    hash: hashes[index],
    call: called[index],
    count: hashes.length,
    isAll: hashes.length === all.length,
    isElse: (log: Moved) => {
      const call = called[hashes.indexOf(log.hash)]
      const there = logs.filter((each) => each.kind === 'moved' && each.hash === log.hash)
      // One that was not read may be this very payment; and within a call of a contract that calls others anything may be done beside.
      return call !== undefined && there.length === 1 && isSomethingElse(authorization, call, log)
    },
  }
}

/**
 * Whether a call explains the owner's one transfer of its transaction by itself: a plain transfer that the owner sent or signed (EIP-3009),
 * or a payment by another nonce; each of this token, to this receiver, over this amount. Any other call, also of the token or a proxy, may
 * have the transfer done by somebody whom it calls.
 */
function isSomethingElse(
  { token, from }: Sought,
  { by, to, data }: Called,
  { transfer }: Moved,
): boolean {
  if (transfer === undefined) return false
  const paid = permit2EffectOf(to, data)
  if (paid !== undefined) {
    return paid.token === token && paid.from === from && isOver(transfer, paid.to, paid.value)
  }
  const call = { from: by, to, value: 0n, data, extras: [] }
  const { transfers, others } = summaryOf(call, new Set([token]))
  const [moves, ...more] = transfers
  if (to !== token || moves === undefined || more.length > 0 || others.length > 0) return false
  return moves.from === from && isOver(transfer, moves.to, moves.amount)
}

function isOver({ to, amount }: TokenTransfer, expected: Address, value: bigint): boolean {
  return to === expected && amount === value
}

/**
 * What the transaction that used the nonce did. It pays this authorization only if the call itself is for its token, receiver and amount: a
 * token of the payer's making could move another one while Permit2 calls it, and that transfer belongs to another payment.
 */
async function useBy(
  transport: Pick<Transport, 'read'>,
  authorization: Sought,
  hash: TransactionHash,
  effect: Permit2Effect | undefined,
): Promise<AuthorizationUse | undefined> {
  const { token, from, to, value, least } = authorization
  const [outcome] = await readOutcomes(transport, [hash])
  // One node has shown its transfer, so the one that has no receipt of it, or another block, is behind.
  if (outcome?.state !== 'mined' || outcome.blockHash === null) return { kind: 'behind' }
  if (!outcome.succeeded) return undefined
  const { height, blockHash } = outcome
  const wasted = { kind: 'wasted', height, blockHash } as const
  if (effect?.token !== token || effect.to !== to) return wasted
  if (effect.value < least || effect.value > value) return wasted
  const given = outcome.transfers.filter(
    (seen) => seen.asset === token && seen.from === from && seen.to === to,
  )
  const [part, ...others] = given.filter(({ amount }) => amount > 0n && amount < effect.value)
  const transfer =
    given.find(({ amount }) => amount === effect.value) ??
    (authorization.isOurs && others.length === 0 ? part : undefined)
  // The call is for it and succeeded: a receipt that does not show it is not whole, or the token's own form.
  return transfer && useOf(authorization, { hash, height, blockHash }, transfer, effect.value)
}

/**
 * What a transfer makes of the nonce: all of the payment, or as much of `upto` as was `moved`, which is what the transfer says where no call
 * tells it.
 */
function useOf(
  { scheme, isOurs, value }: Sought,
  { height, blockHash, hash }: LogBlock & { readonly hash: TransactionHash },
  { amount, logIndex }: TokenTransfer,
  moved = scheme === 'upto' ? amount : value,
): AuthorizationUse {
  if (amount === 0n) return { kind: 'wasted', height, blockHash }
  const taken = isOurs && scheme === 'upto' ? { taken: baseUnits(moved) } : {}
  const less = amount < moved ? { isLess: true } : {}
  return { kind: 'paid', settlement: { hash, height, blockHash, logIndex, ...taken, ...less } }
}

/**
 * Settled from within another contract, for a payer of which nobody else has the key: with its nonce nothing else was signed. The nonce was
 * open in the block before a transfer to the seller and used after it, nobody took it back there, and only one transfer of that block can
 * have been it. Undefined where any of that is not known. `isElse`: transfers that are known to be something else.
 */
async function useWithin(
  transport: Pick<Transport, 'read'>,
  authorization: Sought,
  logs: readonly OwnerLog[],
  isElse: (log: Moved) => boolean,
): Promise<AuthorizationUse | undefined> {
  const fitting = fittingOf(authorization, logs, isElse).filter(
    ({ transfer }) => transfer !== undefined,
  )
  for (const { height, blockHash } of fitting.toReversed()) {
    if ((await isUsedUpIn(transport, authorization, blockHash)) !== true) continue
    const isTakenBack = logs.some(
      (log) => log.height === height && isTakingBack(authorization, log),
    )
    if (isTakenBack) return undefined
    const there = fitting.filter((log) => log.height === height)
    return useAmong(transport, authorization, there)
  }
  return undefined
}

/**
 * The one transfer of a block that can have been it: the only one, or else the only one that the proxy made. With `upto` the proxy has to say so
 * of the only one, too: nothing may have been taken, and that one be another payment. Undefined where none is alone.
 */
async function useAmong(
  transport: Pick<Transport, 'read'>,
  authorization: Sought,
  fitting: readonly Moved[],
): Promise<AuthorizationUse | undefined> {
  const readable = fitting.flatMap(({ transfer, ...moved }) =>
    transfer === undefined ? [] : [{ ...moved, transfer }],
  )
  if (readable.length < fitting.length) return undefined
  const isAlone = readable.length === 1 && authorization.scheme === 'exact'
  const [only, ...others] = isAlone
    ? readable
    : await settledAmong(transport, authorization, readable)
  if (only === undefined || others.length > 0) return undefined
  return useOf(authorization, only, only.transfer)
}

function isLike({ to, value, least }: Sought, { transfer }: Moved): boolean {
  return transfer?.to === to && transfer.amount >= least && transfer.amount <= value
}

function isNothing({ transfer }: Moved): boolean {
  return transfer?.amount === 0n
}

function mayTakeNothing({ least, value, to }: Sought, { transfer }: Moved): boolean {
  return least < value && transfer?.to === to
}

/**
 * What can have been the payment, but for what is known to be something else; a transfer in a form of the token's own may be any. Of what is
 * ours a part to the seller, where nothing else can have been it.
 */
function fittingOf(
  authorization: Sought,
  logs: readonly OwnerLog[],
  isElse: (log: Moved) => boolean,
): readonly Moved[] {
  const open = logs.flatMap((log) => (log.kind === 'moved' && !isElse(log) ? [log] : []))
  const fitting = open.filter((log) => log.transfer === undefined || isLike(authorization, log))
  if (fitting.length > 0 || !authorization.isOurs) return fitting
  return open.filter((log) => isLike({ ...authorization, least: 1n }, log))
}

function isTakingBack(authorization: Permit2Authorization, log: OwnerLog): boolean {
  return log.kind === 'invalidated' && isInvalidated(authorization, log)
}

function isUseOf({ from, nonce }: Permit2Authorization, called: Called | undefined): boolean {
  const used = called && permit2EffectOf(called.to, called.data)
  return used?.from === from && used.nonce === nonce
}

import type { Fields } from '@florin/wire/x402/fields.ts'
import type { FinalityPolicy } from '../../kernel/network-config.ts'
import { limits } from '../../kernel/limits.ts'
import { NodeFailure } from '../chain.ts'
import type { Address, TokenTransfer, TransactionHash } from '../chain.ts'
import type { AuthorizationState, AuthorizationUse } from '../exact.ts'
import { fieldsFrom, listFrom, malformed } from '../json-rpc/answer.ts'
import type { Read, Transport } from '../json-rpc/transport.ts'
import { addressFrom, bytesFrom, quantityFrom, transactionHashFrom, wordFrom } from './answer.ts'
import { readHead } from './blocks.ts'
import { addressWord } from './eip712.ts'
import { headRead, rangesOf } from './exact-final.ts'
import type { BlockRange } from './exact-final.ts'
import { hexBytes, hexQuantity } from './hex.ts'
import { blockTimeView, readViewsAt } from './multicall.ts'
import { readOutcomes } from './outcome.ts'
import {
  isInvalidated,
  isNonceUsed,
  nonceView,
  NONCES_INVALIDATED_TOPIC,
  permit2EffectOf,
  PERMIT2,
} from './permit2.ts'
import type { Permit2Authorization, Permit2Effect } from './permit2.ts'
import { TRANSFER_TOPIC, transferFrom } from './token-transfers.ts'

const NO_PERMIT2 = -1n
const WORD_BYTES = 32

/** What the final state of the chain says of a payment by Permit2; a node round trip, two where finality is a depth. */
export async function readPermit2State(
  transport: Transport,
  policy: FinalityPolicy,
  authorization: Permit2Authorization,
): Promise<AuthorizationState> {
  const block =
    policy.kind === 'tag'
      ? 'finalized'
      : hexQuantity((await readHead(transport, policy)).finalizedHeight)
  const views = [nonceView(authorization, NO_PERMIT2), blockTimeView]
  const [bits = NO_PERMIT2, now = 0n] = await transport.read(readViewsAt(views, block))
  if (bits === NO_PERMIT2) return 'open'
  if (isNonceUsed(authorization, bits)) return 'used'
  // Permit2 takes it in this very second still, and no final block will be earlier again.
  return now > authorization.deadlineSeconds ? 'expired' : 'open'
}

/**
 * How the nonce was used up. Permit2 logs nothing of a transfer, so the owner's transfers of the token are looked through for a transaction
 * that is itself a call of a proxy with this nonce: when that one succeeded, it used the nonce and nothing else did. A call from within
 * another contract proves nothing and stays unknown, unless the payer is ours: see useWithin. What the owner invalidated was spent so when the nonce was unused in the block before.
 * Undefined where nothing is shown. Blocks in parts, the newest first; transactions up to a limit.
 */
export async function findPermit2Use(
  transport: Pick<Transport, 'read'>,
  authorization: Permit2Authorization,
  sinceHeight: bigint,
  isOurs = false,
): Promise<AuthorizationUse | undefined> {
  const head = await transport.read(headRead)
  let left = limits.permit2UsesReadMax
  for (const range of rangesOf(sinceHeight, head)) {
    const logs = await transport.read(ownerLogsRead(authorization, range))
    const moved = logs.flatMap((log) => (log.kind === 'moved' ? [log] : [])).toReversed()
    // What looks like it first, and of the rest the newest.
    const likely = [...moved.filter((log) => isLike(authorization, log)), ...moved]
    const hashes = [...new Set(likely.map(({ hash }) => hash))].slice(0, left)
    left -= hashes.length
    const called = await Promise.all(hashes.map((hash) => transport.read(callRead(hash))))
    const index = called.findIndex((call) => isUseOf(authorization, call))
    const [hash, call] = [hashes[index], called[index]]
    if (hash !== undefined && call !== undefined) {
      return useBy(transport, authorization, hash, permit2EffectOf(call.to, call.data))
    }
    if (isOurs) {
      const within = await useWithin(transport, authorization, logs, (transaction) => {
        const call = called[hashes.indexOf(transaction)]
        // A plain transfer, or a payment by another nonce. One that was not read may be this very payment.
        return (
          call !== undefined &&
          (call.to === authorization.token || permit2EffectOf(call.to, call.data) !== undefined)
        )
      })
      if (within !== undefined) return within
    }
    for (const log of logs) {
      if (log.kind !== 'invalidated' || !isInvalidated(authorization, log)) continue
      if ((await nonceAt(transport, authorization, log.height - 1n)) !== 'open') continue
      return { kind: 'wasted', height: log.height, blockHash: log.blockHash }
    }
    if (left <= 0) return undefined
  }
  return undefined
}

/**
 * What the transaction that used the nonce did. It pays this authorization only if the call itself is for its token, receiver and amount: a
 * token of the payer's making could move another one while Permit2 calls it, and that transfer belongs to another payment.
 */
async function useBy(
  transport: Pick<Transport, 'read'>,
  { token, from, to, value }: Permit2Authorization,
  hash: TransactionHash,
  effect: Permit2Effect | undefined,
): Promise<AuthorizationUse | undefined> {
  const [outcome] = await readOutcomes(transport, [hash])
  if (outcome?.state !== 'mined' || !outcome.succeeded || outcome.blockHash === null) {
    return undefined
  }
  const { height, blockHash } = outcome
  const isThis = effect?.token === token && effect.to === to && effect.value === value
  const transfer = outcome.transfers.find(
    (seen) => seen.asset === token && seen.from === from && seen.to === to && seen.amount === value,
  )
  if (transfer === undefined || !isThis) return { kind: 'wasted', height, blockHash }
  const settlement = { hash, height, blockHash, logIndex: transfer.logIndex }
  return { kind: 'paid', settlement }
}

/**
 * Settled from within another contract, for a payer of which nobody else has the key: with its nonce nothing else was signed. The nonce was open in the block before a transfer to the seller and used after it, nobody took it
 * back there, and only one transfer of that block can have been it. Undefined where any of that is not known. `isElse`: transactions that are
 * known to be something else.
 */
async function useWithin(
  transport: Pick<Transport, 'read'>,
  authorization: Permit2Authorization,
  logs: readonly OwnerLog[],
  isElse: (transaction: TransactionHash) => boolean,
): Promise<AuthorizationUse | undefined> {
  const { scheme, to, value } = authorization
  // Only the key that it names settles `upto`, and it calls the proxy itself.
  if (scheme !== 'exact') return undefined
  const fitting = logs.flatMap((log) => {
    if (log.kind !== 'moved' || log.transfer === undefined || isElse(log.hash)) return []
    const { transfer, ...moved } = log
    return transfer.to === to && transfer.amount === value ? [{ ...moved, transfer }] : []
  })
  for (const { hash, height, blockHash, transfer } of fitting.toReversed()) {
    if ((await nonceAt(transport, authorization, height - 1n)) !== 'open') continue
    if ((await nonceAt(transport, authorization, height)) !== 'used') continue
    const isTakenBack = logs.some(
      (log) =>
        log.kind === 'invalidated' && log.height === height && isInvalidated(authorization, log),
    )
    const isAlone = fitting.filter((log) => log.height === height).length === 1
    if (isTakenBack || !isAlone) return undefined
    return { kind: 'paid', settlement: { hash, height, blockHash, logIndex: transfer.logIndex } }
  }
  return undefined
}

function isLike({ to, value }: Permit2Authorization, { transfer }: Moved): boolean {
  return transfer?.to === to && transfer.amount === value
}

function isUseOf({ from, nonce }: Permit2Authorization, called: Called | undefined): boolean {
  const used = called && permit2EffectOf(called.to, called.data)
  return used?.from === from && used.nonce === nonce
}

/** Undefined where no node knows the state of that block any more. */
async function nonceAt(
  transport: Pick<Transport, 'read'>,
  authorization: Permit2Authorization,
  height: bigint,
): Promise<'open' | 'used' | undefined> {
  try {
    const views = readViewsAt([nonceView(authorization, NO_PERMIT2)], hexQuantity(height))
    const [bits = NO_PERMIT2] = await transport.read(views)
    if (bits === NO_PERMIT2) return undefined
    return isNonceUsed(authorization, bits) ? 'used' : 'open'
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error
    return undefined
  }
}

interface LogBlock {
  readonly height: bigint
  readonly blockHash: string
}

type Moved = LogBlock & {
  readonly kind: 'moved'
  readonly hash: TransactionHash
  /** Undefined when the token writes it in a form of its own. */
  readonly transfer: TokenTransfer | undefined
}

type OwnerLog =
  | Moved
  | (LogBlock & { readonly kind: 'invalidated'; readonly word: bigint; readonly mask: bigint })

/** What left the owner of the token, and which nonces it invalidated, in the chain's order. */
function ownerLogsRead(
  { token, from }: Permit2Authorization,
  { from: first, to: last }: BlockRange,
): Read<readonly OwnerLog[]> {
  const topics = [[TRANSFER_TOPIC, NONCES_INVALIDATED_TOPIC], hexBytes(addressWord(from))]
  const toBlock = last === null ? 'latest' : hexQuantity(last)
  return {
    method: 'eth_getLogs',
    params: [{ address: [token, PERMIT2], topics, fromBlock: hexQuantity(first), toBlock }],
    parse: (result) => listFrom(result, 'logs').flatMap((log) => ownerLogFrom(log, token)),
  }
}

function ownerLogFrom(value: unknown, token: Address): readonly OwnerLog[] {
  const log = fieldsFrom(value, 'log')
  const writer = addressFrom(log['address'], 'log address')
  const [topic] = listFrom(log['topics'], 'log topics')
  if (writer === token) {
    if (topic !== TRANSFER_TOPIC) return []
    const hash = transactionHashFrom(log['transactionHash'], 'log transaction')
    const [transfer] = transferFrom(value)
    return [{ kind: 'moved', hash, transfer, ...blockOf(log) }]
  }
  if (writer !== PERMIT2 || topic !== NONCES_INVALIDATED_TOPIC) return []
  const data = bytesFrom(log['data'], 'log data')
  if (data.length !== 2 * WORD_BYTES) throw malformed('log data', `${data.length} bytes`)
  return [
    {
      kind: 'invalidated',
      word: BigInt(hexBytes(data.subarray(0, WORD_BYTES))),
      mask: BigInt(hexBytes(data.subarray(WORD_BYTES))),
      ...blockOf(log),
    },
  ]
}

function blockOf(log: Fields): LogBlock {
  return {
    height: quantityFrom(log['blockNumber'], 'log height'),
    blockHash: wordFrom(log['blockHash'], 'log block'),
  }
}

interface Called {
  readonly to: Address | null
  readonly data: Uint8Array
}

function callRead(hash: TransactionHash): Read<Called | undefined> {
  return {
    method: 'eth_getTransactionByHash',
    params: [hash],
    parse: (result) => {
      if (result === null) return undefined
      const { to, input } = fieldsFrom(result, 'transaction')
      return {
        to: to === null ? null : addressFrom(to, 'recipient'),
        data: bytesFrom(input, 'transaction input'),
      }
    },
  }
}

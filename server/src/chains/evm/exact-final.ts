import type { FinalityPolicy } from '../../kernel/network-config.ts'
import type { AuthorizationState, ForeignSettlement } from '../exact.ts'
import { fieldsFrom, listFrom } from '../json-rpc/answer.ts'
import type { Read, Transport } from '../json-rpc/transport.ts'
import { quantityFrom, transactionHashFrom } from './answer.ts'
import { readHead } from './blocks.ts'
import { AUTHORIZATION_USED_TOPIC, authorizationStateView } from './eip3009.ts'
import type { Authorization } from './eip3009.ts'
import { addressWord } from './eip712.ts'
import { hexBytes, hexQuantity } from './hex.ts'
import { blockTimeView, readViewsAt } from './multicall.ts'
import { readOutcomes } from './outcome.ts'

const NO_SUCH_FUNCTION = 2n

/** What the final state of the chain says of an authorization; a node round trip, two where finality is a depth. */
export async function readFinalState(
  transport: Transport,
  policy: FinalityPolicy,
  authorization: Authorization,
): Promise<AuthorizationState> {
  const block =
    policy.kind === 'tag'
      ? 'finalized'
      : hexQuantity((await readHead(transport, policy)).finalizedHeight)
  const views = [authorizationStateView(authorization, NO_SUCH_FUNCTION), blockTimeView]
  const [used = NO_SUCH_FUNCTION, now = 0n] = await transport.read(readViewsAt(views, block))
  if (used === 1n) return 'used'
  // The token takes it strictly before this second, and no final block will be earlier again.
  return used === 0n && now >= authorization.validBeforeSeconds ? 'expired' : 'open'
}

/**
 * The transaction that used the authorization up, when it moved the money: the transfer counts that follows its AuthorizationUsed.
 * Two round trips at most.
 */
export async function findUse(
  transport: Transport,
  authorization: Authorization,
  sinceHeight: bigint,
): Promise<ForeignSettlement | undefined> {
  const [use] = await transport.read(usesRead(authorization, sinceHeight))
  if (use === undefined) return undefined
  const [outcome] = await readOutcomes(transport, [use.hash])
  if (outcome?.state !== 'mined' || !outcome.succeeded || outcome.blockHash === null) {
    return undefined
  }
  const { token, from, to, value } = authorization
  const transfer = outcome.transfers.find(
    (seen) =>
      seen.logIndex > use.logIndex &&
      seen.asset === token &&
      seen.from === from &&
      seen.to === to &&
      seen.amount === value,
  )
  if (transfer === undefined) return undefined
  const { height, blockHash } = outcome
  return { hash: use.hash, height, blockHash, logIndex: transfer.logIndex }
}

function usesRead(
  { token, from, nonce }: Authorization,
  sinceHeight: bigint,
): Read<readonly { hash: ReturnType<typeof transactionHashFrom>; logIndex: number }[]> {
  const topics = [AUTHORIZATION_USED_TOPIC, hexBytes(addressWord(from)), hexBytes(nonce)]
  const fromBlock = hexQuantity(sinceHeight)
  return {
    method: 'eth_getLogs',
    params: [{ address: token, topics, fromBlock, toBlock: 'latest' }],
    parse: (result) =>
      listFrom(result, 'logs').map((value) => {
        const log = fieldsFrom(value, 'log')
        return {
          hash: transactionHashFrom(log['transactionHash'], 'log transaction'),
          logIndex: Number(quantityFrom(log['logIndex'], 'log index')),
        }
      }),
  }
}

import { postText } from '../json-rpc/post-text.ts'
import type { PostText } from '../json-rpc/post-text.ts'
import { hexQuantity } from './hex.ts'

/** More than today for a new slot: 97,920 for its 64 bytes, 10,000 and 2,100 for writing it, less 22,100. Source: EIP-8037, EIP-8038. */
export const NEW_SLOT_GAS = 87_920n
/** More than today for a slot that changes. */
export const CHANGED_SLOT_GAS = 7_100n
/** More than today for an account that is made: 183,600 and 12,000, less 32,000; and for each byte of its code, 1,530 less 200. */
export const NEW_ACCOUNT_GAS = 163_600n
export const CODE_BYTE_GAS = 1_330n

const LEAST_GAS = 30_000n

interface Asked {
  readonly method: string
  readonly params: readonly Readonly<Record<string, unknown>>[]
}

/**
 * A node where a call to anybody takes so much more than here: what is given a bound of gas runs within what is left of it, and an estimate is higher
 * by so much. That is what a chain with dearer state does to it, since no state in a call can be paid for otherwise.
 */
export function dearBy(more: () => bigint): PostText {
  return (posting) => {
    const calls = [JSON.parse(posting.body)].flat() as readonly Asked[]
    const dearer = calls.map((each) => {
      const [call, ...others] = each.params
      if (!isBounded(each) || call === undefined) return each
      const left = BigInt(String(call['gas'])) - more()
      const gas = hexQuantity(left > LEAST_GAS ? left : LEAST_GAS)
      return { ...each, params: [{ ...call, gas }, ...others] }
    })
    const { answer, abandon } = postText({ ...posting, body: JSON.stringify(dearer) })
    const told = answer.then((posted) => {
      const answers = [JSON.parse(posted.text)].flat() as readonly { id: number; result?: string }[]
      const raised = answers.map((one) =>
        calls[one.id]?.method === 'eth_estimateGas' && one.result !== undefined
          ? { ...one, result: hexQuantity(BigInt(one.result) + more()) }
          : one,
      )
      return { ...posted, text: JSON.stringify(raised) }
    })
    return { answer: told, abandon }
  }
}

function isBounded({ method, params }: Asked): boolean {
  const isRun = method === 'eth_call' || method === 'eth_estimateGas'
  return isRun && typeof params[0]?.['gas'] === 'string'
}

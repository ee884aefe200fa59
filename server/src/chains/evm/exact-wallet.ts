import type { Address } from '../chain.ts'
import type { Read, Transport } from '../json-rpc/transport.ts'
import { bytesFrom } from './answer.ts'
import { settlingCallByWallet } from './eip3009.ts'
import type { Authorization } from './eip3009.ts'
import { estimateProblemOf } from './failures.ts'
import { hexBytes, hexQuantity } from './hex.ts'
import { callsTogether } from './multicall.ts'
import type { Call } from './transfer.ts'
import { boundedCall, wordCall } from './wallet-signature.ts'
import type { Deployment } from './wallet-signature.ts'

/** What an account may take to answer for a signature: a dozen owners, or a curve that the chain has no instruction for. */
const WORD_GAS_MAX = 150_000
/** What a transfer of such an account may take: its word and the token, which takes some 300,000 for a new holder where new state is dear (decision 0113). */
export const WALLET_GAS_MAX = 500_000n
/** The same with the account made before it: there 1.5 million behind a proxy with an owner, and half a million more for each further one. */
export const DEPLOYMENT_GAS_MAX = 2_500_000n
/** bytes4(keccak256("isValidSignature(bytes32,bytes)")), as a word. Source: EIP-1271. */
const YES = `0x1626ba7e${'00'.repeat(28)}`

/** The call that settles for an account with code, or for one that is made by the same call. */
export function walletCall(authorization: Authorization, deployment?: Deployment): Call {
  const transfer = settlingCallByWallet(authorization)
  if (deployment === undefined) return transfer
  // The factory is called by Multicall3 and never by an address of ours, and everything is undone when the transfer fails.
  const { factory: to, data } = deployment
  return callsTogether([{ to, data }, transfer], { mayFail: false })
}

/** Whether the account says that the signature is its own. One view, within a bound of gas; a word comes back, however much it returns. */
export function saysYes(
  transport: Pick<Transport, 'read'>,
  { from, signature }: Pick<Authorization, 'from' | 'signature'>,
  digest: Uint8Array,
): Promise<boolean> {
  const data = boundedCall(from, wordCall(digest, signature), WORD_GAS_MAX)
  return transport.read({
    method: 'eth_call',
    params: [{ data: hexBytes(data) }, 'latest'],
    parse: (result) => hexBytes(bytesFrom(result, 'word of an account')) === YES,
    meaning: (error) => (estimateProblemOf(error) === undefined ? undefined : false),
  })
}

/** Whether the call would succeed now, within its bound; the chain is asked as anybody may, or as by an address of ours. */
export function wouldSucceed(
  transport: Pick<Transport, 'read'>,
  { to, data }: Call,
  gasMax: bigint,
  from?: Address,
): Promise<boolean> {
  const asked = { ...(from === undefined ? {} : { from }), to, data: hexBytes(data) }
  const read: Read<boolean> = {
    method: 'eth_call',
    params: [{ ...asked, gas: hexQuantity(gasMax) }, 'latest'],
    parse: () => true,
    meaning: (error) => (estimateProblemOf(error) === undefined ? undefined : false),
  }
  return transport.read(read)
}

import type { Verdict } from '../chain.ts'
import { broadcastToAll } from '../json-rpc/broadcast.ts'
import type { Transport } from '../json-rpc/transport.ts'
import { transactionHashFrom } from './answer.ts'
import { verdictOf } from './failures.ts'
import { hashOf } from './sign.ts'

/** Without a node's own checks, which look at its own view of the chain, and without its own repeats: we repeat. */
const OPTIONS = { encoding: 'base64', skipPreflight: true, maxRetries: 0 }

/** Hands bytes to every node once, and says for each what came of it. */
export async function broadcastTo(
  transport: Transport,
  raws: readonly Uint8Array[],
): Promise<readonly Verdict[]> {
  const sendings = raws.map((raw) => ({
    call: {
      method: 'sendTransaction',
      params: [Buffer.from(raw).toString('base64'), OPTIONS],
    },
    hash: hashOf(raw),
  }))
  return await broadcastToAll(transport, sendings, {
    hashFrom: (result) => transactionHashFrom(result, 'transaction signature'),
    verdictOf,
  })
}

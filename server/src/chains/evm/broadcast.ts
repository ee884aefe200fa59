import type { Verdict } from '../chain.ts'
import { broadcastToAll } from '../json-rpc/broadcast.ts'
import type { Transport } from '../json-rpc/transport.ts'
import { transactionHashFrom } from './answer.ts'
import { verdictOf } from './failures.ts'
import { hexBytes } from './hex.ts'
import { hashOf } from './sign.ts'

/** Hands bytes to every node once, and says for each what came of it. */
export async function broadcastTo(
  transport: Transport,
  raws: readonly Uint8Array[],
): Promise<readonly Verdict[]> {
  const sendings = raws.map((raw) => ({
    call: { method: 'eth_sendRawTransaction', params: [hexBytes(raw)] },
    hash: hashOf(raw),
  }))
  return await broadcastToAll(transport, sendings, {
    hashFrom: (result) => transactionHashFrom(result, 'transaction hash'),
    verdictOf,
  })
}

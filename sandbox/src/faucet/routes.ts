import type { IncomingMessage, ServerResponse } from 'node:http'
import { EVM_NETWORK } from '../evm/chain-facts.ts'
import { readBody, sendJson } from '../host/http.ts'
import { parseJson } from '../host/json.ts'
import { SOLANA_NETWORK } from '../solana/chain-facts.ts'
import type { SolanaNode } from '../solana/node.ts'
import { readOrder } from './order.ts'
import type { FaucetOrder } from './order.ts'
import type { Paid, Payer } from './payer.ts'

const BODY_BYTES_MAX = 4_096
const STATUS: Readonly<Record<string, number>> = {
  BUSY: 503,
  NETWORK_ERROR: 503,
  TIMEOUT: 503,
  TRANSFER_FAILED: 422,
}

const NETWORKS = { evm: EVM_NETWORK, solana: SOLANA_NETWORK } as const

/** Who pays on which chain. */
export interface Payers {
  readonly evm: Payer
  readonly solana: Pick<SolanaNode, 'pay' | 'market'>
}

/** POST {address, network, asset?, amount?}: funds on the sandbox chain, answered when they are mined. */
export async function answerFaucet(
  payers: Payers,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== 'POST') {
    return refuse(response, 405, 'METHOD_NOT_ALLOWED', 'POST {address, network, asset?, amount?}')
  }
  const body = await readBody(request, BODY_BYTES_MAX)
  if (body === undefined) {
    return refuse(response, 413, 'PAYLOAD_TOO_LARGE', `at most ${BODY_BYTES_MAX} bytes`)
  }
  const order = readOrder(parseJson(body.toString('utf8')), payers.solana.market.tokens)
  if ('code' in order) return refuse(response, 400, order.code, order.message)
  const paid = await pay(payers, order)
  if (!paid.ok) return refuse(response, STATUS[paid.code] ?? 500, paid.code, paid.message)
  sendJson(response, 200, {
    success: true,
    address: order.address,
    network: NETWORKS[order.chain],
    asset: order.asset.mint ?? 'native',
    amount: order.amount,
    transactionHash: paid.transactionHash,
  })
}

async function pay(payers: Payers, order: FaucetOrder): Promise<Paid> {
  if (order.chain === 'evm') return await payers.evm.pay(order)
  const { address, asset, amountBaseUnits } = order
  const paid = await payers.solana.pay({
    address,
    asset: asset.mint ?? 'native',
    amountBaseUnits,
  })
  return paid.ok ? { ok: true, transactionHash: paid.signature } : paid
}

function refuse(response: ServerResponse, status: number, code: string, message: string): void {
  sendJson(response, status, { success: false, error: { code, message } })
}

import { x402ExactPermit2ProxyABI } from '@x402/evm'
import { encodeFunctionData, parseAbi } from 'viem'
import { expect } from 'vitest'
import { until } from '@florin/server/kernel/until.ts'
import type { Permit2Buyer } from './permit2-buyer.ts'
import { settle } from './seller.ts'
import type { SettleBody } from './seller.ts'
import type { World } from './world.ts'

const ABI = parseAbi(['function invalidateUnorderedNonces(uint256 word, uint256 mask)'])

/** Takes a nonce back, as its owner may. */
export function invalidation(nonce: string): `0x${string}` {
  const args = [BigInt(nonce) >> 8n, 1n << (BigInt(nonce) & 0xffn)] as const
  return encodeFunctionData({ abi: ABI, functionName: 'invalidateUnorderedNonces', args })
}

/** Has it settled while its payer has code that takes no signature: our attempt is included, and reverts. */
export async function revertFirst(
  world: World,
  { payTo }: SettleBody,
  charged: SettleBody,
  buyer: Permit2Buyer,
): Promise<void> {
  await world.sandbox.fault({ kind: 'stop-blocks' })
  const failed = settle(world, charged)
  const isSigned = async () => {
    const rows = await world.database.store.query(
      'test_places',
      `select 1 from payments join payment_transactions on payment_id = id where recipient = $1`,
      [payTo],
    )
    return rows.length > 0
  }
  await until('it is signed', isSigned, { seconds: 30 })
  await setCode(world, buyer.address, '0xfe')
  await world.sandbox.fault({ kind: 'resume-blocks' })
  const reason = /^invalid_(exact|upto)_evm_transaction_failed$/
  expect((await failed).body).toMatchObject({
    success: false,
    errorReason: expect.stringMatching(reason) as unknown,
  })
  await setCode(world, buyer.address, '0x')
}

function setCode(world: World, address: string, code: string): Promise<Response> {
  const call = { jsonrpc: '2.0', id: 1, method: 'anvil_setCode', params: [address, code] }
  const headers = { 'content-type': 'application/json' }
  return fetch(world.sandbox.rpcUrl, { method: 'POST', headers, body: JSON.stringify(call) })
}

/** The call of the proxy that anybody may make. */
export function settlingCall(purchase: SettleBody): `0x${string}` {
  const { permitted, from, nonce, deadline, witness, signature } = authorizationOf(purchase)
  return encodeFunctionData({
    abi: x402ExactPermit2ProxyABI,
    functionName: 'settle',
    args: [
      {
        permitted: { token: permitted.token, amount: BigInt(permitted.amount) },
        nonce: BigInt(nonce),
        deadline: BigInt(deadline),
      },
      from,
      { to: witness.to, validAfter: BigInt(witness.validAfter) },
      signature,
    ],
  })
}

export interface SignedForPermit2 {
  readonly permitted: { readonly token: `0x${string}`; readonly amount: string }
  readonly from: `0x${string}`
  readonly nonce: string
  readonly deadline: string
  readonly witness: { readonly to: `0x${string}`; readonly validAfter: string }
  readonly signature: `0x${string}`
}

/** What the payer signed, with the signature. */
export function authorizationOf({ body }: SettleBody): SignedForPermit2 {
  const { payload } = body.paymentPayload as {
    payload: {
      signature: `0x${string}`
      permit2Authorization: Omit<SignedForPermit2, 'signature'>
    }
  }
  return { ...payload.permit2Authorization, signature: payload.signature }
}

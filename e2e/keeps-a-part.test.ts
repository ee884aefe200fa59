import { createPublicClient, erc20Abi, getAddress, http } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestMaker } from '@florin/server/chains/evm/markets/test-token.ts'
import type { TestMaker } from '@florin/server/chains/evm/markets/test-token.ts'
import type { TradedToken } from '@florin/server/chains/venue.ts'
import { until } from '@florin/server/kernel/until.ts'
import { detailsOf } from './actors/client.ts'
import type { Reply } from './actors/client.ts'
import { build, evmCustodian, transactionOf } from './actors/self-custodian.ts'
import type { World } from './actors/world.ts'
import { openWorld, walletOf } from './actors/world.ts'

const WHOLE = 10n ** 18n
/** A twentieth. */
const KEPT = WHOLE / 20n
const remark = { reason: 'recipient_got_less' }

let world: World
let maker: TestMaker
let token: TradedToken
beforeAll(async () => {
  world = await openWorld()
  maker = await openTestMaker(world)
  token = await maker.token('keeps a part')
  await maker.mint(token, walletOf(world), 10n * WHOLE)
  const native = { symbol: 'ETH', asset: 'native', decimals: 18, takesCommitment: true }
  const listed = { symbol: 'PART', asset: token.mint, decimals: 18, takesCommitment: true }
  await world.start({ network: { assets: [native, listed] } })
}, 240_000)
afterAll(() => world.stop(), 240_000)

async function arrivedAt(address: string): Promise<bigint> {
  const chain = createPublicClient({ transport: http(world.sandbox.rpcUrl) })
  const args = [getAddress(address)] as const
  const of = { address: getAddress(token.mint), abi: erc20Abi } as const
  return await chain.readContract({ ...of, functionName: 'balanceOf', args })
}

const settled = async (paymentId: unknown) =>
  await until(
    'the payment is settled',
    async () => {
      const { body } = await world.client().get(`/payment/status/${String(paymentId)}`)
      return body['status'] === 'settled' && body
    },
    { seconds: 60 },
  )

/** What a seller is told who is shown the payment for the whole price. */
async function shownFor(recipient: string, sent: Reply): Promise<unknown> {
  const asked = { walletAddress: recipient, asset: token.mint, expectedAmount: 1, timeout: 0 }
  const { paymentProof } = sent.body
  const reply = await world.client().post('/payment/receive', { ...asked, paymentProof })
  return detailsOf(reply)['reason']
}

test('what was sent of a listed token that keeps a part has left the wallet: it has not failed, and its record says that less arrived', async () => {
  const recipientAddress = world.newAddress()
  const order = { walletAddress: walletOf(world), recipientAddress, amount: 1, asset: token.mint }
  const reply = await world.client().post('/payment/send', order)
  expect(reply.body).toMatchObject({ success: true, status: 'confirmed' })
  expect(await settled(reply.body['paymentId'])).toMatchObject({ amount: 1, remark })
  expect(await arrivedAt(recipientAddress)).toBe(WHOLE - KEPT)
  expect(await shownFor(recipientAddress, reply)).toBe('transfer_amount_mismatch')
})

test('so it is with what was built and signed elsewhere', async () => {
  const holder = await evmCustodian(world.sandbox)
  await maker.mint(token, holder.address, WHOLE)
  const recipient = world.newAddress()
  const built = await build(world.client(), holder, recipient, { asset: token.mint, amount: 1 })
  const signature = await holder.broadcast(await holder.sign(transactionOf(built)))
  expect(await settled(built.body['paymentId'])).toMatchObject({ signature, remark })
  expect(await shownFor(recipient, built)).toBe('transfer_amount_mismatch')
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '@florin/server/kernel/until.ts'
import { anApprovalBuyer, openSponsoredWorld } from './actors/approval-buyer.ts'
import type { SponsoredWorld } from './actors/approval-buyer.ts'
import { openClient } from './actors/client.ts'
import type { Client } from './actors/client.ts'
import { PRICE, settle } from './actors/seller.ts'

let scene: SponsoredWorld
let survivor: Client
beforeAll(async () => {
  scene = await openSponsoredWorld()
  const { baseUrl, apiKeys } = scene.world.service()
  survivor = openClient(baseUrl, apiKeys.enterprise)
})
afterAll(() => scene.world.stop())

/** Lets an instance die in the middle of a settlement. */
async function dieAt(killPoint: string, purchase: Parameters<typeof settle>[1]): Promise<void> {
  const doomed = await scene.start({ killPoint })
  await settle(scene.world, purchase).catch(() => null)
  expect(await doomed.ended).toMatchObject({ signal: 'SIGKILL' })
}

/** Shows the same payment until it is settled: one call may end before the approval is in a block, which says that it should be asked again. */
async function settled(body: object): Promise<void> {
  const answer = await until(
    'the payment is settled or refused',
    async () => {
      const said = (await survivor.post('/x402/settle', body)).body
      return said['errorReason'] === 'approval_pending' ? undefined : said
    },
    { seconds: 100 },
  )
  expect(answer).toMatchObject({ success: true })
}

test.each([
  'approval.after-store:1',
  'send.before-commit:1',
  'send.after-commit:1',
  'broadcast.before-node:1',
  'broadcast.after-node:1',
  'approval.after-node:1',
  'claim.before-commit:1',
  'claim.after-commit:1',
])(
  '%s: the other instance finishes it, and the payer is given the money once',
  async (killPoint) => {
    const { world } = scene
    const purchase = await (await anApprovalBuyer(scene)).pay()
    const before = await scene.fundings()
    await dieAt(killPoint, purchase)
    await settled(purchase.body)
    expect(await scene.fundings()).toBe(before + 1)
    expect(await scene.tokensOf(purchase.payTo)).toBe(PRICE)
    await world.expectSound()
  },
)

test('a payer that takes the money is told so, and is given nothing more today', async () => {
  const buyer = await anApprovalBuyer(scene)
  const purchase = await buyer.pay()
  const before = await scene.fundings()
  // What it is given is on its way, and nobody is there to send the approval.
  await dieAt('broadcast.after-node:1', purchase)
  await buyer.takeTheMoney()
  const settleBy = async (body: object) => (await survivor.post('/x402/settle', body)).body
  const taken = { success: false, errorReason: 'erc20_approval_tx_wrong_nonce', transaction: '' }
  expect(await settleBy(purchase.body)).toMatchObject(taken)
  const again = await buyer.pay()
  const spent = 'gas_budget_spent'
  expect((await survivor.post('/x402/verify', again.body)).body).toMatchObject({
    ...{ isValid: false, invalidReason: spent },
  })
  expect(await settleBy(again.body)).toMatchObject({ success: false, errorReason: spent })
  expect(await scene.fundings()).toBe(before + 1)
  expect(await scene.tokensOf(purchase.payTo)).toBe(0n)
})

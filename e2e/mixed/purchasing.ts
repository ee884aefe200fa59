import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { getAddress } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { Florin, paywall } from '@florin/sdk'
import type { Stage } from './stage.ts'
import { insist, isOpen } from './want.ts'
import type { Verdict, Want } from './want.ts'
import type { Worker } from './worker.ts'

const PRICE = { whole: '0.01', baseUnits: 10_000n } as const
/** So short that what a dead service left open ends within the run, and longer than a chain takes that lost the block of a success: it is settled again. */
const AUTHORIZATION_SECONDS = 120

/** Buys from a shop of this process, whose paywall settles through the same service: each purchase at an address of its own. */
export async function openPurchasing(stage: Stage, name: string): Promise<Worker> {
  const { client, enough, info, wants } = stage
  const { evm } = info.networks
  const wallet = info.wallets.filter(({ family }) => family === 'evm')[1]
  const payTo = privateKeyToAddress(generatePrivateKey())
  const delivered = new Map<string, number>()
  const shop = express()
  const florin = new Florin({ baseUrl: info.baseUrl, apiKey: info.apiKeys.enterprise })
  const price = { amount: PRICE.whole, asset: getAddress(evm.usdc), network: evm.network, payTo }
  const wall = paywall(florin, { ...price, maxTimeoutSeconds: AUTHORIZATION_SECONDS })
  shop.get('/goods/:want', wall, (request, answer) => {
    const { want } = request.params
    delivered.set(want, (delivered.get(want) ?? 0) + 1)
    answer.json({ want })
  })
  shop.set('env', 'test')
  const server = createServer(shop).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const own: Want[] = []
  return {
    work: async () => {
      for (let number = 0; !enough.aborted; number += 1) {
        const want = wants.add('purchase', `${name}-${number}`)
        own.push(want)
        const order = {
          walletAddress: wallet?.address,
          url: `http://127.0.0.1:${port}/goods/${want.key}`,
          maxAmount: PRICE.whole,
        }
        const reply = await insist(
          wants,
          want,
          (signal) => client.post('/payment/fetch', order, { 'idempotency-key': want.key }, signal),
          (answer) => {
            if (isOpen(answer)) return 'again'
            if (answer.status !== 200) return { never: 'a purchase that was refused for good' }
            return verdictOf(answer.body)
          },
        )
        if (reply !== undefined) want.id = String(reply.body['paymentId'])
      }
    },
    check: async (truth) => {
      const rows = await truth.rows<{ resource: string; status: string; id: string }>(
        `select id, resource, status from payments where type = 'sent' and recipient = $1`,
        [payTo],
      )
      const settled = rows.filter(({ status }) => status === 'settled')
      const paid = await truth.usdcOf(payTo)
      if (paid !== PRICE.baseUnits * BigInt(settled.length)) {
        wants.break(null, `${payTo} has ${paid} for ${settled.length} purchases that are settled`)
      }
      for (const want of own) {
        const mine = rows.filter(({ resource }) => resource.endsWith(`/${want.key}`))
        const paidFor = mine.filter(({ status }) => status === 'settled')
        const isPaid = want.end === 'done' || want.end === 'paid'
        const isRight = isPaid ? paidFor.length === 1 : paidFor.length <= 1
        if (!isRight) wants.break(want, `the database has for it ${JSON.stringify(mine)}`)
        // A shop hands out once for each proof: where its answer was lost with the service that had asked, the goods are, too.
        if (isPaid && !delivered.has(want.key)) {
          wants.break(want, 'it was paid for, and nobody handed anything out')
        }
        if (want.end === 'refused' && paidFor.length > 0) {
          wants.break(want, 'it was told that nothing was paid')
        }
      }
    },
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function verdictOf({ paid, payment, response }: Readonly<Record<string, unknown>>): Verdict {
  const { status: reached } = (payment ?? {}) as { status?: string }
  const { status: answered } = (response ?? {}) as { status?: number }
  if (answered === 200) return 'done'
  // Neither paid nor to be paid any more: nothing was bought under this key.
  if (paid === false) return 'refused'
  // Nobody has said why there are no goods: the next repeat shows it again.
  if (answered === undefined) return 'again'
  return paid === true && reached === 'settled' ? 'paid' : 'again'
}

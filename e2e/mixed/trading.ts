import type { Stage } from './stage.ts'
import { insist, isOpen } from './want.ts'
import type { Want } from './want.ts'
import type { Worker } from './worker.ts'

const AMOUNTS = { evm: '0.001', solana: '0.01' } as const
const WAITS = ['submitted', 'confirmed'] as const
const WAIT_SECONDS_MAX = 5

/** Buys USDC with a wallet of the service, one order after the other under keys of their own. */
export function openTrading(
  { client, enough, info, wants }: Stage,
  name: string,
  family: 'evm' | 'solana',
  random: () => number,
): Worker {
  const wallet = info.wallets.find((each) => each.family === family)
  const own: Want[] = []
  return {
    work: async () => {
      for (let number = 0; !enough.aborted; number += 1) {
        const want = wants.add('trade', `${name}-${number}`)
        own.push(want)
        const order = {
          publicKey: wallet?.address,
          mint: info.networks[family].usdc,
          amount: AMOUNTS[family],
          waitFor: WAITS[Math.floor(random() * WAITS.length)],
          timeout: 1 + Math.floor(random() * WAIT_SECONDS_MAX),
        }
        const reply = await insist(
          wants,
          want,
          (signal) => client.post('/trade/buy', order, { 'idempotency-key': want.key }, signal),
          (answer) => {
            if (isOpen(answer)) return 'again'
            return answer.status === 200 ? 'done' : { never: 'an order that was refused for good' }
          },
        )
        if (reply !== undefined) want.id = String(reply.body['tradeId'])
      }
    },
    check: async (truth) => {
      const rows = await truth.rows<{ id: string; status: string; key: string | null }>(
        `select t.id, p.status, k.key from trades t join payments p on p.id = t.payment_id
         left join idempotency_keys k on k.resource_id in (t.id, p.id) where p.wallet_id = (select id from wallets where address = $1)`,
        [wallet?.address],
      )
      for (const want of own) {
        const found = rows.filter(({ key }) => key === want.key)
        const isOnce = found.length === 1 && found[0]?.id === want.id
        // A market that moved too far is a trade that failed, and one whose chain lost its block ran out of its time; both say so.
        if (!isOnce || !['settled', 'failed', 'expired'].includes(found[0]?.status ?? '')) {
          wants.break(want, `the database has for it ${JSON.stringify(found)}`)
        }
      }
      const others = rows.filter(({ key }) => !own.some((want) => want.key === key))
      if (others.length > 0) wants.break(null, `trades of nobody: ${JSON.stringify(others)}`)
    },
  }
}

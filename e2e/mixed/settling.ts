import { testPayer } from '@florin/server/chains/evm/test-payer.ts'
import type { Reply } from '../actors/client.ts'
import { PRICE, purchaseFrom } from '../actors/seller.ts'
import type { Stage } from './stage.ts'
import { insist, isOpen } from './want.ts'
import type { Verdict, Want } from './want.ts'
import type { Worker } from './worker.ts'

const FUNDS = '500'
/** What says nothing of the payment: the same proof is shown again. */
const UNDECIDED = new Set(['settlement_pending', 'network_unavailable'])

/** Settles signed payments to addresses of nobody, each until the seller knows: the balance of the receiver is the truth about it. */
export async function openSettling(stage: Stage, name: string): Promise<Worker> {
  const { client, enough, info, wants, fund } = stage
  const payer = testPayer()
  const receivers = new Map<Want, string>()
  await fund(payer.address, 'USDC', FUNDS)
  return {
    work: async () => {
      for (let number = 0; !enough.aborted; number += 1) {
        const { body, payTo } = await purchaseFrom({ sandbox: info.networks.evm }, payer)
        const want = wants.add('settle', `${name}-${number}`)
        receivers.set(want, payTo)
        await insist(
          wants,
          want,
          (signal) => client.post('/x402/settle', body, {}, signal),
          (reply) => verdictOf(want, reply),
        )
      }
    },
    check: async (truth) => {
      for (const [want, payTo] of receivers) {
        const paid = await truth.usdcOf(payTo)
        const expected = want.end === 'done' ? PRICE : 0n
        if (paid !== expected) wants.break(want, `${payTo} has ${paid} instead of ${expected}`)
      }
    },
  }
}

/** What a facilitator's answer to a repeated question says. A success is told once: whoever lost it hears that it was told. */
function verdictOf({ tries }: Want, reply: Reply): Verdict {
  const { success, errorReason } = reply.body
  if (isOpen(reply)) return 'again'
  if (success === true) return 'done'
  const reason = String(errorReason)
  if (reply.status !== 200) return { never: 'an answer that is none of the protocol’s' }
  if (UNDECIDED.has(reason)) return 'again'
  if (reason === 'duplicate_settlement') {
    return tries > 1 ? 'done' : { never: 'a duplicate that nobody had asked for' }
  }
  return 'refused'
}

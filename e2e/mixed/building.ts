import { randomBytes } from 'node:crypto'
import { getAddress } from 'viem'
import { build, evmCustodian, transactionOf } from '../actors/self-custodian.ts'
import type { Stage } from './stage.ts'
import { insist, isOpen } from './want.ts'
import type { Want } from './want.ts'
import type { Worker } from './worker.ts'

const AMOUNT = { whole: '0.001', baseUnits: 10n ** 15n } as const

/** Has payments built that its own key signs, and hands them in: each to an address of nobody. */
export async function openBuilding(stage: Stage, name: string): Promise<Worker> {
  const { client, enough, info, wants, fund } = stage
  const { rpcUrl } = info.networks.evm
  const holder = await evmCustodian({
    rpcUrl,
    fund: async (address, asset = 'native', amount = '1') => {
      await fund(address, asset === 'native' ? 'native' : 'USDC', amount)
      return ''
    },
  })
  const recipients = new Map<Want, string>()
  /** Told as stored, and that no node has taken them: a chain that lost a block may have given their nonce to what was signed before. */
  const untaken = new Set<Want>()
  return {
    work: async () => {
      for (let number = 0; !enough.aborted; number += 1) {
        const want = wants.add('build', `${name}-${number}`)
        const recipient = getAddress(`0x${randomBytes(20).toString('hex')}`)
        recipients.set(want, recipient)
        const key = { 'idempotency-key': want.key }
        const built = await insist(
          wants,
          want,
          () => build(client, holder, recipient, { amount: AMOUNT.whole }, key),
          (reply) => {
            if (isOpen(reply)) return 'again'
            return reply.status === 200 ? 'done' : { never: 'a build that was refused for good' }
          },
        )
        if (built === undefined) continue
        want.end = 'open'
        want.tries = 0
        want.id = String(built.body['paymentId'])
        const transaction = await holder.sign(transactionOf(built))
        const order = { transaction, walletAddress: holder.address }
        await insist(
          wants,
          want,
          (signal) => client.post('/transaction/submit', order, {}, signal),
          (reply) => {
            if (isOpen(reply)) return 'again'
            if (reply.status !== 200) return { never: 'signed bytes that were refused for good' }
            if (reply.body['accepted'] !== true) untaken.add(want)
            return 'done'
          },
        )
      }
    },
    check: async (truth) => {
      for (const [want, recipient] of recipients) {
        const has = await truth.nativeOf(recipient)
        const { status } = (await client.get(`/payment/status/${want.id}`)).body
        const isPaid = has === AMOUNT.baseUnits && status === 'settled'
        const isOver = has === 0n && status === 'expired'
        if (!isPaid && !(isOver && untaken.has(want))) {
          wants.break(want, `${recipient} has ${has}, and the payment is ${String(status)}`)
        }
      }
    },
  }
}

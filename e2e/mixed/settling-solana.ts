import { until } from '@florin/server/kernel/until.ts'
import { aKeyPair, signedPurchase } from '../actors/solana-purchase.ts'
import { newSolanaAddress, solanaBalance } from '../actors/solana-client.ts'
import { PRICE } from '../actors/seller.ts'
import { verdictOf } from './settling.ts'
import type { Stage } from './stage.ts'
import { insist } from './want.ts'
import type { Want } from './want.ts'
import type { Worker } from './worker.ts'

const FUNDS = '500'
const READ = { seconds: 60 }

/** The same on Solana, to one receiver: its scheme makes no account for the money, and signed bytes live for a minute, so that some come too late. */
export async function openSolanaSettling(stage: Stage, name: string): Promise<Worker> {
  const { client, enough, info, wants, fund } = stage
  const payer = await aKeyPair()
  const payTo = newSolanaAddress()
  const own: Want[] = []
  await fund(payer.address, 'USDC', FUNDS)
  await fund(payTo, 'USDC', '1')
  const before = await until(
    'its balance is shown',
    () => solanaBalance(info.networks.solana, payTo, 'USDC').catch(() => undefined),
    READ,
  )
  const feePayer = await until('a key pays fees', () => feePayerOf(stage), READ)
  return {
    work: async () => {
      for (let number = 0; !enough.aborted; number += 1) {
        const { solana } = info.networks
        // Making one asks the chain, which may be dead.
        const purchase = await signedPurchase(solana, payer, { payTo, feePayer }).catch(
          () => undefined,
        )
        if (purchase === undefined) continue
        const want = wants.add('settle-solana', `${name}-${number}`)
        own.push(want)
        await insist(
          wants,
          want,
          (signal) => client.post('/x402/settle', purchase.body, {}, signal),
          (reply) => verdictOf(want, reply),
        )
      }
    },
    check: async (truth) => {
      const paid = (await truth.usdcOf(payTo)) - before
      const expected = PRICE * BigInt(own.filter(({ end }) => end === 'done').length)
      if (paid !== expected)
        wants.break(null, `${name}: ${payTo} was paid ${paid} instead of ${expected}`)
    },
  }
}

async function feePayerOf({ client }: Stage): Promise<string | undefined> {
  const { body } = await client.get('/x402/supported')
  const kinds = body['kinds'] as readonly { network: string; extra?: { feePayer?: string } }[]
  return kinds.find(({ network }) => network.startsWith('solana:'))?.extra?.feePayer
}

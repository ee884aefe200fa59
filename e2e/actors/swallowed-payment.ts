import type { World } from './world.ts'
import { walletOf } from './world.ts'

/** A payment on Solana whose bytes the node took and forgot. */
export interface SwallowedPayment {
  readonly recipient: string
  /** Its record as of now. */
  readonly record: () => Promise<Readonly<Record<string, unknown>>>
  /** How many times it was signed. */
  readonly attempts: () => Promise<number>
}

/** Sends 0.01 SOL, which no block gets: its node swallows it, and the blockhash that it names is over at once. */
export async function sendSwallowed(world: World): Promise<SwallowedPayment> {
  const recipient = world.newAddress('solana')
  await world.sandbox.fault({ chain: 'solana', kind: 'drop' })
  const { body } = await world.client().post('/payment/send', {
    ...{ walletAddress: walletOf(world, 0, 'solana'), recipientAddress: recipient },
    ...{ amount: '0.01', waitFor: 'submitted' },
  })
  const record = async () =>
    (await world.client().get(`/payment/status/${String(body['paymentId'])}`)).body
  await world.sandbox.fault({ chain: 'solana', kind: 'expire' })
  return {
    recipient,
    record,
    attempts: async () => ((await record())['attempts'] as unknown[]).length,
  }
}

import type { Address } from '../chain.ts'
import type { ExactPayments } from '../exact.ts'
import { startTestChain } from './test-chain.ts'
import type { TestChain, TestWallet } from './test-chain.ts'
import { USDC } from './test-network.ts'
import { newKey } from './test-payment.ts'
import type { Key } from './test-payment.ts'

/** A chain with everybody that an x402 payment needs. */
export interface ExactScene {
  readonly world: TestChain
  readonly exact: ExactPayments
  readonly settler: TestWallet
  readonly seller: TestWallet
  /** Has 10 USDC, and nothing to pay a fee with. */
  readonly payer: Key
  /** In base units; -1 where there is no account. */
  usdcOf(address: Address): Promise<bigint>
}

export async function startExactScene(): Promise<ExactScene> {
  const world = await startTestChain()
  try {
    return await sceneIn(world)
  } catch (error) {
    await world.sandbox.stop()
    throw error
  }
}

async function sceneIn(world: TestChain): Promise<ExactScene> {
  const { exact } = world.chain
  if (exact === undefined) throw new Error('no exact')
  const settler = await world.wallet(['native', '2'])
  const seller = await world.wallet(['USDC', '1'])
  const payer = newKey()
  await world.sandbox.fund(payer.address, 'USDC', '10')
  const usdcOf = async (address: Address) =>
    (await world.chain.balances(address, [USDC])).amounts[0] ?? -1n
  return { world, exact, settler, seller, payer, usdcOf }
}

import { until } from '@florin/server/kernel/until.ts'
import { createPublicClient, http } from 'viem'
import type { World } from './world.ts'

/**
 * Puts a transaction that is under way into the newest block of the EVM chain: waits until the node has it, and mines. Only while the blocks
 * are stopped is it certain that no other block comes after it.
 */
export async function inNextBlock({ sandbox }: World, signature: unknown): Promise<void> {
  const chain = createPublicClient({ transport: http(sandbox.rpcUrl) })
  const hash: `0x${string}` = `0x${String(signature).slice(2)}`
  const isPooled = () => chain.getTransaction({ hash }).catch(() => undefined)
  await until('the node has it', isPooled, { seconds: 60 })
  await sandbox.mine()
}

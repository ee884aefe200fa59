import { numberToHex } from 'viem/utils'
import type { Miner } from '../evm/miner.ts'
import type { EvmNode } from '../evm/node.ts'
import type { Json } from '../host/json.ts'
import type { SolanaNode } from '../solana/node.ts'
import type { EvmFault, Fault } from './fault.ts'
import type { StandingFaults } from './standing.ts'

export interface FaultTargets {
  readonly standing: StandingFaults
  readonly node: EvmNode
  readonly miner: Miner
  readonly solana: SolanaNode
}

/** Carries a fault out, or puts it up to stand. What happens at once has happened when this resolves. */
export async function applyFault(targets: FaultTargets, fault: Fault): Promise<void> {
  if (fault.chain === 'solana') return await targets.solana.fault(fault)
  await applyEvmFault(targets, fault)
}

async function applyEvmFault(targets: FaultTargets, fault: EvmFault): Promise<void> {
  const { standing, node, miner } = targets
  const call = async (method: string, params: readonly Json[]): Promise<Json> =>
    await node.running().client.call(method, params)
  switch (fault.kind) {
    case 'drop':
    case 'delay':
    case 'hang':
    case 'fail':
    case 'lag':
    case 'down':
      return standing.add(fault)
    case 'stop-blocks':
      return await miner.pause()
    case 'resume-blocks':
      return miner.resume()
    case 'mine':
      return await miner.mine(fault.blocks)
    case 'reorg': {
      const rivals = (fault.rivals ?? []).map(({ raw, block }) => [raw, block])
      await miner.replace(fault.depth, async () => await call('anvil_reorg', [fault.depth, rivals]))
      return
    }
    case 'evict':
      await call('anvil_dropTransaction', [fault.transactionHash])
      return
    case 'base-fee':
      await call('anvil_setNextBlockBaseFeePerGas', [numberToHex(BigInt(fault.weiPerGas))])
      return
    case 'kill-node': {
      const anvil = node.running()
      process.kill(anvil.pid, 'SIGKILL')
      await anvil.ended
      return
    }
    default:
      fault satisfies never
  }
}

/** Ends every standing fault of both chains and lets blocks come again. */
export async function clearFaults({ standing, miner, solana }: FaultTargets): Promise<void> {
  standing.clear()
  miner.resume()
  await solana.clearFaults()
}

import { join } from 'node:path'
import type { Arguments } from './arguments.ts'
import { createControl } from './control.ts'
import { EVM_NETWORK, USDC_ADDRESS } from './evm/chain-facts.ts'
import { createGateway } from './evm/gateway.ts'
import { startMiner } from './evm/miner.ts'
import { startEvmNode } from './evm/node.ts'
import { openTraffic } from './evm/traffic.ts'
import { openPayer } from './faucet/payer.ts'
import { openStandingFaults } from './faults/standing.ts'
import { lockDirectory } from './host/directory-lock.ts'
import { closeServer, listenOn } from './host/http.ts'
import type { Log } from './host/log.ts'
import { readPorts, rememberPorts } from './host/ports.ts'
import type { Ready } from './ready.ts'

export interface Sandbox {
  readonly ready: Ready
  /** Writes everything down and ends the children. */
  stop(): Promise<void>
  /** Ends anvil at once, unsaved: for a stop that does not come to its end. */
  abandon(): void
}

/** Starts the chains on a directory, from where they were left. @throws {Complaint} for what a person can mend */
export async function startSandbox(options: Arguments, log: Log): Promise<Sandbox> {
  const directory = await lockDirectory(options.directory)
  const node = await startEvmNode(join(directory, 'evm'), log)
  const traffic = openTraffic()
  const miner = startMiner(node, traffic, log)
  const standing = options.faults ? openStandingFaults() : undefined
  const gateway = createGateway({ node, traffic, log, ...(standing ? { faults: standing } : {}) })
  const control = createControl({
    payer: openPayer(node),
    log,
    ...(standing ? { faults: { standing, node, miner } } : {}),
  })

  const stop = async (): Promise<void> => {
    await gateway.close()
    await closeServer(control)
    await miner.stop()
    await node.stop()
  }
  try {
    const before = readPorts(directory)
    const evm = await listenOn(gateway.server, portWish(options.evmPort, before.evm))
    const own = await listenOn(control, portWish(0, before.control))
    rememberPorts(directory, { evm, control: own })
    const controlUrl = `http://127.0.0.1:${own}`
    const rpcUrl = `http://127.0.0.1:${evm}`
    const ready: Ready = {
      ready: true,
      pid: process.pid,
      instance: node.identity().instance,
      evm: { network: EVM_NETWORK, rpcUrl, usdc: USDC_ADDRESS },
      faucet: { url: `${controlUrl}/faucet` },
      adminUrl: options.faults ? controlUrl : null,
    }
    const abandon = (): void => {
      const pid = node.pid()
      if (pid !== null) process.kill(pid, 'SIGKILL')
    }
    return { ready, stop, abandon }
  } catch (error) {
    await stop()
    throw error
  }
}

function portWish(
  fixed: number,
  remembered: number | undefined,
): { fixed?: number; remembered?: number } {
  if (fixed !== 0) return { fixed }
  return remembered === undefined ? {} : { remembered }
}

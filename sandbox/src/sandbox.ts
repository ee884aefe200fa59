import { join } from 'node:path'
import type { Arguments } from './arguments.ts'
import { createControl } from './control.ts'
import { EVM_NETWORK, MARKET, OLD_TOKEN, SANDBOX_TOKENS, USDC_ADDRESS } from './evm/chain-facts.ts'
import { createGateway } from './evm/gateway.ts'
import { startMiner } from './evm/miner.ts'
import { startEvmNode } from './evm/node.ts'
import type { EvmNode } from './evm/node.ts'
import { openTraffic } from './evm/traffic.ts'
import { openPayer } from './faucet/payer.ts'
import { openStandingFaults } from './faults/standing.ts'
import { lockDirectory } from './host/directory-lock.ts'
import { closeServer, listenOn } from './host/http.ts'
import type { Log } from './host/log.ts'
import { readPorts, rememberPorts } from './host/ports.ts'
import type { Ports } from './host/ports.ts'
import type { Ready } from './ready.ts'
import { SOLANA_NETWORK, SOLANA_USDC } from './solana/chain-facts.ts'
import { forgetInstance, isChainLost } from './solana/lost-chain.ts'
import { startSolanaNode } from './solana/node.ts'
import { startTraders } from './traders/traders.ts'
import type { SolanaNode } from './solana/node.ts'

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
  const before = readPorts(directory)
  const { node, solana } = await startNodes(options, directory, before, log)
  const traffic = openTraffic()
  const miner = startMiner(node, traffic, log)
  const standing = options.faults ? openStandingFaults() : undefined
  const gateway = createGateway({
    node,
    traffic,
    log,
    onSent: miner.wake,
    ...(standing ? { faults: standing } : {}),
  })
  const control = createControl({
    payers: {
      evm: openPayer(node, () => {
        miner.hastenSave()
        miner.wake()
      }),
      solana,
    },
    solana,
    log,
    ...(standing ? { faults: { standing, node, miner, solana } } : {}),
  })

  const stop = async (): Promise<void> => {
    const stopEvm = async (): Promise<void> => {
      await gateway.close()
      await miner.stop()
      await node.stop()
    }
    await closeServer(control)
    await Promise.all([stopEvm(), solana.stop()])
  }
  try {
    const evm = await listenOn(gateway.server, portWish(options.evmPort, before.evm))
    const own = await listenOn(control, portWish(0, before.control))
    rememberPorts(directory, { evm, control: own, solana: solana.port })
    const controlUrl = `http://127.0.0.1:${own}`
    const ready: Ready = {
      ready: true,
      pid: process.pid,
      instance: node.identity().instance,
      evm: {
        network: EVM_NETWORK,
        rpcUrl: `http://127.0.0.1:${evm}`,
        usdc: USDC_ADDRESS,
        tokens: SANDBOX_TOKENS.map(({ mint, symbol, decimals }) => ({ mint, symbol, decimals })),
        oldToken: OLD_TOKEN,
        market: MARKET,
      },
      solana: {
        network: SOLANA_NETWORK,
        rpcUrl: `http://127.0.0.1:${solana.port}`,
        wsUrl: `ws://127.0.0.1:${solana.port + 1}`,
        usdc: SOLANA_USDC,
        tokens: solana.market.tokens,
        maker: { url: `${controlUrl}/maker`, address: solana.market.maker },
      },
      faucet: { url: `${controlUrl}/faucet` },
      adminUrl: options.faults ? controlUrl : null,
    }
    const abandon = (): void => {
      const pid = node.pid()
      if (pid !== null) process.kill(pid, 'SIGKILL')
      solana.abandon()
    }
    const traders = options.market ? startTraders(ready, log) : undefined
    const stopAll = async (): Promise<void> => {
      await traders?.stop()
      await stop()
    }
    return { ready, stop: stopAll, abandon }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Starts both chains side by side; the Solana chain carries the instance of the EVM chain. */
async function startNodes(
  { faults, solanaPort, currencyToken }: Arguments,
  directory: string,
  before: Ports,
  log: Log,
): Promise<{ node: EvmNode; solana: SolanaNode }> {
  const [evmDirectory, solanaDirectory] = [join(directory, 'evm'), join(directory, 'solana')]
  if (isChainLost(solanaDirectory, before.solana !== undefined, log)) forgetInstance(evmDirectory)
  const starting = startEvmNode(evmDirectory, log, currencyToken)
  const [evm, solana] = await Promise.allSettled([
    starting,
    startSolanaNode({
      directory: solanaDirectory,
      instance: starting.then((node) => node.identity().instance),
      faults,
      port: portWish(solanaPort, before.solana),
      log,
    }),
  ])
  if (evm.status === 'fulfilled' && solana.status === 'fulfilled') {
    return { node: evm.value, solana: solana.value }
  }
  if (evm.status === 'fulfilled') await evm.value.stop()
  if (solana.status === 'fulfilled') await solana.value.stop()
  throw evm.status === 'rejected' ? evm.reason : solana.status === 'rejected' ? solana.reason : null
}

function portWish(
  fixed: number,
  remembered: number | undefined,
): { fixed?: number; remembered?: number } {
  if (fixed !== 0) return { fixed }
  return remembered === undefined ? {} : { remembered }
}

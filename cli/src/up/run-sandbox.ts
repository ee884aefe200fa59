import { endLeftoverSandbox, recordSandboxProcess } from './leftovers.ts'
import { startSandboxProcess } from './sandbox-process.ts'
import type { SandboxReady } from './sandbox-ready.ts'
import { supervise } from './supervise.ts'
import type { Workshop } from './workshop.ts'

interface Ports {
  readonly evmPort: number
  readonly solanaPort: number
}

/** The sandbox, started again on the same ports whenever it dies. */
export async function runSandbox(workshop: Workshop): Promise<SandboxReady> {
  const { config, paths, log, clock, progress, ending, closers, market } = workshop
  const { sandbox: directory, children } = paths
  await endLeftoverSandbox({ children, directory, clock, log })
  const start = ({ evmPort, solanaPort }: Ports) => {
    const faults = config.sandboxFaults
    return startSandboxProcess({
      directory,
      evmPort,
      solanaPort,
      faults,
      market,
      log,
      clock,
      onSpawned: (pid) => recordSandboxProcess(children, pid),
    })
  }
  const first = await progress.step('starting the sandbox', () =>
    start({ evmPort: 0, solanaPort: 0 }),
  )
  const supervisor = supervise({
    name: 'the sandbox',
    first,
    start: () => start(portsOf(first.ready)),
    onRestarted: async ({ ready }) => {
      // Wallet keys sign for one instance only, and other programs know the addresses.
      if (ready.instance !== first.ready.instance) ending.fail('the sandbox chain was replaced')
      if (ready.faucetUrl !== first.ready.faucetUrl) ending.fail('the faucet lost its port')
    },
    onGaveUp: ending.fail,
    clock,
    log,
  })
  closers.add('the sandbox', supervisor.stop)
  return first.ready
}

function portsOf({ evm, solana }: SandboxReady): Ports {
  return { evmPort: portOf(evm.rpcUrl), solanaPort: portOf(solana.rpcUrl) }
}

function portOf(url: string): number {
  return Number(new URL(url).port)
}

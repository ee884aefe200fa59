// The second implementation of a Solana node, as a process of its own: a panic in it must not take a test run down.
import { createRequire } from 'node:module'

interface Surfnet {
  readonly rpcUrl: string
  readonly wsUrl: string
}
interface Surfpool {
  readonly Surfnet: { startWithConfig(config: object): Surfnet }
}

/** The package of this platform; undefined where there is none. */
export function surfpoolPackage(): string | undefined {
  const name = `@solana/surfpool-${process.platform}-${process.arch}${process.platform === 'linux' ? '-gnu' : ''}`
  try {
    return createRequire(import.meta.url).resolve(name)
  } catch {
    return undefined
  }
}

if (process.send !== undefined && process.argv[1] === import.meta.filename) {
  const path = surfpoolPackage() ?? ''
  const { Surfnet } = createRequire(import.meta.url)(path) as Surfpool
  const { rpcUrl, wsUrl } = Surfnet.startWithConfig({
    offline: true,
    blockProductionMode: 'clock',
    slotTimeMs: 400,
  })
  process.on('disconnect', () => process.exit(0))
  process.send({ rpcUrl, wsUrl })
}

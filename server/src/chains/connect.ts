import type { Chain } from './chain.ts'
import type { ConnectOptions } from './connect-options.ts'
import { connectEvm } from './evm/connect.ts'
import { connectSolana } from './solana/connect.ts'

/** Connects to a network of any family. Nothing is asked before the first use. */
export function connectChain(options: ConnectOptions): Chain {
  const { family } = options.config
  switch (family) {
    case 'evm':
      return connectEvm(options)
    case 'solana':
      return connectSolana(options)
    default:
      return family satisfies never
  }
}

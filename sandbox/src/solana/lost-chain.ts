import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '../host/log.ts'
import { chainPathsOf, readChain } from './chain/saved-chain.ts'

/**
 * Whether a Solana chain was here and cannot be read any more. Both chains carry one instance, so then both start over:
 * keys and records of the old instance must mean nothing on the new one. What is torn is set aside.
 */
export function isChainLost(directory: string, wasThere: boolean, log: Log): boolean {
  const paths = chainPathsOf(directory)
  const kinds = paths.map((path) => readChain(path).kind)
  if (kinds.includes('good')) return false
  if (!wasThere && kinds.every((kind) => kind === 'absent')) return false
  for (const path of paths) if (existsSync(path)) renameSync(path, `${path}.torn`)
  log(`no good Solana chain file in ${directory}: both chains start anew, under a NEW instance`)
  return true
}

/** Makes the EVM chain start over with a new instance at its next start. */
export function forgetInstance(evmDirectory: string): void {
  const path = join(evmDirectory, 'identity.json')
  if (existsSync(path)) renameSync(path, `${path}.old`)
}

import { readFile } from 'node:fs/promises'
import type { NetworkConfig } from '@florin/server/kernel/network-config.ts'
import type { KnownModules } from '@florin/server/market-settings.ts'
import { parseNetworks } from '@florin/server/networks-file.ts'
import { CommandFailed } from '../usage-error.ts'

/** The networks of a file, whose markets may name these venues from outside, or any when left out. Throws CommandFailed with everything that is wrong with it. */
export async function readNetworksFile(
  path: string,
  modules?: KnownModules,
): Promise<readonly NetworkConfig[]> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    throw new CommandFailed(
      `FLORIN_NETWORKS: ${error instanceof Error ? error.message : 'not readable'}`,
    )
  }
  const outcome = parseNetworks(text, modules)
  if (outcome.ok) return outcome.networks
  throw new CommandFailed(
    ['the networks file cannot be used:', ...outcome.problems].join(`\n  ${path}: `),
  )
}

import type { Family } from '@florin/wire/network.ts'
import { dataDirectoryFrom } from '@florin/server/data-directory.ts'
import { dataPaths } from './data-paths.ts'
import type { Run } from './command.ts'
import { readOwner } from './owner-file.ts'
import { isRunning } from './process-identity.ts'
import { noArguments } from './read-arguments.ts'
import { readSandboxFile } from './sandbox-file.ts'
import type { SandboxFile } from './sandbox-file.ts'
import { CommandFailed } from './usage-error.ts'

/** What `florin env` exports, by the name after `FLORIN_`. */
export function exportsOf(file: SandboxFile): readonly (readonly [string, string])[] {
  return [
    ['BASE_URL', file.baseUrl],
    ['API_KEY', file.apiKeys.standard],
    ['API_KEY_STANDARD', file.apiKeys.standard],
    ['API_KEY_PREMIUM', file.apiKeys.premium],
    ['API_KEY_ENTERPRISE', file.apiKeys.enterprise],
    ['EVM_NETWORK', file.networks.evm.network],
    ['EVM_RPC_URL', file.networks.evm.rpcUrl],
    ['EVM_USDC', file.networks.evm.usdc],
    ['SOLANA_NETWORK', file.networks.solana.network],
    ['SOLANA_RPC_URL', file.networks.solana.rpcUrl],
    ['SOLANA_WS_URL', file.networks.solana.wsUrl],
    ['SOLANA_USDC', file.networks.solana.usdc],
    ...walletExports(file, 'evm'),
    ...walletExports(file, 'solana'),
    ['FAUCET_URL', file.faucet.url],
  ]
}

function walletExports(
  { wallets }: SandboxFile,
  wanted: Family,
): readonly (readonly [string, string])[] {
  return wallets
    .filter(({ family }) => family === wanted)
    .map(({ address }, index) => [`WALLET_${wanted.toUpperCase()}_${index + 1}`, address])
}

/** A word that every POSIX shell reads back as exactly this text. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

export const runEnv: Run = async ({ args, environment, print }) => {
  noArguments(args)
  const directory = dataDirectoryFrom(environment, process.cwd())
  const paths = dataPaths(directory)
  const owner = await readOwner(paths.owner)
  const file = await readSandboxFile(paths.sandboxFile)
  if (owner === undefined || !(await isRunning(owner)) || owner.state === 'stopping') {
    throw new CommandFailed(
      `nothing runs in ${directory}. Start it with "npm start", or set FLORIN_DATA_DIR.`,
    )
  }
  if (file === undefined || file.pid !== owner.pid) {
    throw new CommandFailed(
      owner.state === 'starting'
        ? `florin is still starting in ${directory}. Try again when it says that it is ready.`
        : `florin runs in ${directory} on networks of its own, without a sandbox.`,
    )
  }
  print(
    exportsOf(file)
      .map(([name, value]) => `export FLORIN_${name}=${shellQuoted(value)}\n`)
      .join(''),
  )
  return 0
}

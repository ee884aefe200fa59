import { sandboxTokensFrom } from './sandbox-tokens.ts'
import type { SandboxToken } from './sandbox-tokens.ts'
import { asFields, readObject } from './small-json.ts'

/** sandbox.json: what a newcomer, a script or a test needs to use a running `florin up`. */
export interface SandboxFile {
  readonly baseUrl: string
  /** Signs in on the dashboard as the operator, as often as one likes, from this machine alone. */
  readonly dashboardUrl: string
  /** The service's process. */
  readonly pid: number
  /** Three keys of one account. */
  readonly apiKeys: {
    readonly standard: string
    readonly premium: string
    readonly enterprise: string
  }
  readonly networks: {
    readonly evm: {
      readonly network: string
      readonly rpcUrl: string
      readonly usdc: string
      /** What can be traded there beside USDC. */
      readonly tokens: readonly SandboxToken[]
    }
    readonly solana: {
      readonly network: string
      readonly rpcUrl: string
      readonly wsUrl: string
      readonly usdc: string
      readonly tokens: readonly SandboxToken[]
    }
  }
  readonly wallets: readonly {
    readonly address: string
    readonly family: string
    readonly network: string
    readonly label: string
  }[]
  readonly faucet: { readonly url: string }
}

/** Reads sandbox.json; undefined when it is missing or is not whole. */
export async function readSandboxFile(path: string): Promise<SandboxFile | undefined> {
  const root = await readObject(path)
  const apiKeys = asFields(root?.get('apiKeys'))
  const networks = asFields(root?.get('networks'))
  const evm = asFields(networks?.get('evm'))
  const solana = asFields(networks?.get('solana'))
  const pid = root?.get('pid')
  const wallets = root?.get('wallets')
  if (typeof pid !== 'number' || !Array.isArray(wallets)) return undefined
  try {
    return {
      baseUrl: text(root, 'baseUrl'),
      // Files of versions without people have none; their keys are as good as ever.
      dashboardUrl: root?.has('dashboardUrl') ? text(root, 'dashboardUrl') : text(root, 'baseUrl'),
      pid,
      apiKeys: {
        standard: text(apiKeys, 'standard'),
        premium: text(apiKeys, 'premium'),
        enterprise: text(apiKeys, 'enterprise'),
      },
      networks: {
        evm: {
          network: text(evm, 'network'),
          rpcUrl: text(evm, 'rpcUrl'),
          usdc: text(evm, 'usdc'),
          tokens: sandboxTokensFrom(evm?.get('tokens')),
        },
        solana: {
          network: text(solana, 'network'),
          rpcUrl: text(solana, 'rpcUrl'),
          wsUrl: text(solana, 'wsUrl'),
          usdc: text(solana, 'usdc'),
          tokens: sandboxTokensFrom(solana?.get('tokens')),
        },
      },
      wallets: wallets.map((wallet) => {
        const fields = asFields(wallet)
        return {
          address: text(fields, 'address'),
          family: text(fields, 'family'),
          network: text(fields, 'network'),
          label: text(fields, 'label'),
        }
      }),
      faucet: { url: text(asFields(root?.get('faucet')), 'url') },
    }
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}

function text(fields: ReadonlyMap<string, unknown> | undefined, field: string): string {
  const value = fields?.get(field)
  if (typeof value !== 'string') throw new TypeError(`${field} is not text`)
  return value
}

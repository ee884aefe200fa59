import { asFields } from '../small-json.ts'
import { sandboxTokensFrom } from '../sandbox-tokens.ts'
import type { SandboxToken } from '../sandbox-tokens.ts'

/** Where the sandbox's Solana chain is. */
export interface SolanaSandbox {
  readonly network: string
  readonly rpcUrl: string
  readonly wsUrl: string
  /** The mint. */
  readonly usdc: string
  readonly tokens?: readonly SandboxToken[]
  /** Who trades them; left out by one without. */
  readonly maker?: { readonly url: string; readonly address: string }
}

/** Where the sandbox's EVM chain is, and its Uniswap V2. */
export interface EvmSandbox {
  readonly network: string
  readonly rpcUrl: string
  readonly usdc: string
  readonly tokens?: readonly SandboxToken[]
  /** Traded nowhere, and without permits; left out by one of an earlier version. */
  readonly oldToken?: SandboxToken
  /** The service's wallet that gives payers the gas for an approval of that token; left out where nothing is given. */
  readonly approvalWallet?: string
  /** Left out by one without. */
  readonly market?: {
    readonly factory: string
    readonly router: string
    readonly wrappedNative: string
  }
}

/** What the sandbox process says about itself when it is ready. */
export interface SandboxReady {
  readonly instance: string
  readonly evm: EvmSandbox
  readonly solana: SolanaSandbox
  readonly faucetUrl: string
  /** Where the fault switches are; null without them. */
  readonly adminUrl: string | null
}

/** Reads the sandbox's ready line; undefined for any other line. */
export function parseSandboxReady(line: string): SandboxReady | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(line)
  } catch {
    return undefined
  }
  const fields = asFields(parsed)
  const faucetUrl = asFields(fields?.get('faucet'))?.get('url')
  const adminUrl = fields?.get('adminUrl') ?? null
  const instance = fields?.get('instance')
  const evm = evmFrom(fields?.get('evm'))
  const solana = solanaFrom(fields?.get('solana'))
  if (fields?.get('ready') !== true || !isText(instance) || !isText(faucetUrl)) return undefined
  if (evm === undefined || solana === undefined) return undefined
  if (adminUrl !== null && !isText(adminUrl)) return undefined
  return { instance, evm, solana, faucetUrl, adminUrl }
}

/** The line again from what it said. */
export function sandboxReadyText({ faucetUrl, ...said }: SandboxReady): string {
  return JSON.stringify({ ready: true, ...said, faucet: { url: faucetUrl } })
}

function evmFrom(value: unknown): EvmSandbox | undefined {
  const fields = asFields(value)
  const [network, rpcUrl, usdc] = ['network', 'rpcUrl', 'usdc'].map((name) => fields?.get(name))
  const places = asFields(fields?.get('market'))
  const [factory, router, wrappedNative] = ['factory', 'router', 'wrappedNative'].map((name) =>
    places?.get(name),
  )
  if (!isText(network) || !isText(rpcUrl) || !isText(usdc)) return undefined
  const tokens = sandboxTokensFrom(fields?.get('tokens'))
  const [oldToken] = sandboxTokensFrom([fields?.get('oldToken')])
  const approvalWallet = fields?.get('approvalWallet')
  const isWhole = isText(factory) && isText(router) && isText(wrappedNative)
  const market = isWhole ? { market: { factory, router, wrappedNative } } : {}
  return {
    ...{ network, rpcUrl, usdc, tokens, ...market },
    ...(oldToken === undefined ? {} : { oldToken }),
    ...(isText(approvalWallet) ? { approvalWallet } : {}),
  }
}

function solanaFrom(value: unknown): SolanaSandbox | undefined {
  const fields = asFields(value)
  const [network, rpcUrl, wsUrl, usdc] = ['network', 'rpcUrl', 'wsUrl', 'usdc'].map((name) =>
    fields?.get(name),
  )
  if (!isText(network) || !isText(rpcUrl) || !isText(wsUrl) || !isText(usdc)) return undefined
  const tokens = sandboxTokensFrom(fields?.get('tokens'))
  const said = asFields(fields?.get('maker'))
  const [url, address] = [said?.get('url'), said?.get('address')]
  const maker = isText(url) && isText(address) ? { maker: { url, address } } : {}
  return { network, rpcUrl, wsUrl, usdc, tokens, ...maker }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

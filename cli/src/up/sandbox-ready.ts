import { asFields } from '../small-json.ts'

/** Where the sandbox's Solana chain is. */
export interface SolanaSandbox {
  readonly network: string
  readonly rpcUrl: string
  readonly wsUrl: string
  /** The mint. */
  readonly usdc: string
}

/** What the sandbox process says about itself when it is ready. */
export interface SandboxReady {
  readonly instance: string
  readonly evm: { readonly network: string; readonly rpcUrl: string; readonly usdc: string }
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
  const evm = asFields(fields?.get('evm'))
  const faucetUrl = asFields(fields?.get('faucet'))?.get('url')
  const adminUrl = fields?.get('adminUrl') ?? null
  const instance = fields?.get('instance')
  const [network, rpcUrl, usdc] = ['network', 'rpcUrl', 'usdc'].map((name) => evm?.get(name))
  const solana = solanaFrom(fields?.get('solana'))
  if (fields?.get('ready') !== true || !isText(instance) || !isText(faucetUrl)) return undefined
  if (!isText(network) || !isText(rpcUrl) || !isText(usdc) || solana === undefined) return undefined
  if (adminUrl !== null && !isText(adminUrl)) return undefined
  return { instance, evm: { network, rpcUrl, usdc }, solana, faucetUrl, adminUrl }
}

/** The line again from what it said. */
export function sandboxReadyText({ faucetUrl, ...said }: SandboxReady): string {
  return JSON.stringify({ ready: true, ...said, faucet: { url: faucetUrl } })
}

function solanaFrom(value: unknown): SolanaSandbox | undefined {
  const fields = asFields(value)
  const [network, rpcUrl, wsUrl, usdc] = ['network', 'rpcUrl', 'wsUrl', 'usdc'].map((name) =>
    fields?.get(name),
  )
  if (!isText(network) || !isText(rpcUrl) || !isText(wsUrl) || !isText(usdc)) return undefined
  return { network, rpcUrl, wsUrl, usdc }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

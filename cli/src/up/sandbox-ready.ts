import { asFields } from '../small-json.ts'

/** What the sandbox process says about itself when it is ready. */
export interface SandboxReady {
  readonly instance: string
  readonly evm: { readonly network: string; readonly rpcUrl: string; readonly usdc: string }
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
  if (fields?.get('ready') !== true || !isText(instance) || !isText(faucetUrl)) return undefined
  if (!isText(network) || !isText(rpcUrl) || !isText(usdc)) return undefined
  if (adminUrl !== null && !isText(adminUrl)) return undefined
  return { instance, evm: { network, rpcUrl, usdc }, faucetUrl, adminUrl }
}

/** The line again from what it said. */
export function sandboxReadyText({ instance, evm, faucetUrl, adminUrl }: SandboxReady): string {
  return JSON.stringify({ ready: true, instance, evm, faucet: { url: faucetUrl }, adminUrl })
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

import { isJsonObject, parseJson } from './host/json.ts'

/** The one line on standard output that tells the parent where everything is. */
export interface Ready {
  readonly ready: true
  readonly pid: number
  /** What `florin_sandbox` answers. */
  readonly instance: string
  readonly evm: {
    /** CAIP-2. */
    readonly network: string
    readonly rpcUrl: string
    readonly usdc: string
  }
  readonly faucet: { readonly url: string }
  /** Where faults are put up; null unless started with --faults. */
  readonly adminUrl: string | null
}

/** Reads the ready line in the parent. @throws {Error} when it is another line */
export function readReady(line: string): Ready {
  const value = parseJson(line)
  if (isJsonObject(value) && isJsonObject(value['evm']) && isJsonObject(value['faucet'])) {
    const { pid, instance, adminUrl, evm, faucet } = value
    const { network, rpcUrl, usdc } = evm
    const { url } = faucet
    if (
      typeof pid === 'number' &&
      typeof instance === 'string' &&
      typeof network === 'string' &&
      typeof rpcUrl === 'string' &&
      typeof usdc === 'string' &&
      typeof url === 'string' &&
      (adminUrl === null || typeof adminUrl === 'string')
    ) {
      return {
        ready: true,
        pid,
        instance,
        evm: { network, rpcUrl, usdc },
        faucet: { url },
        adminUrl,
      }
    }
  }
  throw new Error('the sandbox said something else than that it is ready')
}

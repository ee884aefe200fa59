import type { Json } from './host/json.ts'
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
  readonly solana: {
    /** CAIP-2. */
    readonly network: string
    /** HTTP; WebSockets are taken there, too. */
    readonly rpcUrl: string
    /** One port above, where clients of Solana look for it. */
    readonly wsUrl: string
    readonly usdc: string
  }
  readonly faucet: { readonly url: string }
  /** Where faults are put up; null unless started with --faults. */
  readonly adminUrl: string | null
}

/** Reads the ready line in the parent. @throws {Error} when it is another line */
export function readReady(line: string): Ready {
  const value = parseJson(line)
  const fields = isJsonObject(value) ? value : {}
  const { pid, instance, adminUrl } = fields
  const evm = textsOf(fields['evm'], ['network', 'rpcUrl', 'usdc'])
  const solana = textsOf(fields['solana'], ['network', 'rpcUrl', 'wsUrl', 'usdc'])
  const faucet = textsOf(fields['faucet'], ['url'])
  if (
    typeof pid === 'number' &&
    typeof instance === 'string' &&
    evm !== undefined &&
    solana !== undefined &&
    faucet !== undefined &&
    (adminUrl === null || typeof adminUrl === 'string')
  ) {
    return { ready: true, pid, instance, evm, solana, faucet, adminUrl }
  }
  throw new Error('the sandbox said something else than that it is ready')
}

/** The named texts of an object; undefined when one is missing. */
function textsOf<Name extends string>(
  value: Json | undefined,
  names: readonly Name[],
): Readonly<Record<Name, string>> | undefined {
  if (!isJsonObject(value)) return undefined
  const texts: Partial<Record<Name, string>> = {}
  for (const name of names) {
    const text = value[name]
    if (typeof text !== 'string') return undefined
    texts[name] = text
  }
  return isWhole(texts, names) ? texts : undefined
}

function isWhole<Name extends string>(
  texts: Partial<Record<Name, string>>,
  names: readonly Name[],
): texts is Record<Name, string> {
  return names.every((name) => texts[name] !== undefined)
}

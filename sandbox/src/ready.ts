import type { Json } from './host/json.ts'
import { isJsonArray, isJsonObject, parseJson } from './host/json.ts'

/** A token that the sandbox's markets trade. */
export interface SandboxToken {
  /** Its address. */
  readonly mint: string
  readonly symbol: string
  readonly decimals: number
}

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
    /** Beside USDC. */
    readonly tokens: readonly SandboxToken[]
    /** Traded nowhere, and without permits (EIP-2612). */
    readonly oldToken: SandboxToken
    /** Uniswap V2; every token has a pool with the wrapped native currency, or with USDC. */
    readonly market: {
      readonly factory: string
      readonly router: string
      readonly wrappedNative: string
    }
  }
  readonly solana: {
    /** CAIP-2. */
    readonly network: string
    /** HTTP; WebSockets are taken there, too. */
    readonly rpcUrl: string
    /** One port above, where clients of Solana look for it. */
    readonly wsUrl: string
    readonly usdc: string
    readonly tokens: readonly SandboxToken[]
    /** Trades them, and USDC, for SOL. */
    readonly maker: { readonly url: string; readonly address: string }
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
  const market = textsOf(isJsonObject(fields['evm']) ? fields['evm']['market'] : undefined, [
    'factory',
    'router',
    'wrappedNative',
  ])
  const evmTokens = tokensOf(fields['evm'])
  const oldToken = tokenOf(isJsonObject(fields['evm']) ? fields['evm']['oldToken'] : undefined)
  const solanaTokens = tokensOf(fields['solana'])
  const solana = textsOf(fields['solana'], ['network', 'rpcUrl', 'wsUrl', 'usdc'])
  const maker = textsOf(isJsonObject(fields['solana']) ? fields['solana']['maker'] : undefined, [
    'url',
    'address',
  ])
  const faucet = textsOf(fields['faucet'], ['url'])
  if (
    typeof pid === 'number' &&
    typeof instance === 'string' &&
    evm !== undefined &&
    market !== undefined &&
    evmTokens !== undefined &&
    oldToken !== undefined &&
    solana !== undefined &&
    solanaTokens !== undefined &&
    maker !== undefined &&
    faucet !== undefined &&
    (adminUrl === null || typeof adminUrl === 'string')
  ) {
    return {
      ready: true,
      pid,
      instance,
      evm: { ...evm, tokens: evmTokens, oldToken, market },
      solana: { ...solana, tokens: solanaTokens, maker },
      faucet,
      adminUrl,
    }
  }
  throw new Error('the sandbox said something else than that it is ready')
}

function tokensOf(chain: Json | undefined): readonly SandboxToken[] | undefined {
  const list = isJsonObject(chain) ? chain['tokens'] : undefined
  if (!isJsonArray(list)) return undefined
  const tokens = list.flatMap((item): readonly SandboxToken[] => {
    const token = tokenOf(item)
    return token === undefined ? [] : [token]
  })
  return tokens.length === list.length ? tokens : undefined
}

function tokenOf(value: Json | undefined): SandboxToken | undefined {
  const texts = textsOf(value, ['mint', 'symbol'])
  const decimals = isJsonObject(value) ? value['decimals'] : undefined
  return texts !== undefined && typeof decimals === 'number' ? { ...texts, decimals } : undefined
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

import { asFields } from './small-json.ts'

/** A token that the sandbox's markets trade. */
export interface SandboxToken {
  /** EVM: its address. Solana: the mint. */
  readonly mint: string
  readonly symbol: string
  readonly decimals: number
}

/** The tokens that a file or a line lists; those that are not whole are left out, and sandboxes without markets list none. */
export function sandboxTokensFrom(value: unknown): readonly SandboxToken[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((item: unknown): readonly SandboxToken[] => {
    const fields = asFields(item)
    const [mint, symbol, decimals] = ['mint', 'symbol', 'decimals'].map((name) => fields?.get(name))
    const isWhole = typeof mint === 'string' && typeof symbol === 'string'
    return isWhole && typeof decimals === 'number' ? [{ mint, symbol, decimals }] : []
  })
}

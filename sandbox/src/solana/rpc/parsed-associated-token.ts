import type { Said } from './parsed-instruction.ts'

const KINDS = ['create', 'createIdempotent'] as const

export function parsedAssociatedToken(
  accounts: readonly string[],
  data: Uint8Array,
): Said | undefined {
  const type = KINDS[data[0] ?? 0]
  const [source, account, wallet, mint, systemProgram, tokenProgram] = accounts
  if (
    type === undefined ||
    source === undefined ||
    account === undefined ||
    wallet === undefined ||
    mint === undefined ||
    systemProgram === undefined ||
    tokenProgram === undefined
  ) {
    return undefined
  }
  return { type, info: { source, account, wallet, mint, systemProgram, tokenProgram } }
}

import type { Answer } from '../api/operation.ts'

/** What people call the families of chains. */
export const FAMILY_NAMES: Readonly<
  Record<Answer<'GET /wallets'>['wallets'][number]['family'], string>
> = { evm: 'EVM', solana: 'Solana' }

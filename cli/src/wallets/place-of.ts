import { parseAddress as parseEvmAddress } from '@florin/server/chains/evm/account.ts'
import { parseAddress as parseSolanaAddress } from '@florin/server/chains/solana/account.ts'
import { Refusal } from '@florin/wire/errors.ts'
import { CommandFailed, UsageError } from '../usage-error.ts'

/** Where a wallet is: its family, and its address in the canonical spelling. */
export interface WalletPlace {
  readonly family: 'evm' | 'solana'
  readonly address: string
}

/** Reads an address that somebody typed. Throws UsageError. */
export function placeOf(text: string): WalletPlace {
  const evm = parseEvmAddress(text)
  if (evm !== undefined) return { family: 'evm', address: evm }
  const solana = parseSolanaAddress(text)
  if (solana !== undefined) return { family: 'solana', address: solana }
  throw new UsageError(`"${text}" is not an address`)
}

/** Says of a wallet that is not there where to look for it; throws anything else as it is. */
export function tellAbsent(error: unknown, { address }: WalletPlace): never {
  if (!(error instanceof Refusal) || error.code !== 'NOT_FOUND') throw error
  throw new CommandFailed(
    `no wallet of this installation has the address ${address}; "florin wallets list --deleted" shows the deleted ones`,
  )
}

import type { Florin } from '@florin/sdk'
import { familyOf } from '@florin/wire/network.ts'
import { readNetworkName } from '@florin/wire/network-alias.ts'
import { CommandFailed } from '../usage-error.ts'

/** So many wallets are looked at, the last first. */
const LOOKED_AT_MAX = 10

/**
 * Which of the account's wallets is paid where none is named: the last, since the first is the one that pays. On Solana a wallet without an
 * account for the token can be paid by nobody through x402, so there it is the last that has some of it; where none is seen to, the last of all, and
 * `note` is told why that may not do. Throws CommandFailed where there is no wallet.
 */
export async function ownReceiver(
  florin: Florin,
  { network, asset }: { readonly network: string; readonly asset: string },
  { signal, note }: { readonly signal: AbortSignal; note(text: string): void },
): Promise<string> {
  const id = readNetworkName(network)
  const family = id === undefined ? 'evm' : familyOf(id)
  const own = (await florin.wallets.list({ signal })).filter((each) => each.family === family)
  const last = own.at(-1)
  if (last === undefined) throw new CommandFailed('say who is paid: --pay-to ADDRESS')
  if (family === 'evm') return last.address
  for (const { address } of own.toReversed().slice(0, LOOKED_AT_MAX)) {
    const { balances } = await florin.wallets.get(address, { signal })
    const hasSome = balances.some(
      (each) =>
        each.network === id &&
        (each.symbol === asset || each.asset === asset) &&
        each.amountBaseUnits !== '0',
    )
    if (hasSome) return address
  }
  note(
    `${last.address} holds no ${asset}. On Solana nobody can pay a wallet that has no account for the token: send it a little first.\n`,
  )
  return last.address
}

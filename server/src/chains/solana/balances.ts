import type { AssetProfile } from '../../kernel/network-config.ts'
import type { Address } from '../chain.ts'
import type { Transport } from '../json-rpc/transport.ts'
import { parseAddress } from './account.ts'
import { accountsRead } from './accounts.ts'
import type { Facts } from './facts.ts'
import { spendable } from './scene.ts'

/**
 * What an address has of each asset, all at one slot: every lamport, though the last rent-exempt minimum cannot be spent, and of a
 * token what its own token account holds.
 */
export async function readBalances(
  transport: Transport,
  facts: Facts,
  address: Address,
  assets: readonly AssetProfile[],
): Promise<{ readonly height: bigint; readonly amounts: readonly bigint[] }> {
  const mints = await Promise.all(
    assets.map(async ({ asset }) => {
      if (asset === 'native') return undefined
      const mint = parseAddress(asset)
      if (mint === undefined) throw new Error('an asset without a proper address')
      return await facts.mint(mint)
    }),
  )
  const places = mints.map((mint) =>
    mint === undefined ? address : facts.tokenAccount(address, mint).address,
  )
  const { slot, accounts } = await transport.read(accountsRead(places))
  const amounts = mints.map((mint, index) => {
    const account = accounts[index]
    return mint === undefined ? (account?.lamports ?? 0n) : spendable(account, mint, address)
  })
  return { height: slot, amounts }
}

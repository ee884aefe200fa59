import type { AssetProfile } from '../../kernel/network-config.ts'
import type { Address, Chain } from '../chain.ts'
import type { Transport } from '../json-rpc/transport.ts'
import { parseAddress } from './account.ts'
import { accountsRead } from './accounts.ts'
import type { Facts } from './facts.ts'
import { owned, spendable } from './scene.ts'

/**
 * What an address has of each asset, all at one slot: every lamport, though the last rent-exempt minimum cannot be spent, and of a
 * token what its own token account gives away. What a frozen one holds is owned only.
 */
export async function readBalances(
  transport: Transport,
  facts: Facts,
  address: Address,
  assets: readonly AssetProfile[],
): ReturnType<Chain['balances']> {
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
  const read = (ofToken: typeof spendable) =>
    mints.map((mint, index) => {
      const account = accounts[index]
      return mint === undefined ? (account?.lamports ?? 0n) : ofToken(account, mint, address)
    })
  const [amounts, all] = [read(spendable), read(owned)]
  const isFrozen = all.some((each, index) => each !== amounts[index])
  return { height: slot, amounts, ...(isFrozen ? { owned: all } : {}) }
}

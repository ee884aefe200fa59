import { Refusal } from '@florin/wire/errors.ts'
import type { ChainDirectory } from '../chains/directory.ts'
import { findWallet } from '../custody/store.ts'
import type { Wallet } from '../custody/wallet.ts'
import type { AccountId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'

/** The caller's wallet at an address in any valid spelling. Another account's, a deleted one and none at all are one 404. */
export async function findOwnWallet(
  tx: Tx,
  directory: ChainDirectory,
  accountId: AccountId,
  text: string,
): Promise<Wallet> {
  const { chain, address } = directory.resolve({
    network: undefined,
    address: text,
    field: 'address',
  })
  const wallet = await findWallet(tx, accountId, chain.config.family, address)
  if (wallet === undefined) throw noSuchWallet()
  return wallet
}

export function noSuchWallet(): Refusal {
  return new Refusal('NOT_FOUND', {
    message: 'There is no such wallet.',
    details: { address: 'not a wallet of yours' },
  })
}

import { formatAmount } from '@florin/wire/amount.ts'
import { Refusal } from '@florin/wire/errors.ts'
import type { Audit } from '../audit/audit.ts'
import type { Actor } from '../audit/entry.ts'
import type { ChainDirectory } from '../chains/directory.ts'
import { lockWallet, markWalletDeleted } from '../custody/store.ts'
import type { Wallet } from '../custody/wallet.ts'
import type { Clock } from '../kernel/clock.ts'
import { isCurrencyToken } from '../kernel/currency-tokens.ts'
import { readBalances } from '../ledger/store.ts'
import type { Store } from '../store/postgres.ts'
import { holdingsOf } from './holdings.ts'
import type { UnreadAsset } from './holdings.ts'
import { noSuchWallet } from './find-own-wallet.ts'

/**
 * Deletes a wallet that is empty on every enabled network and has no payment under way. Chains are asked first;
 * then, with every signer shut out, the books must agree, so that neither a node that is behind nor a payment that
 * starts meanwhile can hide money. Refuses INVALID_PARAMETERS saying what is left, and NETWORK_ERROR where nobody knows of an asset
 * whether any is left.
 */
export async function deleteWallet(
  {
    store,
    directory,
    clock,
    audit,
  }: { store: Store; directory: ChainDirectory; clock: Clock; audit: Audit },
  wallet: Wallet,
  actor: Actor,
): Promise<{ readonly deletedAtMilliseconds: number }> {
  const { id: walletId, accountId, address, family, label } = wallet
  const { held: found, unread } = await holdingsOf({ directory, clock }, wallet, [])
  const left = found.filter(({ amount }) => amount > 0n)
  if (left.length > 0) {
    throw notEmpty(
      left.map(({ network, asset, amount, decimals }) => ({
        network,
        asset,
        amount: formatAmount(amount, decimals),
      })),
    )
  }
  if (unread.length > 0) throw notTold(unread)
  return store.inTransaction(accountId, async (tx) => {
    if (!(await lockWallet(tx, accountId, walletId))) throw noSuchWallet()
    const books = await readBalances(tx, { accountId, walletId })
    // What the books have of a token that is the native currency is of before that was known, and not there once more.
    const isTwice = (network: string, asset: string) =>
      [...directory.all.values()].some(
        ({ config }) => config.network === network && isCurrencyToken(config, asset),
      )
    const busy = books.filter(
      ({ network, asset, available, held }) =>
        held > 0n || (available > 0n && !isTwice(network, asset)),
    )
    if (busy.length > 0) {
      throw notEmpty(
        busy.map(({ network, asset, available, held }) => ({
          network,
          asset,
          availableBaseUnits: available.toString(),
          heldBaseUnits: held.toString(),
        })),
      )
    }
    const deletedAtMilliseconds = clock.nowMilliseconds()
    await markWalletDeleted(tx, accountId, walletId, deletedAtMilliseconds)
    const [action, details] = ['wallet.deleted', { address, family, label }]
    await audit.note(tx, { accountId, actor, action, object: walletId, details })
    return { deletedAtMilliseconds }
  })
}

function notEmpty(left: readonly object[]): Refusal {
  return new Refusal('INVALID_PARAMETERS', {
    message: 'This wallet is not empty and idle: move its money out and wait for its payments.',
    details: { address: 'must be a wallet without money and without open payments', left },
  })
}

function notTold(unread: readonly UnreadAsset[]): Refusal {
  return new Refusal('NETWORK_ERROR', {
    message:
      'What this wallet has of the named assets cannot be read now, so nobody knows whether it is empty: ask again later.',
    details: { unread: unread.map(({ network, asset }) => ({ network, asset })) },
    retryAfterSeconds: 1,
  })
}

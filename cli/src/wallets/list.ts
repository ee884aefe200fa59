import { listDeletedWallets, listWallets } from '@florin/server/custody/store.ts'
import type { Run } from '../command.ts'
import { momentText } from '../keys/key-view.ts'
import { readArguments } from '../read-arguments.ts'
import { table } from '../table.ts'
import { withWallets } from './open-custody.ts'
import { walletView } from './wallet-view.ts'

/** `florin wallets list`: the wallets of the account, oldest first; with `--deleted` its deleted ones instead, the last deleted first. */
export const runWalletsList: Run = async ({ args, environment, print }) => {
  const given = readArguments(args, { flags: ['account'], switches: ['deleted', 'json'] })
  const list = given.has('deleted') ? listDeletedWallets : listWallets
  const wallets = await withWallets(environment, given.flag('account'), ({ store, accountId }) =>
    store.inTransaction(accountId, (tx) => list(tx, accountId)),
  )
  if (given.has('json')) {
    print(`${JSON.stringify({ wallets: wallets.map(walletView) })}\n`)
    return 0
  }
  const rows = wallets.map(({ address, family, label, createdAtMilliseconds, id }) => [
    address,
    family,
    (label ?? '').replaceAll(/\p{Cc}/gu, '?'),
    momentText(createdAtMilliseconds),
    id,
  ])
  print(table([['ADDRESS', 'FAMILY', 'LABEL', 'CREATED', 'ID'], ...rows]))
  return 0
}

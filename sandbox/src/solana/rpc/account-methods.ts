import type { StoredAccount } from '../chain/account.ts'
import { accountForm, accountView } from './account-view.ts'
import { filtersOf, ownedAt } from './program-accounts.ts'
import { viewFor, withContext } from './method.ts'
import type { Methods, RpcContext, View } from './method.ts'
import { addressAt, addressOf, configAt, listAt } from './params.ts'

const ACCOUNTS_MAX = 100

/** Balances and accounts, each as of the commitment that the caller names. */
export const ACCOUNT_METHODS: Methods = {
  getBalance(context, params) {
    const view = viewFor(context, configAt(params, 1))
    return withContext(view, readerAt(context, view)(addressAt(params, 0))?.lamports ?? 0)
  },
  getAccountInfo(context, params) {
    const address = addressAt(params, 0)
    const config = configAt(params, 1)
    const view = viewFor(context, config)
    const read = readerAt(context, view)
    return withContext(view, accountView(read(address), accountForm(config), read))
  },
  getMultipleAccounts(context, params) {
    const config = configAt(params, 1)
    const view = viewFor(context, config)
    const read = readerAt(context, view)
    const form = accountForm(config, 'base64')
    const accounts = listAt(params, 0, ACCOUNTS_MAX).map((value) =>
      accountView(read(addressOf(value)), form, read),
    )
    return withContext(view, accounts)
  },
  getProgramAccounts(context, params) {
    const program = addressAt(params, 0)
    const config = configAt(params, 1)
    const view = viewFor(context, config)
    const read = readerAt(context, view)
    const form = accountForm(config)
    const matches = filtersOf(config['filters'])
    const found = ownedAt(context, program, view)
      .filter(([, account]) => matches(account))
      .map(([pubkey, account]) => ({ pubkey, account: accountView(account, form, read) }))
    return config['withContext'] === true ? withContext(view, found) : found
  },
}

export function readerAt(
  { chain }: RpcContext,
  { slot }: View,
): (address: string) => StoredAccount | undefined {
  return (address) => chain.bank.readAt(address, slot)
}

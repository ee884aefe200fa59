import type { StoredAccount } from '../chain/account.ts'
import { SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../chain/program-addresses.ts'
import { accountForm, accountView } from './account-view.ts'
import { filtersOf, ownedAt } from './program-accounts.ts'
import { viewFor, withContext } from './method.ts'
import type { Methods, RpcContext, View } from './method.ts'
import { addressAt, addressOf, configAt, listAt, oneOf } from './params.ts'

const ACCOUNTS_MAX = 100
const LARGEST_MAX = 20
const FILTERS = ['circulating', 'nonCirculating'] as const
/** The machine lists accounts by owner only; these own all that is worth something. */
const OWNERS = [SYSTEM_PROGRAM, TOKEN_PROGRAM, TOKEN_2022_PROGRAM]

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
  getLargestAccounts(context, params) {
    const config = configAt(params, 0)
    const view = viewFor(context, config)
    // Nothing here is locked up.
    if (oneOf(config['filter'], FILTERS, 'circulating') === 'nonCirculating') {
      return withContext(view, [])
    }
    const largest = OWNERS.flatMap((program) => ownedAt(context, program, view))
      .map(([address, { lamports }]) => ({ address, lamports }))
      .sort((left, right) => (left.lamports < right.lamports ? 1 : -1))
      .slice(0, LARGEST_MAX)
    return withContext(view, largest)
  },
}

export function readerAt(
  { chain }: RpcContext,
  { slot }: View,
): (address: string) => StoredAccount | undefined {
  return (address) => chain.bank.readAt(address, slot)
}

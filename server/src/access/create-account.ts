import { newId } from '../kernel/id.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Random } from '../kernel/random.ts'
import type { Store, Tx } from '../store/postgres.ts'
import { insertAccount, lockFirstAccount } from './store.ts'
import type { Account } from './store.ts'

interface Deps {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
}

/** Makes an account. Names are for people and need not differ. */
export async function createAccount(deps: Deps, name: string): Promise<Account> {
  const account = draft(deps, name)
  await deps.store.inTransaction('service', (tx) => insertAccount(tx, account))
  return account
}

/** The installation's first account, made under this name when there is none; the same one for all who ask at once. */
export async function openFirstAccount(deps: Deps, name: string): Promise<Account> {
  return deps.store.inTransaction('service', (tx) => openFirstAccountIn(deps, tx, name))
}

/** The same in the caller's transaction, of the scope `service`. */
export async function openFirstAccountIn(
  deps: Omit<Deps, 'store'>,
  tx: Tx,
  name: string,
): Promise<Account> {
  const first = await lockFirstAccount(tx)
  if (first !== undefined) return first
  const account = draft(deps, name)
  await insertAccount(tx, account)
  return account
}

function draft({ clock, random }: Omit<Deps, 'store'>, name: string): Account {
  return {
    accountId: newId(random, 'acct'),
    name,
    createdAtMilliseconds: clock.nowMilliseconds(),
  }
}

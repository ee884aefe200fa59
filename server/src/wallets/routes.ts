import { endpoints } from '@florin/wire/endpoints.ts'
import { actorOf } from '../audit/actor-of.ts'
import type { Audit } from '../audit/audit.ts'
import type { ChainDirectory } from '../chains/directory.ts'
import type { Custody } from '../custody/create-wallet.ts'
import { listWallets } from '../custody/store.ts'
import { route } from '../http/route.ts'
import type { Route } from '../http/route.ts'
import type { Clock } from '../kernel/clock.ts'
import { readBalances } from '../ledger/store.ts'
import { readPolicy } from '../policies/store.ts'
import type { Store } from '../store/postgres.ts'
import { budgetsOf } from './budgets.ts'
import { deleteWallet } from './delete-wallet.ts'
import { findOwnWallet } from './find-own-wallet.ts'
import { holdingsOf } from './holdings.ts'
import { makeWallet } from './make-wallet.ts'
import { setPolicy } from './set-policy.ts'
import { budgetFacts, holdingFacts, policyFacts, walletFacts } from './view.ts'

export interface WalletRoutesDeps {
  readonly store: Store
  readonly custody: Custody
  readonly directory: ChainDirectory
  readonly clock: Clock
  readonly audit: Audit
}

/** The routes of custodial wallets and their spending policies. */
export function walletRoutes(deps: WalletRoutesDeps): readonly Route[] {
  const { store, directory, clock } = deps
  return [
    route(endpoints.createWallet, async (call) => {
      const { body, caller, idempotencyKey } = call
      const { wallet, replayed } = await makeWallet(deps, {
        accountId: caller.accountId,
        actor: actorOf(call),
        family: body.family,
        label: body.label ?? null,
        idempotencyKey,
      })
      return {
        headers: replayed ? { 'idempotent-replayed': 'true' } : {},
        body: walletFacts(wallet),
      }
    }),

    route(endpoints.listWallets, async ({ caller: { accountId } }) => {
      const wallets = await store.inTransaction(accountId, (tx) => listWallets(tx, accountId))
      return { body: { wallets: wallets.map(walletFacts) } }
    }),

    route(endpoints.getWallet, async ({ params, caller: { accountId } }) => {
      const { wallet, books, policy, budgets } = await store.inTransaction(
        accountId,
        async (tx) => {
          const wallet = await findOwnWallet(tx, directory, accountId, params.address)
          const whose = { accountId, walletId: wallet.id }
          const books = await readBalances(tx, whose)
          const policy = await readPolicy(tx, whose)
          const budgets = await budgetsOf(tx, wallet, policy, clock.nowMilliseconds())
          return { wallet, books, policy, budgets }
        },
      )
      const { held, unread } = await holdingsOf(deps, wallet, books)
      return {
        body: {
          ...walletFacts(wallet),
          balances: held.map(holdingFacts),
          ...(unread.length === 0 ? {} : { unread: [...unread] }),
          policy: policyFacts(policy),
          budgets: budgets.map(budgetFacts),
        },
      }
    }),

    route(endpoints.deleteWallet, async (call) => {
      const { accountId } = call.caller
      const wallet = await store.inTransaction(accountId, (tx) =>
        findOwnWallet(tx, directory, accountId, call.params.address),
      )
      const { deletedAtMilliseconds } = await deleteWallet(deps, wallet, actorOf(call))
      return {
        body: { walletId: wallet.id, address: wallet.address, deletedAt: deletedAtMilliseconds },
      }
    }),

    route(endpoints.setWalletPolicy, async (call) => {
      const { params, body, caller } = call
      const asked = {
        accountId: caller.accountId,
        address: params.address,
        actor: actorOf(call),
        mayReplace: caller.scopes.has('admin'),
      }
      const { wallet, policy } = await setPolicy(deps, asked, body)
      return { body: { address: wallet.address, policy: policyFacts(policy) } }
    }),
  ]
}

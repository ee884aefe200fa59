import { endpoints } from '@florin/wire/endpoints.ts'
import type { ChainDirectory } from '../chains/directory.ts'
import type { Custody } from '../custody/create-wallet.ts'
import { listWallets, lockWallet } from '../custody/store.ts'
import { route } from '../http/route.ts'
import type { Route } from '../http/route.ts'
import type { Clock } from '../kernel/clock.ts'
import { readBalances } from '../ledger/store.ts'
import { isEmpty } from '../policies/rules.ts'
import { readPolicy, writePolicy } from '../policies/store.ts'
import type { Store } from '../store/postgres.ts'
import { deleteWallet } from './delete-wallet.ts'
import { findOwnWallet, noSuchWallet } from './find-own-wallet.ts'
import { holdingsOf } from './holdings.ts'
import { makeWallet } from './make-wallet.ts'
import { readPolicyBody } from './policy-body.ts'
import { holdingFacts, policyFacts, walletFacts } from './view.ts'

export interface WalletRoutesDeps {
  readonly store: Store
  readonly custody: Custody
  readonly directory: ChainDirectory
  readonly clock: Clock
}

/** The routes of custodial wallets and their spending policies. */
export function walletRoutes(deps: WalletRoutesDeps): readonly Route[] {
  const { store, directory, clock } = deps
  return [
    route(endpoints.createWallet, async ({ body, caller, idempotencyKey }) => {
      const { wallet, replayed } = await makeWallet(deps, {
        accountId: caller.accountId,
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
      const { wallet, books, policy } = await store.inTransaction(accountId, async (tx) => {
        const wallet = await findOwnWallet(tx, directory, accountId, params.address)
        const whose = { accountId, walletId: wallet.id }
        return { wallet, books: await readBalances(tx, whose), policy: await readPolicy(tx, whose) }
      })
      const holdings = await holdingsOf(directory, wallet, books)
      return {
        body: {
          ...walletFacts(wallet),
          balances: holdings.map(holdingFacts),
          policy: policyFacts(policy),
        },
      }
    }),

    route(endpoints.deleteWallet, async ({ params, caller: { accountId } }) => {
      const wallet = await store.inTransaction(accountId, (tx) =>
        findOwnWallet(tx, directory, accountId, params.address),
      )
      const { deletedAtMilliseconds } = await deleteWallet(deps, wallet)
      return {
        body: { walletId: wallet.id, address: wallet.address, deletedAt: deletedAtMilliseconds },
      }
    }),

    route(endpoints.setWalletPolicy, async ({ params, body, caller: { accountId } }) =>
      store.inTransaction(accountId, async (tx) => {
        const wallet = await findOwnWallet(tx, directory, accountId, params.address)
        const rules = readPolicyBody(directory, wallet, body)
        // Signing transactions keep the wallet: when this answers, none is left that saw the old policy.
        if (!(await lockWallet(tx, accountId, wallet.id))) throw noSuchWallet()
        const policy = isEmpty(rules) ? null : rules
        const whose = { accountId, walletId: wallet.id }
        await writePolicy(tx, whose, policy, clock.nowMilliseconds())
        return { body: { address: wallet.address, policy: policyFacts(policy ?? undefined) } }
      }),
    ),
  ]
}

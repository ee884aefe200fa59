import { endpoints } from '@florin/wire/endpoints.ts'
import { Refusal } from '@florin/wire/errors.ts'
import { anyAccount, changeAccount, pageOfAccounts } from '../access/operator-store.ts'
import type { AnyAccount } from '../access/operator-store.ts'
import { findKeys, insertAccount, markKeyDeleted } from '../access/store.ts'
import { actorOf } from '../audit/actor-of.ts'
import { walletCounts } from '../custody/operator-store.ts'
import { route } from '../http/route.ts'
import type { Route } from '../http/route.ts'
import { newId, parseId } from '../kernel/id.ts'
import { demandLive } from '../people/demand-live.ts'
import { demandPerson } from '../people/demand-person.ts'
import { keyView } from '../people/key-routes.ts'
import { inviteMember } from '../people/invite-member.ts'
import { lastSeenIn, listMembers } from '../people/member-list-store.ts'
import { memberView } from '../people/member-routes.ts'
import { memberCounts } from '../people/operator-store.ts'
import type { Tx } from '../store/postgres.ts'
import { page } from './deps.ts'
import type { OperatorDeps } from './deps.ts'

/** Accounts of others: what their operators see of them and change. */
export function operatorAccountRoutes(deps: OperatorDeps): readonly Route[] {
  const { store, clock, random, audit } = deps
  return [
    route(endpoints.operatorAccounts, ({ query: { search, ...rest } }) =>
      store.inTransaction('service', async (tx) => {
        const { rows, nextCursor } = await page(
          rest,
          ({ accountId }: AnyAccount) => accountId,
          (wanted) => pageOfAccounts(tx, search, wanted),
        )
        return { body: { accounts: await accountViews(tx, rows), nextCursor } }
      }),
    ),

    route(endpoints.operatorCreateAccount, (call) =>
      store.inTransaction('service', async (tx) => {
        const { name, plan = 'standard' } = call.body
        const accountId = newId(random, 'acct')
        const now = clock.nowMilliseconds()
        await insertAccount(tx, { accountId, name, createdAtMilliseconds: now })
        await changeAccount(tx, accountId, { plan }, now)
        await audit.note(tx, {
          accountId,
          actor: actorOf(call),
          action: 'account.created',
          object: accountId,
          details: { name, plan },
        })
        return { body: await accountView(tx, await demandAccount(tx, accountId)) }
      }),
    ),

    route(endpoints.operatorAccount, ({ params }) =>
      store.inTransaction('service', async (tx) => ({
        body: await accountView(tx, await demandAccount(tx, params.accountId)),
      })),
    ),

    route(endpoints.operatorChangeAccount, (call) =>
      store.inTransaction('service', async (tx) => {
        const { accountId } = await demandAccount(tx, call.params.accountId)
        await changeAccount(tx, accountId, call.body, clock.nowMilliseconds())
        await audit.note(tx, {
          accountId,
          actor: actorOf(call),
          action: 'account.changed',
          object: accountId,
          details: { ...call.body },
        })
        return { body: await accountView(tx, await demandAccount(tx, accountId)) }
      }),
    ),

    route(endpoints.operatorMembers, async ({ params }) => {
      const { accountId, members } = await store.inTransaction('service', async (tx) => {
        const account = await demandAccount(tx, params.accountId)
        const now = clock.nowMilliseconds()
        return { ...account, members: await listMembers(tx, account.accountId, now) }
      })
      const seen = await lastSeenIn(store, accountId)
      return {
        body: { members: members.map((member) => memberView(member, seen.get(member.memberId))) },
      }
    }),

    route(endpoints.operatorInviteMember, async (call) => {
      const { email, name, role } = call.body
      await demandLive(deps, demandPerson(call).sessionId)
      const { accountId } = await store.inTransaction('service', (tx) =>
        demandAccount(tx, call.params.accountId),
      )
      // Asked again, it makes another link, and the one before worthless.
      const { member, link } = await inviteMember(deps, {
        ...{ accountId, email: email.toLowerCase(), name, role, byOperator: true },
        actor: actorOf(call),
        idempotencyKey: undefined,
      })
      return { body: { ...memberView(member), link: link?.reveal() ?? null } }
    }),

    route(endpoints.operatorKeys, ({ params }) =>
      store.inTransaction('service', async (tx) => {
        const { accountId } = await demandAccount(tx, params.accountId)
        return { body: { keys: (await findKeys(tx, accountId)).map(keyView) } }
      }),
    ),

    route(endpoints.operatorDeleteKey, (call) =>
      store.inTransaction('service', async (tx) => {
        const { accountId } = await demandAccount(tx, call.params.accountId)
        const keyId = parseId('key', call.params.keyId)
        const deletedAt = clock.nowMilliseconds()
        if (keyId === undefined || !(await markKeyDeleted(tx, accountId, keyId, deletedAt))) {
          throw new Refusal('NOT_FOUND')
        }
        const actor = actorOf(call)
        await audit.note(tx, { accountId, actor, action: 'key.deleted', object: keyId })
        return { body: { keyId, deletedAt } }
      }),
    ),
  ]
}

async function demandAccount(tx: Tx, accountId: string): Promise<AnyAccount> {
  const account = await anyAccount(tx, accountId)
  if (account === undefined) throw new Refusal('NOT_FOUND')
  return account
}

async function accountView(tx: Tx, account: AnyAccount) {
  const [view] = await accountViews(tx, [account])
  if (view === undefined) throw new Error('an account has one view')
  return view
}

async function accountViews(tx: Tx, accounts: readonly AnyAccount[]) {
  const ids = accounts.map(({ accountId }) => accountId)
  const wallets = await walletCounts(tx, ids)
  const members = await memberCounts(tx, ids)
  return accounts.map((account) => ({
    accountId: account.accountId,
    name: account.name,
    plan: account.plan,
    requestsPerMinute: account.ownRequestsPerMinute,
    suspendedAt: account.suspendedAtMilliseconds,
    createdAt: account.createdAtMilliseconds,
    members: members.get(account.accountId) ?? 0,
    keys: account.keys,
    wallets: wallets.get(account.accountId) ?? 0,
    lastUsedAt: account.lastUsedAtMilliseconds,
  }))
}

import { endpoints } from '@florin/wire/endpoints.ts'
import { Refusal } from '@florin/wire/errors.ts'
import { anyAccount } from '../access/operator-store.ts'
import { actorOf } from '../audit/actor-of.ts'
import { demandCursor } from '../audit/cursor-store.ts'
import type { AuditEntry } from '../audit/entry.ts'
import { pageOfAudit } from '../audit/every-account-store.ts'
import { auditView } from '../audit/routes.ts'
import { pageOfWallets } from '../custody/operator-store.ts'
import type { AnyWallet } from '../custody/operator-store.ts'
import { route } from '../http/route.ts'
import type { Route } from '../http/route.ts'
import { policiesOf } from '../policies/operator-store.ts'
import { lanesOf } from '../sender/lane-release-store.ts'
import type { Tx } from '../store/postgres.ts'
import { policyFacts } from '../wallets/view.ts'
import { pageOfWebhooks, resumeAny } from '../webhooks/operator-store.ts'
import type { AnyWebhook } from '../webhooks/operator-store.ts'
import { page } from './deps.ts'
import type { OperatorDeps } from './deps.ts'

/** Lists over all accounts: wallets, webhooks, changes; and what the installation runs with. */
export function operatorListRoutes(deps: OperatorDeps): readonly Route[] {
  const { store, clock, audit, settings, diagnose } = deps
  return [
    route(endpoints.operatorWallets, ({ query: { accountId, search, ...rest } }) =>
      store.inTransaction('service', async (tx) => {
        const { rows, nextCursor } = await page(
          rest,
          ({ walletId }: AnyWallet) => walletId,
          (wanted) => pageOfWallets(tx, { accountId, search }, wanted),
        )
        return { body: { wallets: await walletViews(tx, rows), nextCursor } }
      }),
    ),

    route(endpoints.operatorWebhooks, ({ query: { status = 'paused', ...rest } }) =>
      store.inTransaction('service', async (tx) => {
        const { rows, nextCursor } = await page(
          rest,
          ({ webhookId }: AnyWebhook) => webhookId,
          (wanted) => pageOfWebhooks(tx, status, wanted),
        )
        return { body: { webhooks: rows.map(webhookView), nextCursor } }
      }),
    ),

    route(endpoints.operatorResumeWebhook, (call) =>
      store.inTransaction('service', async (tx) => {
        const webhook = await resumeAny(tx, call.params.webhookId, clock.nowMilliseconds())
        if (webhook === undefined) throw new Refusal('NOT_FOUND')
        const { accountId, webhookId: object } = webhook
        const actor = actorOf(call)
        await audit.note(tx, { accountId, actor, action: 'webhook.resumed', object })
        return { body: webhookView(webhook) }
      }),
    ),

    route(endpoints.operatorAudit, ({ query: { accountId, action, object, ...rest } }) =>
      store.inTransaction('service', async (tx) => {
        const { rows, nextCursor } = await page(
          rest,
          ({ auditId }: AuditEntry) => auditId,
          (wanted) => pageOfAudit(tx, { accountId, action, object }, wanted),
        )
        if (rows.length === 0 && rest.cursor !== undefined) {
          await demandCursor(tx, rest.cursor, undefined)
        }
        const entries = rows.map((entry) => ({ ...auditView(entry), accountId: entry.accountId }))
        return { body: { entries, nextCursor } }
      }),
    ),

    route(endpoints.operatorSettings, async () => ({ body: { settings: [...settings] } })),

    route(endpoints.operatorDoctor, async () => {
      const { findings, unasked, notTaken, clocks, lookAt } = await diagnose()
      return {
        body: {
          sound: findings.length === 0 && unasked.length === 0,
          findings: [...findings],
          unasked: [...unasked],
          notTaken: [...notTaken],
          clocks: [...clocks],
          lookAt: lookAt.map((each) => ({ ...each, nodes: [...each.nodes] })),
        },
      }
    }),
  ]
}

function webhookView(webhook: AnyWebhook) {
  return {
    webhookId: webhook.webhookId,
    accountId: webhook.accountId,
    url: webhook.url,
    enabled: webhook.enabled,
    failingSince: webhook.failingSinceMilliseconds,
    pausedAt: webhook.pausedAtMilliseconds,
    pauseReason: webhook.pauseReason,
    createdAt: webhook.createdAtMilliseconds,
  }
}

async function walletViews(tx: Tx, wallets: readonly AnyWallet[]) {
  const policies = await policiesOf(
    tx,
    wallets.map(({ walletId }) => walletId),
  )
  const frozen = (
    await lanesOf(
      tx,
      wallets.map(({ address }) => address),
    )
  ).filter(({ frozenReason }) => frozenReason !== null)
  const names = new Map<string, string>()
  for (const accountId of new Set(wallets.map((wallet) => wallet.accountId))) {
    names.set(accountId, (await anyAccount(tx, accountId))?.name ?? '')
  }
  return wallets.map((wallet) => ({
    walletId: wallet.walletId,
    accountId: wallet.accountId,
    accountName: names.get(wallet.accountId) ?? '',
    family: wallet.family,
    address: wallet.address,
    label: wallet.label,
    createdAt: wallet.createdAtMilliseconds,
    policy: policyFacts(policies.get(wallet.walletId)),
    frozen: frozen.filter(({ address }) => address === wallet.address).map((lane) => lane.network),
  }))
}

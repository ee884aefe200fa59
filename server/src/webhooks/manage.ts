import { Refusal } from '@florin/wire/errors.ts'
import type { Plan } from '@florin/wire/plan.ts'
import type { KeyWrapper } from '../custody/key-wrapper.ts'
import type { Clock } from '../kernel/clock.ts'
import type { AccountId } from '../kernel/id.ts'
import { newId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { Random } from '../kernel/random.ts'
import type { Secret } from '../kernel/secret.ts'
import type { Store, Tx } from '../store/postgres.ts'
import { checkUrl } from './check-url.ts'
import { claimOnce } from './claim-once.ts'
import { newSecret } from './secret.ts'
import { findWebhook, insertWebhook, lockWebhook, replaceSecret, updateWebhook } from './store.ts'
import type { WebhookTerms } from './store.ts'
import type { Webhook } from './webhook.ts'

export interface ManageDeps {
  readonly store: Store
  readonly wrapper: KeyWrapper
  readonly random: Random
  readonly clock: Clock
  /** Every network is a sandbox: plain HTTP and this machine's loopback may be called. */
  readonly sandbox: boolean
}

/** An endpoint with its secret, when it is new; null when this request happened before. */
export interface WithSecret {
  readonly webhook: Webhook
  readonly secret: Secret | null
}

const MAX = {
  standard: limits.webhooksStandardMax,
  premium: limits.webhooksPremiumMax,
  enterprise: limits.webhooksEnterpriseMax,
} as const satisfies Record<Plan, number>

/** Makes an endpoint. Refuses INVALID_PARAMETERS for an address that is never called, and beyond what the plan allows. */
export async function createWebhook(
  { store, wrapper, random, clock, sandbox }: ManageDeps,
  order: WebhookTerms & {
    readonly accountId: AccountId
    readonly plan: Plan
    readonly key: string | undefined
  },
): Promise<WithSecret> {
  const { accountId, plan, key, ...terms } = order
  checkUrl(terms.url, sandbox)
  const nowMilliseconds = clock.nowMilliseconds()
  const id = newId(random, 'whk')
  // Sealed before it is known whether it is needed: that may ask a remote service, outside any transaction.
  const { text, sealed } = await newSecret({ wrapper, random }, { webhookId: id, accountId })
  return store.inTransaction(accountId, async (tx) => {
    const intent = { accountId, operation: 'createWebhook', key, asked: terms }
    const before = await claimOnce(tx, intent, id, nowMilliseconds)
    if (before !== undefined) return { webhook: await demand(tx, accountId, before), secret: null }
    const webhook = await insertWebhook(
      tx,
      { id, accountId, ...terms, sealedSecret: sealed, nowMilliseconds },
      MAX[plan],
    )
    return { webhook, secret: text }
  })
}

/** Changes what was given and leaves the rest. `enabled: true` also ends a pause. */
export async function changeWebhook(
  { store, clock, sandbox }: ManageDeps,
  accountId: AccountId,
  webhookId: string,
  change: Partial<WebhookTerms>,
): Promise<Webhook> {
  if (change.url !== undefined) checkUrl(change.url, sandbox)
  return store.inTransaction(accountId, async (tx) => {
    const webhook = await lockWebhook(tx, accountId, webhookId)
    if (webhook === undefined) throw new Refusal('NOT_FOUND')
    const { url, description, types, enabled } = webhook
    return updateWebhook(tx, webhook, {
      ...{ url, description, types, enabled },
      ...change,
      resumes: change.enabled === true,
      nowMilliseconds: clock.nowMilliseconds(),
    })
  })
}

/** Gives an endpoint a new secret; the one of now signs as well for so many seconds. */
export async function rotateSecret(
  { store, wrapper, random, clock }: ManageDeps,
  order: {
    readonly accountId: AccountId
    readonly webhookId: string
    readonly previousValidSeconds: number
    readonly key: string | undefined
  },
): Promise<WithSecret> {
  const { accountId, webhookId, previousValidSeconds, key } = order
  const found = await store.inTransaction(accountId, (tx) => findWebhook(tx, accountId, webhookId))
  if (found === undefined) throw new Refusal('NOT_FOUND')
  const fresh = await newSecret({ wrapper, random }, { webhookId: found.id, accountId })
  return store.inTransaction(accountId, async (tx) => {
    const nowMilliseconds = clock.nowMilliseconds()
    const asked = { webhookId, previousValidSeconds }
    const intent = { accountId, operation: 'rotateWebhook', key, asked }
    const before = await claimOnce(tx, intent, webhookId, nowMilliseconds)
    if (before !== undefined) return { webhook: await demand(tx, accountId, before), secret: null }
    const webhook = await lockWebhook(tx, accountId, webhookId)
    if (webhook === undefined) throw new Refusal('NOT_FOUND')
    const untilMilliseconds =
      previousValidSeconds === 0 ? null : nowMilliseconds + previousValidSeconds * 1000
    const times = { untilMilliseconds, nowMilliseconds }
    return {
      webhook: await replaceSecret(tx, webhook, { sealedSecret: fresh.sealed }, times),
      secret: fresh.text,
    }
  })
}

async function demand(tx: Tx, accountId: AccountId, webhookId: string): Promise<Webhook> {
  const webhook = await findWebhook(tx, accountId, webhookId)
  if (webhook === undefined) throw new Refusal('NOT_FOUND')
  return webhook
}

import { createHash } from 'node:crypto'
import { Refusal } from '@florin/wire/errors.ts'
import type { Plan } from '@florin/wire/plan.ts'
import type { Audit } from '../audit/audit.ts'
import type { Actor } from '../audit/entry.ts'
import { requireCurrentKey } from '../custody/key-encryption-key.ts'
import type { KeyWrapper } from '../custody/key-wrapper.ts'
import type { Clock } from '../kernel/clock.ts'
import type { AccountId } from '../kernel/id.ts'
import { newId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { Random } from '../kernel/random.ts'
import { Secret } from '../kernel/secret.ts'
import type { Store, Tx } from '../store/postgres.ts'
import { checkUrl } from './check-url.ts'
import { claimOnce } from '../idempotency/claim-once.ts'
import { changedTerms, notedTerms } from './noted-terms.ts'
import { newSecret, openSecret } from './secret.ts'
import {
  deleteWebhook,
  findSealed,
  findWebhook,
  insertWebhook,
  lockWebhook,
  replaceSecret,
  updateWebhook,
} from './store.ts'
import type { WebhookTerms } from './store.ts'
import type { Webhook } from './webhook.ts'

export interface ManageDeps {
  readonly store: Store
  readonly wrapper: KeyWrapper
  readonly random: Random
  readonly clock: Clock
  readonly audit: Audit
  /** Every network is a sandbox: plain HTTP and this machine's loopback may be called. */
  readonly sandbox: boolean
}

/** An endpoint with the secret that a request gave it; null when it was repeated and that secret signs no more. */
export interface WithSecret {
  readonly webhook: Webhook
  readonly secret: Secret | null
  readonly isRepeated: boolean
}

const MAX = {
  standard: limits.webhooksStandardMax,
  premium: limits.webhooksPremiumMax,
  enterprise: limits.webhooksEnterpriseMax,
} as const satisfies Record<Plan, number>

/** Makes an endpoint. Refuses INVALID_PARAMETERS for an address that is never called, and beyond what the plan allows. */
export async function createWebhook(
  { store, wrapper, random, clock, audit, sandbox }: ManageDeps,
  order: WebhookTerms & {
    readonly accountId: AccountId
    readonly actor: Actor
    readonly plan: Plan
    readonly key: string | undefined
  },
): Promise<WithSecret> {
  const { accountId, actor, plan, key, ...terms } = order
  checkUrl(terms.url, sandbox)
  const nowMilliseconds = clock.nowMilliseconds()
  const id = newId(random, 'whk')
  // Sealed before it is known whether it is needed: that may ask a remote service, outside any transaction.
  const { text, sealed } = await newSecret({ wrapper, random }, { webhookId: id, accountId })
  const made = await store.inTransaction(accountId, async (tx) => {
    const intent = { accountId, operation: 'createWebhook', key, asked: terms }
    const before = await claimOnce(tx, intent, `${id} ${digestOf(sealed)}`, nowMilliseconds)
    if (before !== undefined) return await madeBefore(tx, accountId, before)
    await requireCurrentKey(tx, wrapper)
    const order = { id, accountId, ...terms, sealedSecret: sealed, nowMilliseconds }
    const webhook = await insertWebhook(tx, order, MAX[plan])
    const [action, details] = ['webhook.created', notedTerms(terms)]
    await audit.note(tx, { accountId, actor, action, object: id, details })
    return { webhook }
  })
  return await withSecret(wrapper, made, text)
}

/** An endpoint of an account, and who asks. */
interface Whose {
  readonly accountId: AccountId
  readonly webhookId: string
  readonly actor: Actor
}

/** Changes what was given and leaves the rest. `enabled: true` also ends a pause. */
export async function changeWebhook(
  { store, clock, audit, sandbox }: ManageDeps,
  { accountId, webhookId, actor }: Whose,
  change: Partial<WebhookTerms>,
): Promise<Webhook> {
  if (change.url !== undefined) checkUrl(change.url, sandbox)
  return store.inTransaction(accountId, async (tx) => {
    const webhook = await lockWebhook(tx, accountId, webhookId)
    if (webhook === undefined) throw new Refusal('NOT_FOUND')
    const { url, description, types, enabled } = webhook
    const changed = await updateWebhook(tx, webhook, {
      ...{ url, description, types, enabled },
      ...change,
      resumes: change.enabled === true,
      nowMilliseconds: clock.nowMilliseconds(),
    })
    const details = changedTerms(webhook, changed)
    if (details !== undefined) {
      const action = 'webhook.changed'
      await audit.note(tx, { accountId, actor, action, object: webhook.id, details })
    }
    return changed
  })
}

/** Deletes an endpoint for ever, and gives when. Refuses NOT_FOUND. */
export async function removeWebhook(
  { store, clock, audit }: ManageDeps,
  { accountId, webhookId, actor }: Whose,
): Promise<number> {
  const nowMilliseconds = clock.nowMilliseconds()
  await store.inTransaction(accountId, async (tx) => {
    const webhook = await lockWebhook(tx, accountId, webhookId)
    if (webhook === undefined) throw new Refusal('NOT_FOUND')
    await deleteWebhook(tx, accountId, webhookId, nowMilliseconds)
    const [action, details] = ['webhook.deleted', notedTerms(webhook)]
    await audit.note(tx, { accountId, actor, action, object: webhook.id, details })
  })
  return nowMilliseconds
}

/** Gives an endpoint a new secret; the one of now signs as well for so many seconds. */
export async function rotateSecret(
  { store, wrapper, random, clock, audit }: ManageDeps,
  order: Whose & {
    readonly previousValidSeconds: number
    readonly key: string | undefined
  },
): Promise<WithSecret> {
  const { accountId, webhookId, actor, previousValidSeconds, key } = order
  const found = await store.inTransaction(accountId, (tx) => findWebhook(tx, accountId, webhookId))
  if (found === undefined) throw new Refusal('NOT_FOUND')
  const fresh = await newSecret({ wrapper, random }, { webhookId: found.id, accountId })
  const made = await store.inTransaction(accountId, async (tx) => {
    const nowMilliseconds = clock.nowMilliseconds()
    const asked = { webhookId, previousValidSeconds }
    const intent = { accountId, operation: 'rotateWebhook', key, asked }
    const resource = `${webhookId} ${digestOf(fresh.sealed)}`
    const before = await claimOnce(tx, intent, resource, nowMilliseconds)
    if (before !== undefined) return await madeBefore(tx, accountId, before)
    // The key's row before the endpoint's, as an exchange of the key takes them.
    await requireCurrentKey(tx, wrapper)
    const webhook = await lockWebhook(tx, accountId, webhookId)
    if (webhook === undefined) throw new Refusal('NOT_FOUND')
    const untilMilliseconds =
      previousValidSeconds === 0 ? null : nowMilliseconds + previousValidSeconds * 1000
    const times = { untilMilliseconds, nowMilliseconds }
    const rotated = await replaceSecret(tx, webhook, { sealedSecret: fresh.sealed }, times)
    const [action, details] = ['webhook.secret_rotated', { previousValidSeconds }]
    await audit.note(tx, { accountId, actor, action, object: webhook.id, details })
    return { webhook: rotated }
  })
  return await withSecret(wrapper, made, fresh.text)
}

/** Names a secret by its sealed form, which says nothing about it. */
const digestOf = (sealed: Uint8Array) => createHash('sha256').update(sealed).digest('hex')

/** What a request made: its endpoint, and when it was made before the secret that it was given then, if that one still signs. */
interface Made {
  readonly webhook: Webhook
  readonly before?: { readonly sealed: Uint8Array | undefined }
}

async function madeBefore(tx: Tx, accountId: AccountId, resourceId: string): Promise<Made> {
  const [webhookId = '', digest = ''] = resourceId.split(' ')
  const webhook = await findWebhook(tx, accountId, webhookId)
  if (webhook === undefined) throw new Refusal('NOT_FOUND')
  return { webhook, before: { sealed: await findSealed(tx, webhook, digest) } }
}

/** Whoever lost an answer has its secret in no other way, and what is sent is signed by it already. */
async function withSecret(
  wrapper: KeyWrapper,
  { webhook, before }: Made,
  fresh: Secret,
): Promise<WithSecret> {
  if (before === undefined) return { webhook, secret: fresh, isRepeated: false }
  if (before.sealed === undefined) return { webhook, secret: null, isRepeated: true }
  const owner = { webhookId: webhook.id, accountId: webhook.accountId }
  const bytes = await openSecret(wrapper, owner, before.sealed)
  try {
    const secret = new Secret(new TextDecoder().decode(bytes.reveal()))
    return { webhook, secret, isRepeated: true }
  } finally {
    bytes.erase()
  }
}

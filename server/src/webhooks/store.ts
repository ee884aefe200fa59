import { Refusal } from '@florin/wire/errors.ts'
import type { AccountEventType } from '@florin/wire/event-types.ts'
import type { AccountId, WebhookId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'
import type { PauseReason, SealedSecrets, Webhook } from './webhook.ts'

interface WebhookRow {
  readonly id: WebhookId
  readonly account_id: AccountId
  readonly url: string
  readonly description: string | null
  readonly types: readonly AccountEventType[]
  readonly enabled: boolean
  readonly failing_since: Date | null
  readonly paused_at: Date | null
  readonly pause_reason: PauseReason | null
  readonly previous_until: Date | null
  readonly created_at: Date
  readonly updated_at: Date
}

const COLUMNS = `id, account_id, url, description, types, enabled, failing_since, paused_at, pause_reason,
  case when previous_until > now() then previous_until end as previous_until, created_at, updated_at`

function webhookOf(row: WebhookRow): Webhook {
  return {
    id: row.id,
    accountId: row.account_id,
    url: row.url,
    description: row.description,
    types: row.types,
    enabled: row.enabled,
    failingSinceMilliseconds: row.failing_since?.getTime() ?? null,
    pausedAtMilliseconds: row.paused_at?.getTime() ?? null,
    pauseReason: row.pause_reason,
    previousUntilMilliseconds: row.previous_until?.getTime() ?? null,
    createdAtMilliseconds: row.created_at.getTime(),
    updatedAtMilliseconds: row.updated_at.getTime(),
  }
}

/** What an owner decides about an endpoint. */
export type WebhookTerms = Pick<Webhook, 'url' | 'description' | 'types' | 'enabled'>

/**
 * Stores a new endpoint. Refuses INVALID_PARAMETERS when the account has `webhooksMax` already: creations of one account wait for each
 * other, so that two at once cannot pass the count.
 */
export async function insertWebhook(
  tx: Tx,
  webhook: WebhookTerms & {
    readonly id: WebhookId
    readonly accountId: AccountId
    readonly sealedSecret: Uint8Array
    readonly nowMilliseconds: number
  },
  webhooksMax: number,
): Promise<Webhook> {
  const { accountId } = webhook
  await tx.query(
    'webhook_lock_creation',
    `select pg_advisory_xact_lock(hashtextextended('florin-webhooks-of-' || $1, 0))`,
    [accountId],
  )
  const counted = await tx.query<{ count: string }>(
    'webhook_count',
    'select count(*) from webhooks where account_id = $1 and deleted_at is null',
    [accountId],
  )
  if (Number(counted[0]?.count ?? 0) >= webhooksMax) {
    throw new Refusal('INVALID_PARAMETERS', {
      message: 'This account has as many webhooks as its plan allows.',
      details: { url: `at most ${webhooksMax} webhooks per account on this plan` },
    })
  }
  const rows = await tx.query<WebhookRow>(
    'webhook_insert',
    `insert into webhooks (id, account_id, url, description, types, enabled, sealed_secret, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, to_timestamp($8 / 1000.0), to_timestamp($8 / 1000.0))
     returning ${COLUMNS}`,
    [
      webhook.id,
      accountId,
      webhook.url,
      webhook.description,
      webhook.types,
      webhook.enabled,
      webhook.sealedSecret,
      webhook.nowMilliseconds,
    ],
  )
  return one(rows)
}

/** All of an account's endpoints, oldest first; what a plan allows bounds them. */
export async function listWebhooks(tx: Tx, accountId: AccountId): Promise<readonly Webhook[]> {
  const rows = await tx.query<WebhookRow>(
    'webhook_list',
    `select ${COLUMNS} from webhooks where account_id = $1 and deleted_at is null order by created_at, id`,
    [accountId],
  )
  return rows.map(webhookOf)
}

/** The account's endpoint; undefined when absent, deleted or another account's: they look alike. */
export async function findWebhook(
  tx: Tx,
  accountId: AccountId,
  webhookId: string,
): Promise<Webhook | undefined> {
  const rows = await tx.query<WebhookRow>(
    'webhook_find',
    `select ${COLUMNS} from webhooks where account_id = $1 and id = $2 and deleted_at is null`,
    [accountId, webhookId],
  )
  return rows[0] && webhookOf(rows[0])
}

/** Keeps an endpoint as it is until the transaction ends, and gives it; for what reads it and then changes it. */
export async function lockWebhook(
  tx: Tx,
  accountId: AccountId,
  webhookId: string,
): Promise<Webhook | undefined> {
  const rows = await tx.query<WebhookRow>(
    'webhook_lock',
    `select ${COLUMNS} from webhooks where account_id = $1 and id = $2 and deleted_at is null for no key update`,
    [accountId, webhookId],
  )
  return rows[0] && webhookOf(rows[0])
}

/** Stores what an owner decided. `resumes` ends a pause: the day of failures begins anew. */
export async function updateWebhook(
  tx: Tx,
  { id, accountId }: Pick<Webhook, 'id' | 'accountId'>,
  terms: WebhookTerms & { readonly resumes: boolean; readonly nowMilliseconds: number },
): Promise<Webhook> {
  const rows = await tx.query<WebhookRow>(
    'webhook_update',
    `update webhooks set url = $3, description = $4, types = $5, enabled = $6,
       paused_at = case when $7 then null else paused_at end,
       pause_reason = case when $7 then null else pause_reason end,
       failing_since = case when $7 or url <> $3 then null else failing_since end,
       resumed_at = case when $7 and (paused_at is not null or not enabled) then now() else resumed_at end,
       in_trouble = in_trouble or url <> $3,
       updated_at = to_timestamp($8 / 1000.0)
     where account_id = $2 and id = $1 and deleted_at is null returning ${COLUMNS}`,
    [
      id,
      accountId,
      terms.url,
      terms.description,
      terms.types,
      terms.enabled,
      terms.resumes,
      terms.nowMilliseconds,
    ],
  )
  return one(rows)
}

/** Puts a new secret in the place of the old one, which signs as well until `untilMilliseconds`; null: not any more. */
export async function replaceSecret(
  tx: Tx,
  { id, accountId }: Pick<Webhook, 'id' | 'accountId'>,
  { sealedSecret }: Pick<SealedSecrets, 'sealedSecret'>,
  {
    untilMilliseconds,
    nowMilliseconds,
  }: { readonly untilMilliseconds: number | null; readonly nowMilliseconds: number },
): Promise<Webhook> {
  const rows = await tx.query<WebhookRow>(
    'webhook_rotate',
    `update webhooks set sealed_secret = $3,
       sealed_previous_secret = case when $4::float8 is null then null else sealed_secret end,
       previous_until = to_timestamp($4::float8 / 1000.0), updated_at = to_timestamp($5 / 1000.0)
     where account_id = $2 and id = $1 and deleted_at is null returning ${COLUMNS}`,
    [id, accountId, sealedSecret, untilMilliseconds, nowMilliseconds],
  )
  return one(rows)
}

/** Which of an endpoint's live secrets has that digest, as it is kept; undefined when none has any more. */
export async function findSealed(
  tx: Tx,
  { id, accountId }: Pick<Webhook, 'id' | 'accountId'>,
  digestHex: string,
): Promise<Uint8Array | undefined> {
  const rows = await tx.query<{ sealed: Uint8Array }>(
    'webhook_find_sealed',
    `select sealed from webhooks w, unnest(array[w.sealed_secret,
       case when w.previous_until > now() then w.sealed_previous_secret end]) as sealed
     where w.account_id = $2 and w.id = $1 and w.deleted_at is null and encode(sha256(sealed), 'hex') = $3`,
    [id, accountId, digestHex],
  )
  return rows[0]?.sealed
}

/** Ends an endpoint for ever; what waited for it is not sent and soon removed. False when the account has none of that name. */
export async function deleteWebhook(
  tx: Tx,
  accountId: AccountId,
  webhookId: string,
  nowMilliseconds: number,
): Promise<boolean> {
  const rows = await tx.query(
    'webhook_delete',
    `update webhooks set deleted_at = to_timestamp($3 / 1000.0)
     where account_id = $1 and id = $2 and deleted_at is null returning id`,
    [accountId, webhookId, nowMilliseconds],
  )
  return rows.length === 1
}

/** Which endpoints of accounts were not deleted, for what gives events out. Never for a request. */
export async function liveWebhooks(
  tx: Tx,
  accountIds: readonly AccountId[],
): Promise<ReadonlySet<WebhookId>> {
  const rows = await tx.query<Pick<WebhookRow, 'id'>>(
    'webhook_live',
    'select id from webhooks where account_id = any($1) and deleted_at is null',
    [accountIds],
  )
  return new Set(rows.map(({ id }) => id))
}

function one(rows: readonly WebhookRow[]): Webhook {
  const [row] = rows
  if (row === undefined) throw new Error('a webhook that was locked is gone')
  return webhookOf(row)
}

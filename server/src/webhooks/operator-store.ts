import type { AccountId, WebhookId } from '../kernel/id.ts'
import { planForValues } from '../store/plan-for-values.ts'
import type { Tx } from '../store/postgres.ts'
import type { PauseReason } from './webhook.ts'

/** A webhook as operators of the installation see it, whoever it belongs to. */
export interface AnyWebhook {
  readonly webhookId: WebhookId
  readonly accountId: AccountId
  readonly url: string
  readonly enabled: boolean
  readonly failingSinceMilliseconds: number | null
  readonly pausedAtMilliseconds: number | null
  readonly pauseReason: PauseReason | null
  readonly createdAtMilliseconds: number
}

interface Row {
  readonly id: WebhookId
  readonly account_id: AccountId
  readonly url: string
  readonly enabled: boolean
  readonly failing_since: Date | null
  readonly paused_at: Date | null
  readonly pause_reason: PauseReason | null
  readonly created_at: Date
}

const COLUMNS = 'id, account_id, url, enabled, failing_since, paused_at, pause_reason, created_at'

function webhookOf(row: Row): AnyWebhook {
  return {
    webhookId: row.id,
    accountId: row.account_id,
    url: row.url,
    enabled: row.enabled,
    failingSinceMilliseconds: row.failing_since?.getTime() ?? null,
    pausedAtMilliseconds: row.paused_at?.getTime() ?? null,
    pauseReason: row.pause_reason,
    createdAtMilliseconds: row.created_at.getTime(),
  }
}

/** Webhooks that were not deleted, newest first: the paused ones, those that fail, or all. */
export async function pageOfWebhooks(
  tx: Tx,
  status: 'paused' | 'failing' | 'all',
  { after, count }: { readonly after: string | undefined; readonly count: number },
): Promise<readonly AnyWebhook[]> {
  await planForValues(tx)
  const rows = await tx.query<Row>(
    'webhook_any',
    `select ${COLUMNS} from webhooks
     where deleted_at is null
       and case $1 when 'paused' then paused_at is not null when 'failing' then failing_since is not null else true end
       and ($2::text is null or (created_at, id) < (select created_at, id from webhooks where id = $2))
     order by created_at desc, id desc limit $3`,
    [status, after ?? null, count],
  )
  return rows.map(webhookOf)
}

/** Ends the pause of a webhook, if it has one: what waited is sent. Undefined: there is no such webhook. */
export async function resumeAny(
  tx: Tx,
  webhookId: string,
  nowMilliseconds: number,
): Promise<AnyWebhook | undefined> {
  const rows = await tx.query<Row>(
    'webhook_resume_any',
    `update webhooks set
       resumed_at = case when paused_at is not null then now() else resumed_at end,
       failing_since = case when paused_at is not null then null else failing_since end,
       paused_at = null, pause_reason = null, updated_at = to_timestamp($2 / 1000.0)
     where id = $1 and deleted_at is null returning ${COLUMNS}`,
    [webhookId, nowMilliseconds],
  )
  return rows[0] && webhookOf(rows[0])
}

import { endpoints } from '@florin/wire/endpoints.ts'
import { Refusal } from '@florin/wire/errors.ts'
import { actorOf } from '../audit/actor-of.ts'
import { route } from '../http/route.ts'
import type { Call, Route } from '../http/route.ts'
import { cursorOf, pageBehind } from './list-page.ts'
import { changeWebhook, createWebhook, removeWebhook, rotateSecret } from './manage.ts'
import type { ManageDeps, WithSecret } from './manage.ts'
import { redeliver, redeliverRange, sendTest } from './repeat.ts'
import { findWebhook, listWebhooks } from './store.ts'
import { deliveryFacts, webhookFacts } from './view.ts'

const DAY_SECONDS = 86_400
const PAGE_DEFAULT = 50

/** The routes of webhooks, their deliveries and their secrets. */
export function webhookRoutes(deps: ManageDeps): readonly Route[] {
  const { clock, store } = deps
  return [
    route(endpoints.createWebhook, async (call) => {
      const { body, caller, idempotencyKey: key } = call
      const { url, description = '', enabled = true } = body
      const { accountId, plan } = caller
      const types = [...new Set(body.types)]
      const terms = { url, types, description: description === '' ? null : description, enabled }
      const order = { accountId, plan, key, actor: actorOf(call), ...terms }
      return shown(await createWebhook(deps, order))
    }),

    route(endpoints.listWebhooks, async ({ caller: { accountId } }) => {
      const webhooks = await store.inTransaction(accountId, (tx) => listWebhooks(tx, accountId))
      return { body: { webhooks: webhooks.map(webhookFacts) } }
    }),

    route(endpoints.getWebhook, async ({ params: { webhookId }, caller: { accountId } }) => {
      const webhook = await store.inTransaction(accountId, (tx) =>
        findWebhook(tx, accountId, webhookId),
      )
      if (webhook === undefined) throw new Refusal('NOT_FOUND')
      return { body: webhookFacts(webhook) }
    }),

    route(endpoints.changeWebhook, async (call) => {
      const { url, types, description, enabled } = call.body
      const webhook = await changeWebhook(deps, whoseOf(call), {
        ...(url === undefined ? {} : { url }),
        ...(types === undefined ? {} : { types: [...new Set(types)] }),
        ...(description === undefined
          ? {}
          : { description: description === '' ? null : description }),
        ...(enabled === undefined ? {} : { enabled }),
      })
      return { body: webhookFacts(webhook) }
    }),

    route(endpoints.deleteWebhook, async (call) => {
      const deletedAt = await removeWebhook(deps, whoseOf(call))
      return { body: { webhookId: call.params.webhookId, deletedAt } }
    }),

    route(endpoints.rotateWebhook, async (call) => {
      const { previousValidSeconds = DAY_SECONDS } = call.body
      const order = { ...whoseOf(call), previousValidSeconds, key: call.idempotencyKey }
      return shown(await rotateSecret(deps, order))
    }),

    route(endpoints.testWebhook, async ({ params, caller, idempotencyKey: key }) => {
      const { accountId } = caller
      const delivery = await sendTest(deps, { accountId, webhookId: params.webhookId, key })
      return { body: deliveryFacts(delivery) }
    }),

    route(endpoints.webhookDeliveries, async ({ params, query, caller: { accountId } }) => {
      const { status, paymentId: lane, from, limit = PAGE_DEFAULT, cursor } = query
      const { deliveries, lookedBackTo } = await store.inTransaction(accountId, async (tx) => {
        const webhook = await findWebhook(tx, accountId, params.webhookId)
        if (webhook === undefined) throw new Refusal('NOT_FOUND')
        const whose = { accountId, webhookId: webhook.id }
        return await pageBehind(tx, whose, cursor, {
          ...{ status, lane, fromMilliseconds: from },
          count: limit + 1,
          nowMilliseconds: clock.nowMilliseconds(),
        })
      })
      const page = deliveries.slice(0, limit)
      const last = deliveries.length > limit ? page.at(-1) : lookedBackTo
      const nextCursor = last === undefined ? null : cursorOf(last)
      return { body: { deliveries: page.map(deliveryFacts), nextCursor } }
    }),

    route(endpoints.redeliverWebhook, async ({ params, caller, idempotencyKey: key }) => {
      const { accountId } = caller
      return { body: deliveryFacts(await redeliver(deps, { accountId, ...params, key })) }
    }),

    route(endpoints.redeliverWebhooks, async ({ params, body, caller, idempotencyKey: key }) => {
      const { from, to, status = 'failed', after } = body
      if (to !== undefined && from > to) {
        throw new Refusal('INVALID_PARAMETERS', { details: { from: 'must not be after to' } })
      }
      const range = { fromMilliseconds: from, toMilliseconds: to, status, after }
      const { accountId } = caller
      const { webhookId } = params
      return { body: await redeliverRange(deps, { accountId, webhookId, key, ...range }) }
    }),
  ]
}

function whoseOf(
  call: Pick<Call<{ webhookId: string }, unknown, unknown>, 'params' | 'caller'> &
    Parameters<typeof actorOf>[0],
) {
  const { params, caller } = call
  return { accountId: caller.accountId, webhookId: params.webhookId, actor: actorOf(call) }
}

function shown({ webhook, secret, isRepeated }: WithSecret) {
  return {
    headers: isRepeated ? { 'idempotent-replayed': 'true' } : {},
    body: { ...webhookFacts(webhook), secret: secret?.reveal() ?? null },
  }
}

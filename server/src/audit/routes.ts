import { endpoints } from '@florin/wire/endpoints.ts'
import { RawJson } from '@florin/wire/raw-json.ts'
import { route } from '../http/route.ts'
import type { Route } from '../http/route.ts'
import type { Store } from '../store/postgres.ts'
import { demandCursor } from './cursor-store.ts'
import type { AuditEntry } from './entry.ts'
import { listAudit } from './store.ts'

const PAGE_DEFAULT = 50

/** The route by which an account reads what was changed in it. */
export function auditRoutes({ store }: { readonly store: Store }): readonly Route[] {
  return [
    route(endpoints.listAudit, async ({ query, caller: { accountId } }) => {
      const { limit = PAGE_DEFAULT, cursor } = query
      const found = await store.inTransaction(accountId, async (tx) => {
        const entries = await listAudit(tx, accountId, { before: cursor, count: limit + 1 })
        if (entries.length === 0 && cursor !== undefined) await demandCursor(tx, cursor, accountId)
        return entries
      })
      const page = found.slice(0, limit)
      const nextCursor = found.length > limit ? (page.at(-1)?.auditId ?? null) : null
      return { body: { entries: page.map(auditView), nextCursor } }
    }),
  ]
}

/** An entry as callers see it. */
export function auditView({ actor, ...entry }: AuditEntry) {
  return {
    auditId: entry.auditId,
    at: entry.atMilliseconds,
    actor: actor.kind,
    actorId: actor.id,
    actorName: actor.name,
    action: entry.action,
    object: entry.object,
    address: actor.address,
    requestId: actor.requestId,
    details: new RawJson(entry.detailsText),
  }
}

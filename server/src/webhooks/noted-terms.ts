import type { AuditDetail } from '../audit/entry.ts'
import type { WebhookTerms } from './store.ts'
import type { Webhook } from './webhook.ts'

type Noted = Readonly<Record<string, AuditDetail>>

/** An endpoint's terms as the audit log keeps them. */
export function notedTerms({ url, types, description, enabled }: WebhookTerms): Noted {
  return { url: notedUrl(url), types: [...types].toSorted(), description, enabled }
}

/** The terms that differ, as they were and as they are, and whether a pause ended; undefined when nothing changed. */
export function changedTerms(was: Webhook, is: Webhook): Noted | undefined {
  const [before, after] = [notedTerms(was), notedTerms(is)]
  const names = Object.keys(after).filter((name) =>
    // What the log leaves out of an address may be all that differs.
    name === 'url'
      ? was.url !== is.url
      : JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  )
  const resumed = was.pausedAtMilliseconds !== null && is.pausedAtMilliseconds === null
  if (names.length === 0 && !resumed) return undefined
  const only = (terms: Noted): Noted =>
    Object.fromEntries(names.map((name) => [name, terms[name] ?? null]))
  return { before: only(before), after: only(after), ...(resumed ? { resumed } : {}) }
}

/** An address without what follows the path: a token may stand there. That something does is said. */
function notedUrl(text: string): string {
  const { origin, pathname, search, hash } = new URL(text)
  return `${origin}${pathname}${search === '' && hash === '' ? '' : '?(not noted)'}`
}

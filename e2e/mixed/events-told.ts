import type { Client } from '../actors/client.ts'
import type { Wants } from './want.ts'

const PAGE = 500
const PAGES_MAX = 200

interface Told {
  readonly sequence: number
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
}

const FINAL: ReadonlySet<unknown> = new Set(['settled', 'failed', 'expired'])

/** Reads all events of the account: numbered without a gap, and each payment's end told once, with nothing behind it. */
export async function checkEvents(client: Client, wants: Wants): Promise<number> {
  const events: Told[] = []
  let after = ''
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const { body } = await client.get(`/events?limit=${PAGE}${after}`)
    events.push(...(body['events'] as readonly Told[]))
    after = `&after=${String(body['nextAfter'])}`
    if (body['hasMore'] !== true) break
  }
  events.forEach(({ sequence }, index) => {
    if (sequence !== index + 1) wants.break(null, `event ${index + 1} has the number ${sequence}`)
  })
  const payments = events.filter(({ type }) => type === 'payment')
  for (const [id, own] of Map.groupBy(payments, ({ data }) => data['paymentId'])) {
    const statuses = own.map(({ data }) => data['status'])
    const ends = statuses.filter((status) => FINAL.has(status)).length
    if (ends !== 1 || !FINAL.has(statuses.at(-1))) {
      wants.break(null, `payment ${String(id)} was told as ${statuses.join(', ')}`)
    }
  }
  return events.length
}

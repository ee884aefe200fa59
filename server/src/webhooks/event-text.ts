import type { NumberedEvent } from '../events/event.ts'

/** An event as it is sent: the same object as on the socket and in GET /events. */
export function eventText(event: Omit<NumberedEvent, 'sequence'> & { sequence: number | null }) {
  const { id, type, channel, sequence, dataText, createdAtMilliseconds } = event
  const head = JSON.stringify({ id, type, channel, sequence }).slice(0, -1)
  return `${head},"data":${dataText},"timestamp":${createdAtMilliseconds}}`
}

import type { PaymentRecord } from '@florin/sdk'
import type { CommandContext } from '../command.ts'

const TICK_MILLISECONDS = 200
const CLEAR = '\r\u001B[K'

/** What a line says of a payment. */
export type Progress = Pick<
  PaymentRecord,
  'status' | 'createdAt' | 'confirmedAt' | 'settledAt' | 'endedAt'
>

/** Shows where a payment stands while somebody waits for it. */
export interface ProgressLine {
  look(payment: Progress): void
  /** Ends it; nothing is left half written. */
  end(): void
}

/**
 * A line per status that was reached, with the seconds that it took; on a terminal the present one counts on.
 * When a status was reached is what the record says: whoever looks late would call it slow.
 * @param startedAt Unix milliseconds by this machine's clock; what the record gives no moment for is counted from then.
 */
export function openProgressLine(
  { note, terminal = false }: Pick<CommandContext, 'note' | 'terminal'>,
  startedAt: number,
): ProgressLine {
  let seen: Progress | undefined
  const passed = () => Date.now() - startedAt
  const line = (status: string, milliseconds: number | undefined) => {
    const name = status.padEnd('confirmed'.length)
    if (milliseconds === undefined) return name.trimEnd()
    return `${name}  ${(Math.max(0, milliseconds) / 1000).toFixed(1).padStart(5)} s`
  }
  const tick = () => {
    if (seen !== undefined && !isEnd(seen)) note(`${CLEAR}${line(seen.status, passed())}`)
  }
  const timer = terminal ? setInterval(tick, TICK_MILLISECONDS) : undefined
  /** A line that counted on to its end is written once more, with the time that stays. */
  const leave = () => {
    if (seen === undefined) return
    const reached = reachedAfter(seen)
    note(reached === undefined ? '\n' : `${CLEAR}${line(seen.status, reached)}\n`)
  }
  return {
    look: (payment) => {
      if (payment.status === seen?.status) return
      if (terminal) leave()
      // A payment that had ended before anybody looked: its record does not say when.
      const isOld = seen === undefined && isEnd(payment)
      const text = line(payment.status, reachedAfter(payment) ?? (isOld ? undefined : passed()))
      seen = payment
      note(terminal ? `${CLEAR}${text}` : `${text}\n`)
    },
    end: () => {
      if (timer === undefined) return
      clearInterval(timer)
      // What is still pending keeps the time for which it was waited for.
      if (seen?.status === 'pending') note('\n')
      else leave()
    },
  }
}

/** Milliseconds, by the service's clock alone; undefined where the record has no moment for the status. */
function reachedAfter({ status, createdAt, ...record }: Progress): number | undefined {
  const { confirmedAt, settledAt, endedAt = null } = record
  const reached = { confirmed: confirmedAt, settled: settledAt, failed: endedAt, expired: endedAt }
  // It was pending from the start, whenever somebody looked.
  if (status === 'pending') return 0
  const moment = reached[status]
  return moment === null ? undefined : moment - createdAt
}

function isEnd({ status }: Progress): boolean {
  return status !== 'pending' && status !== 'confirmed'
}

import type { PaymentRecord } from '@florin/sdk'
import type { CommandContext } from '../command.ts'

const TICK_MILLISECONDS = 200
const CLEAR = '\r\u001B[K'

/** Shows where a payment stands while somebody waits for it. */
export interface ProgressLine {
  look(payment: Pick<PaymentRecord, 'status'>): void
  /** Ends it; nothing is left half written. */
  end(): void
}

/**
 * A line per status that was reached, with the seconds since the start; on a terminal the present one counts on.
 * `after`: milliseconds that had passed before.
 */
export function openProgressLine(
  { note, terminal = false }: Pick<CommandContext, 'note' | 'terminal'>,
  startedAt: number,
): ProgressLine {
  let status = ''
  const line = () => {
    const seconds = Math.max(0, Date.now() - startedAt) / 1000
    return `${status.padEnd('confirmed'.length)}  ${seconds.toFixed(1).padStart(5)} s`
  }
  const draw = () => note(`${CLEAR}${line()}`)
  const timer = terminal ? setInterval(draw, TICK_MILLISECONDS) : undefined
  return {
    look: (payment) => {
      if (payment.status === status) return
      if (terminal && status !== '') note('\n')
      status = payment.status
      if (terminal) draw()
      else note(`${line()}\n`)
    },
    end: () => {
      if (timer === undefined) return
      clearInterval(timer)
      if (status !== '') note('\n')
    },
  }
}

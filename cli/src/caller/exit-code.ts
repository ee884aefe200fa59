/** What the commands of a caller end with; docs/guides/command-line.md lists them. 2 is a wrong command line. */
export const EXIT = {
  done: 0,
  /** Refused, or impossible: nothing has moved. */
  refused: 1,
  /** Under way, or nobody knows: never a reason to pay again under another key. */
  open: 3,
  /** The payment failed or expired: the money did not move and cannot move any more. */
  ended: 4,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

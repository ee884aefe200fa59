/** The places where tests end the process with SIGKILL, in the order in which a payment passes them, a deposit, and the release of a lane. */
export const KILL_POINTS = [
  'build.before-commit',
  'build.after-commit',
  'fetch.before-commit',
  'fetch.after-commit',
  'fetch.after-seller',
  'submit.before-commit',
  'submit.after-commit',
  'submit.after-node',
  'approval.after-store',
  'approval.after-node',
  'claim.before-commit',
  'claim.after-commit',
  'send.before-transaction',
  'send.before-commit',
  'send.after-commit',
  'broadcast.before-node',
  'broadcast.after-node',
  'broadcast.after-verdict',
  'send.before-answer',
  'bump.before-commit',
  'bump.after-commit',
  'rebuild.before-commit',
  'rebuild.after-commit',
  'follow.before-commit',
  'follow.after-commit',
  'settle.before-commit',
  'settle.after-commit',
  'deposit.before-commit',
  'deposit.after-commit',
  'deposit.before-settle',
  'deposit.after-settle',
  'release.before-commit',
  'release.after-commit',
  'release.after-node',
] as const
export type KillPoint = (typeof KILL_POINTS)[number]

const PASSES_MAX = 1_000_000

/** Dies at the nth pass of one named point: `FLORIN_KILL_POINT=send.after-commit:1`. */
export function killPointsFrom(setting: string | undefined): (point: KillPoint) => void {
  if (setting === undefined || setting === '') return () => undefined
  const [name = '', nth = '1'] = setting.split(':')
  const target = KILL_POINTS.find((point) => point === name)
  const pass = Number(nth)
  if (target === undefined || !Number.isInteger(pass) || pass < 1 || pass > PASSES_MAX) {
    throw new Error(`FLORIN_KILL_POINT names no kill point: ${name}`)
  }
  let passes = 0
  return (point) => {
    if (point !== target) return
    passes += 1
    if (passes === pass) process.kill(process.pid, 'SIGKILL')
  }
}

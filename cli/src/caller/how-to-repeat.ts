/**
 * The next step after a doubt, for a terminal: the key is the one that the command went out under, given or made. `from`: the wallet that the
 * command chose by itself, which a repeat might not choose again.
 */
export function howToRepeat(idempotencyKey: string, from?: string): string {
  const wallet = from === undefined ? '' : ` --from ${from}`
  return `Run the same command with --idempotency-key ${idempotencyKey}${wallet}: that never pays twice.`
}

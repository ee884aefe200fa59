/** The next step after a doubt, for a terminal: the key is the one that the command went out under, given or made. */
export function howToRepeat(idempotencyKey: string): string {
  return `Run the same command with --idempotency-key ${idempotencyKey}: that never pays twice.`
}

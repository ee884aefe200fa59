import type { PaywallSettings } from './price.ts'

/** Tells the seller of what is no buyer's business. Never throws. */
export async function tellProblem(
  { onProblem }: Pick<PaywallSettings, 'onProblem'>,
  code: string,
  cause?: unknown,
): Promise<void> {
  try {
    const told: unknown = onProblem?.(code, cause)
    await told
  } catch {
    // There is nobody left to tell.
  }
}

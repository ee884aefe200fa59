import { Refusal } from '@florin/wire/errors.ts'
import { PLANS } from '../kernel/caller.ts'
import type { Caller, Plan, Scope } from '../kernel/caller.ts'

/**
 * Whether a caller may use an operation: its plan, or a higher one, and exactly its scope; no scope includes another.
 * Throws Refusal FORBIDDEN that names what is missing.
 */
export function permit(
  caller: Caller,
  { needs }: { readonly needs: { readonly scope: Scope; readonly plan: Plan } | null },
): void {
  if (needs === null) return
  const { plan, scope } = needs
  if (PLANS.indexOf(caller.plan) < PLANS.indexOf(plan)) {
    throw new Refusal('FORBIDDEN', { details: { plan: `needs ${plan}` } })
  }
  if (!caller.scopes.has(scope)) {
    throw new Refusal('FORBIDDEN', { details: { scope: `needs ${scope}` } })
  }
}

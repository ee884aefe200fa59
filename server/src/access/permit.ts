import type { Needs } from '@florin/wire/endpoint.ts'
import { Refusal } from '@florin/wire/errors.ts'
import { PLANS } from '../kernel/caller.ts'
import type { KeyHolder } from './key-holder.ts'

/**
 * Whether the holder of a key may use an operation: exactly its scope, no scope includes another; and a plan that includes it, which is
 * what the plan's exceptions say, else the plan of its row or a higher one. Throws Refusal FORBIDDEN naming what is missing.
 */
export function permit(
  holder: Pick<KeyHolder, 'plan' | 'scopes' | 'exceptions'>,
  operation: {
    readonly id: string
    readonly needs: Needs | null
  },
): void {
  const { id, needs } = operation
  if (needs === null) return
  if ('session' in needs) {
    throw new Refusal('FORBIDDEN', { details: { session: 'no key opens this, only a session' } })
  }
  const { plan, scope } = needs
  const exception = holder.exceptions.get(id)
  const byRank = PLANS.indexOf(holder.plan) >= PLANS.indexOf(plan)
  if (!(exception ?? byRank)) {
    const details = { plan: byRank ? `${holder.plan} does not include ${id}` : `needs ${plan}` }
    throw new Refusal('FORBIDDEN', { details })
  }
  if (!holder.scopes.has(scope)) {
    throw new Refusal('FORBIDDEN', { details: { scope: `needs ${scope}` } })
  }
}

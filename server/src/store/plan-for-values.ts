import type { Tx } from './postgres.ts'

/**
 * Has the statements behind it in a transaction planned for their very values. For lists whose conditions may be left out: one plan for all values
 * would go through everything that there is.
 */
export async function planForValues(tx: Tx): Promise<void> {
  await tx.query('plan_for_values', 'set local plan_cache_mode = force_custom_plan')
}

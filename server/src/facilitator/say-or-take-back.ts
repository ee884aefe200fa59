import type { Given } from './give.ts'
import type { Settled } from './settling.ts'

/**
 * Makes the words of a success that has been taken. When that fails nobody hears of it, so it is taken back: the same call may have it.
 * What failed is thrown on, whatever became of the taking back.
 */
export async function sayOrTakeBack<Said>(
  { takeBack }: Pick<Extract<Given, { kind: 'given' }>, 'takeBack'>,
  say: () => Promise<Said>,
): Promise<Said> {
  try {
    return await say()
  } catch (error) {
    // The first failure says more; a success that could not be taken back counts as given.
    await takeBack().catch(() => undefined)
    throw error
  }
}

/** The same of whatever became of a settlement: only a success has anything to take back. */
export async function saySettled<Said>(settled: Settled, say: () => Said): Promise<Said> {
  return settled.kind === 'settled' ? sayOrTakeBack(settled, async () => say()) : say()
}

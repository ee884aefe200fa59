import { openTurns } from './turns.ts'

/**
 * Does it for each, in their order and so many at once, until it `isOver`. Throws the first failure when everything that was begun has
 * ended; what had not begun by then is left.
 */
export async function eachInTurn<Item>(
  items: readonly Item[],
  max: number,
  isOver: () => boolean,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const inTurn = openTurns(max)
  const failures: unknown[] = []
  const one = async (item: Item) => {
    if (failures.length > 0 || isOver()) return
    try {
      await work(item)
    } catch (error) {
      failures.push(error)
    }
  }
  await Promise.all(items.map((item) => inTurn(() => one(item))))
  if (failures.length > 0) throw failures[0]
}

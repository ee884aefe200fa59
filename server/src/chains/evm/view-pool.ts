import type { Clock } from '../../kernel/clock.ts'
import { shareCalls } from '../json-rpc/share-calls.ts'
import type { Transport } from '../json-rpc/transport.ts'
import { readViewsAt } from './multicall.ts'
import type { View } from './multicall.ts'

/** Views in one `eth_call`: some 10,000 gas each, far below what any node allows a call. */
const VIEWS_PER_CALL_MAX = 200

/** Reads views of whoever asks at the same moment in shared calls. */
export interface ViewPool {
  /** One value per view, all of one asker at one block. Throws NodeFailure. */
  read(views: readonly View[]): Promise<readonly bigint[]>
}

/**
 * Only views may share a call: each with its own `absent` value, so that one asker's failing view spoils nobody else's answer, and
 * none that runs code of a payer's choice. Which block they are read at is found once for each call.
 */
export function openViewPool(
  transport: Pick<Transport, 'read'>,
  clock: Pick<Clock, 'sleep'>,
  block: () => Promise<string> = async () => 'latest',
): ViewPool {
  async function ask(
    askers: readonly (readonly View[])[],
  ): Promise<readonly (readonly bigint[])[]> {
    // What is one and the same object is asked once: the time of the block, above all.
    const places = new Map<View, number>()
    const views: View[] = []
    const placesOf = askers.map((asked) =>
      asked.map((view) => {
        const known = places.get(view)
        if (known !== undefined) return known
        places.set(view, views.length)
        return views.push(view) - 1
      }),
    )
    const asked = readViewsAt(views, await block())
    const values = await transport.read({ ...asked, isUnique: true, hasGathered: true })
    return placesOf.map((all) => all.map((place) => valueAt(values, place)))
  }

  const sizeOf = (views: readonly View[]): number => views.length
  return { read: shareCalls({ clock, sizeOf, callSizeMax: VIEWS_PER_CALL_MAX, ask }) }
}

function valueAt(values: readonly bigint[], place: number): bigint {
  const value = values[place]
  if (value === undefined) throw new Error('a view without a value')
  return value
}

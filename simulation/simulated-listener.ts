import type { Listener } from '@florin/server/store/listen.ts'
import type { Steps } from './steps.ts'

/** What one life of an instance hears of commits, its own and others'. */
export interface SimulatedListener extends Listener {
  /** Lets the instance hear of a name, when the world takes that step. */
  tell(name: string): void
}

export function openSimulatedListener(actor: string, steps: Steps): SimulatedListener {
  const callbacks = new Set<(name: string) => void>()
  return {
    onChanged: (callback) => {
      callbacks.add(callback)
      return () => void callbacks.delete(callback)
    },
    stop: async () => undefined,
    tell: (name) => {
      const effect = () => callbacks.forEach((callback) => callback(name))
      void steps.ask({ actor, kind: 'wake', label: '', effect })
    },
  }
}

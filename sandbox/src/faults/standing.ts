import type { EvmOwnFault, Failure, StandingFault } from './fault.ts'

/** What is to happen to one call. */
export interface Treatment {
  readonly delayMilliseconds: number
  /** How many blocks behind the newest the call is answered. */
  readonly lagBlocks: number
  readonly end:
    | { readonly kind: 'pass' | 'drop' | 'hang' }
    | { readonly kind: 'fail'; readonly forward: boolean; readonly answer: Failure }
}

export interface StandingFaults {
  add(fault: AnyStanding): void
  clear(): void
  list(): readonly AnyStanding[]
  /** How every request fails now, if so. */
  down(): 'http-500' | 'connection-reset' | undefined
  /** Decides about one call and counts it: delays add up, the first other fault in reach decides. */
  treat(method: string): Treatment
}

type AnyStanding = StandingFault | EvmOwnFault

/** Methods that hand a transaction over, of either chain. */
const SENDS = new Set(['eth_sendRawTransaction', 'sendTransaction'])

interface Entry {
  fault: AnyStanding
  left: number
}

export function openStandingFaults(): StandingFaults {
  let entries: Entry[] = []

  const treat = (method: string): Treatment => {
    let delayMilliseconds = 0
    let lagBlocks = 0
    let end: Treatment['end'] = { kind: 'pass' }
    for (const entry of entries) {
      const { fault } = entry
      if (!reaches(fault, method)) continue
      if (fault.kind === 'delay') delayMilliseconds += fault.milliseconds
      else if (fault.kind === 'lag') lagBlocks = Math.max(lagBlocks, fault.blocks)
      else if (end.kind === 'pass') end = fault.kind === 'down' ? end : fault
      else continue
      entry.left -= 1
    }
    entries = entries.filter((entry) => entry.left > 0)
    return { delayMilliseconds, lagBlocks, end }
  }

  return {
    add: (fault) => {
      entries.push({ fault, left: countOf(fault) })
    },
    clear: () => {
      entries = []
    },
    list: () =>
      entries.map(({ fault, left }) =>
        Number.isFinite(left) && fault.kind !== 'down' ? { ...fault, count: left } : fault,
      ),
    down: () => entries.map(({ fault }) => fault).find((fault) => fault.kind === 'down')?.how,
    treat,
  }
}

function countOf(fault: AnyStanding): number {
  return fault.kind === 'down' ? Infinity : (fault.count ?? Infinity)
}

function reaches(fault: AnyStanding, method: string): boolean {
  switch (fault.kind) {
    case 'drop':
      return SENDS.has(method)
    case 'down':
      return false
    case 'delay':
    case 'hang':
    case 'fail':
    case 'lag':
      return fault.methods?.includes(method) ?? true
    default:
      return fault satisfies never
  }
}

import { cpus } from 'node:os'
import type { Usage } from './processes.ts'

/**
 * What a load could reach at most with nobody else on the machine, by the CPU that one operation takes of everybody in it and of the
 * service's one thread: what counts on a machine that others use, too. CPU time itself grows when cores are shared, so it is a low bound
 * of that most.
 */
export function mostAlone(perSecond: number, cores: Usage): number {
  const { service, postgres, chains, callers } = cores
  const ours = service + postgres + chains + callers
  return Math.min(perSecond / service, (perSecond / ours) * cpus().length)
}

/** From this share on a core counts as used up. */
const FULL = 0.9

/** Says in words what kept a load from going faster: the cores, and whose they were. */
export function limitOf(cores: Usage): string {
  const { service, postgres, chains, callers, others, idle } = cores
  const parts = { service, postgres, chains, callers, others }
  const told = Object.entries(parts)
    .filter(([, used]) => used >= 0.05)
    .sort(([, one], [, other]) => other - one)
    .map(([name, used]) => `${name} ${used.toFixed(2)}`)
    .join(', ')
  const count = cpus().length
  if (idle < count * (1 - FULL)) return `all ${count} cores are busy: ${told}`
  if (service > FULL) return `the service's one thread: ${told}`
  return `waiting, ${idle.toFixed(2)} cores are idle: ${told}`
}

import { cpus } from 'node:os'
import type { Usage } from './processes.ts'

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

import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { listProcesses } from './processes.ts'
import type { ProcessFacts } from './processes.ts'

/** The processes of one data directory. `backends` outlive a killed postmaster for a moment. */
export interface ClusterProcesses {
  readonly postmaster: ProcessFacts | undefined
  readonly backends: readonly ProcessFacts[]
}

/** The name that every backend of a data directory carries in its title. */
export function clusterName(cluster: string): string {
  return `florin-${createHash('sha256').update(cluster).digest('hex').slice(0, 16)}`
}

/** A pid alone proves nothing: the binary and the data directory must fit as well. */
function isPostmasterOf(facts: ProcessFacts, cluster: string): boolean {
  const { words, executable, workingDirectory } = facts
  if (basename(executable ?? words[0] ?? '') !== 'postgres') return false
  if (basename(words[0] ?? '') !== 'postgres') return false
  const flag = words.indexOf('-D')
  if (flag === -1) return false
  return (
    words
      .slice(flag + 1)
      .join(' ')
      .startsWith(cluster) || workingDirectory === cluster
  )
}

/** A backend has renamed itself to `postgres: <cluster name>: <what it does>`. */
function isBackendOf(facts: ProcessFacts, cluster: string): boolean {
  const { words, executable, workingDirectory } = facts
  if (basename(executable ?? 'postgres') !== 'postgres') return false
  const title = words.join(' ')
  if (!title.startsWith('postgres: ')) return false
  return title.startsWith(`postgres: ${clusterName(cluster)}: `) || workingDirectory === cluster
}

/** Looks for whatever still runs on a data directory. */
export async function findClusterProcesses(cluster: string): Promise<ClusterProcesses> {
  const all = await listProcesses()
  return {
    postmaster: all.find((facts) => isPostmasterOf(facts, cluster)),
    backends: all.filter((facts) => isBackendOf(facts, cluster)),
  }
}

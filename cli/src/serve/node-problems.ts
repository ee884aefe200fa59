import { inspectNodes } from '@florin/server/chains/inspect.ts'
import type { NodeReport } from '@florin/server/chains/inspect.ts'
import type { Clock } from '@florin/server/kernel/clock.ts'
import type { NetworkConfig } from '@florin/server/kernel/network-config.ts'
import { addressProblems } from './network-problems.ts'
import type { Problem } from './problem.ts'

/** A node that takes longer at the start counts as silent; it is asked again while the service runs. */
const CALL_SECONDS = 5

/**
 * Asks every node who it is. A wrong answer is a problem; silence is none, since it may be over in a minute. A network of which no node can be
 * read from is one; a node that is only behind others, or beside one that may be right when it answers, is none.
 */
export async function findNodeProblems(
  networks: readonly NetworkConfig[],
  clock: Clock,
): Promise<{ readonly problems: readonly Problem[]; readonly reports: readonly NodeReport[] }> {
  const asked = networks.map((config) =>
    inspectNodes({
      config,
      clock,
      callSeconds: CALL_SECONDS,
      // An address that is refused anyway may hold a key, and the way there may be overheard.
      mayAsk: (node) => addressProblems(config, node).length === 0,
    }),
  )
  const reports = (await Promise.all(asked)).flat()
  const readable = new Set(
    reports.filter(({ finding }) => finding.kind !== 'unfit').map(({ network }) => network),
  )
  const problems = reports.flatMap(({ network, node, host, finding }) => {
    const name = `Node ${node} of ${network} (${host})`
    if (finding.kind === 'wrong') {
      const next = 'Correct its address in the networks file.'
      return [{ what: `${name} is the wrong one: ${finding.reason}.`, next }]
    }
    if (finding.kind !== 'unfit' || readable.has(network)) return []
    const next =
      'Wait until the node has caught up with its chain; a chain without it has to be left out of the networks file.'
    return [{ what: `${name} cannot be read from: ${finding.reason}.`, next }]
  })
  return { problems, reports }
}

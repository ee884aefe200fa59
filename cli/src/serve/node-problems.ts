import { inspectNodes } from '@florin/server/chains/inspect.ts'
import type { NodeReport } from '@florin/server/chains/inspect.ts'
import type { Clock } from '@florin/server/kernel/clock.ts'
import type { NetworkConfig } from '@florin/server/kernel/network-config.ts'
import { addressProblems } from './network-problems.ts'
import type { Problem } from './problem.ts'

/** A node that takes longer at the start counts as silent; it is asked again while the service runs. */
const CALL_SECONDS = 5

/** Asks every node who it is. A wrong answer is a problem; silence is none, since it may be over in a minute. */
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
  const problems = reports.flatMap(({ network, node, host, finding }) =>
    finding.kind === 'wrong'
      ? [
          {
            what: `Node ${node} of ${network} (${host}) is the wrong one: ${finding.reason}.`,
            next: 'Correct its address in the networks file.',
          },
        ]
      : [],
  )
  return { problems, reports }
}

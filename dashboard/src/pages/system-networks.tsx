import type { Answer } from '../api/operation.ts'
import { useDeed } from '../api/use-deed.ts'
import { countText } from '../format/count-text.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Card } from '../parts/card.tsx'
import { ErrorPanel } from '../parts/error-panel.tsx'
import { Facts } from '../parts/facts.tsx'

type Network = Answer<'GET /operator/networks'>['networks'][number]

const height = (value: number | null) => (value === null ? 'not known' : value.toLocaleString('en'))

/** Each network with its nodes, how far it was followed, and the way to let it go on. */
export function SystemNetworks({ networks }: { networks: readonly Network[] }) {
  const release = useDeed('POST /operator/networks/release', {
    refreshes: ['GET /operator/networks'],
  })
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      {networks.map((network) => (
        <Card key={network.network} title={network.name} actions={<Standing network={network} />}>
          <Facts
            facts={[
              {
                name: 'Network',
                value: <span className="font-mono text-[0.8125rem]">{network.network}</span>,
              },
              ...(network.halted === null
                ? []
                : [
                    {
                      name: 'Stopped',
                      value: (
                        <span className="flex flex-wrap items-center gap-2">
                          {network.halted}
                          <Button
                            busy={release.isPending}
                            onClick={() => release.mutate({ body: { network: network.network } })}
                          >
                            Release network
                          </Button>
                        </span>
                      ),
                    },
                  ]),
              { name: 'Followed up to', value: height(network.height) },
              { name: 'Final up to', value: height(network.finalizedHeight) },
              {
                name: 'Behind by',
                value: network.lag === null ? 'not known' : countText(network.lag, 'block'),
              },
              { name: 'Final by', value: network.finality },
              ...network.nodes.map((node) => ({
                name: `Node ${node.node}`,
                value: (
                  <span className="flex flex-wrap items-center gap-x-2">
                    <Badge tone={node.state === 'ok' ? 'good' : 'warn'}>{node.state}</Badge>
                    <span className="break-all">{node.host}</span>
                    <span className="text-soft">
                      {node.reason ?? (node.height === null ? '' : `at ${height(node.height)}`)}
                    </span>
                  </span>
                ),
              })),
            ]}
          />
          {release.error === null ? null : <ErrorPanel error={release.error} />}
        </Card>
      ))}
    </div>
  )
}

function Standing({ network: { halted, following } }: { network: Network }) {
  if (halted !== null) return <Badge tone="bad">stopped</Badge>
  return following ? <Badge tone="good">followed</Badge> : <Badge tone="warn">not followed</Badge>
}

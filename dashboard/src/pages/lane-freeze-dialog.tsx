import { useDeed } from '../api/use-deed.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { ErrorPanel } from '../parts/error-panel.tsx'
import { Facts } from '../parts/facts.tsx'
import { Short } from '../parts/short.tsx'
import { NetworkName } from './network-name.tsx'

/** The lane of a key on a network. */
export interface LaneName {
  readonly network: string
  readonly address: string
}

/** What shows lanes, and is read again when one changes. */
export const LANE_READS = ['GET /operator/lanes', 'GET /operator/facilitator-keys'] as const

/** Asks before a key of those that pay for settlements signs nothing more, and says what that means. */
export function FreezeLaneDialog({
  lane: { network, address },
  onClose,
}: {
  lane: LaneName
  onClose: () => void
}) {
  const freeze = useDeed('POST /operator/lanes/freeze', { refreshes: LANE_READS, onDone: onClose })
  return (
    <Dialog
      title="Freeze this lane?"
      onClose={onClose}
      actions={
        <Button
          kind="danger"
          busy={freeze.isPending}
          onClick={() =>
            freeze.mutate({ body: { network, address, reason: 'frozen on the dashboard' } })
          }
        >
          Freeze lane
        </Button>
      }
    >
      <p>
        The key signs nothing new on <NetworkName id={network} /> until its lane is released. What
        it has signed goes on. Other fee payers settle in its place; with none left on the network,
        settling is refused.
      </p>
      <Facts
        facts={[
          { name: 'Fee payer', value: <Short text={address} what="address" /> },
          { name: 'Network', value: <NetworkName id={network} /> },
        ]}
      />
      {freeze.error === null ? null : <ErrorPanel error={freeze.error} />}
    </Dialog>
  )
}

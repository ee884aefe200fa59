import { useDeed } from '../api/use-deed.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Card } from '../parts/card.tsx'
import { ErrorPanel } from '../parts/error-panel.tsx'
import { NetworkName } from './network-name.tsx'

/** Holds books and chains against every rule, when somebody asks. */
export function SystemDoctor() {
  const doctor = useDeed('POST /operator/system/doctor')
  const report = doctor.data
  return (
    <Card
      title="Doctor"
      actions={
        <Button busy={doctor.isPending} onClick={() => doctor.mutate({})}>
          Run doctor
        </Button>
      }
    >
      <div aria-live="polite" className="space-y-3">
        {doctor.error === null ? null : <ErrorPanel error={doctor.error} />}
        {report === undefined ? (
          <p className="text-soft">
            It reads every balance from the chains and compares it with the books. Nothing is
            changed.
          </p>
        ) : (
          <>
            <p>
              {report.sound ? (
                <Badge tone="good">sound</Badge>
              ) : (
                <Badge tone="bad">needs a look</Badge>
              )}{' '}
              {report.sound ? (
                'Every rule holds, and every chain was asked.'
              ) : (
                <>
                  Read{' '}
                  <a
                    href="/docs/operating/doctor"
                    className="font-medium underline"
                    target="_blank"
                    rel="noreferrer"
                  >
                    what to do about each finding
                  </a>
                  .
                </>
              )}
            </p>
            <ul className="list-disc space-y-1 pl-5">
              {report.findings.map(({ invariant, subject }) => (
                <li key={`${invariant} ${subject}`} className="break-words">
                  {invariant}: <span className="font-mono text-[0.8125rem]">{subject}</span>
                </li>
              ))}
              {report.unasked.map((network) => (
                <li key={network} className="break-words">
                  Not asked: <NetworkName id={network} />
                </li>
              ))}
              {report.notTaken.map((what) => (
                <li key={what} className="break-words">
                  Configured and not taken: {what}
                </li>
              ))}
              {report.clocks.map((what) => (
                <li key={what} className="break-words">
                  The clock is off: {what}
                </li>
              ))}
              {report.lookAt.map(({ network, address, nonce, hash }) => (
                <li key={hash} className="break-all">
                  <NetworkName id={network} />, {address}, {wordsOf(nonce, hash)}
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </Card>
  )
}

function wordsOf(nonce: string, hash: string): string {
  if (nonce === 'deposit') return `deposit: no node tells what ${hash} brought.`
  if (nonce === 'build') return `build: nobody tells what ${hash} did.`
  if (nonce === 'purchase')
    return `purchase: the nodes contradict each other whether ${hash} failed.`
  return `place ${nonce}: nodes have found ${hash}, and no followed block holds it.`
}

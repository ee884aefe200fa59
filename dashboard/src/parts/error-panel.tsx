import { isSaid } from '@florin/wire/refusal-sentence.ts'
import { ApiError } from '../api/api-error.ts'
import { Button } from './button.tsx'
import { CopyButton } from './copy-button.tsx'
import { Icon } from './icon.tsx'

/** What went wrong: the code, its sentence, the fields that are to blame, the page that helps and the request to ask about. */
export function ErrorPanel({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const known = error instanceof ApiError ? error : undefined
  const [docs, requestId] = [known?.docs ?? null, known?.requestId ?? null]
  const faults = Object.entries(known?.details ?? {}).filter(
    (each): each is [string, string] =>
      typeof each[1] === 'string' && !isSaid(known?.message ?? '', each[0], each[1]),
  )
  return (
    <div role="alert" className="flex gap-3 rounded-lg border border-bad bg-bad-ground p-4">
      <span className="text-bad">
        <Icon name="alert" />
      </span>
      <div className="min-w-0 grow space-y-1.5">
        <p>
          <strong className="font-mono text-[0.8125rem] text-bad">{known?.code ?? 'ERROR'}</strong>{' '}
          {known?.message ?? 'Something in this page failed.'}
        </p>
        {faults.length === 0 ? null : (
          <ul className="list-disc pl-5">
            {faults.map(([field, rule]) => (
              <li key={field} className="break-words">
                <span className="font-mono text-[0.8125rem]">{field}</span>: {rule}
              </li>
            ))}
          </ul>
        )}
        <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
          {docs === null ? null : (
            <a href={docs} className="font-medium underline" target="_blank" rel="noreferrer">
              What to do about {known?.code}
            </a>
          )}
          {requestId === null ? null : (
            <span className="inline-flex items-center gap-1 text-soft">
              Request <span className="font-mono text-[0.8125rem]">{requestId}</span>
              <CopyButton text={requestId} what="request id" />
            </span>
          )}
          {onRetry === undefined ? null : <Button onClick={onRetry}>Try again</Button>}
        </div>
      </div>
    </div>
  )
}

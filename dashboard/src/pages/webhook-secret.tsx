import { CopyButton } from '../parts/copy-button.tsx'

/** What signs the requests of a webhook, for the one time that it can be seen. */
export function WebhookSecret({ secret }: { secret: string | null }) {
  if (secret === null) return <p>This secret signs no more. Rotate it to have a new one.</p>
  return (
    <div className="space-y-3">
      <p>
        Copy the secret now: nobody can show it again. Your endpoint checks with it that a request
        comes from here.
      </p>
      <div className="flex items-center gap-2 rounded-md border border-line bg-raised p-3">
        <code data-testid="webhook-secret" className="grow font-mono text-[0.8125rem] break-all">
          {secret}
        </code>
        <CopyButton text={secret} what="secret" />
      </div>
    </div>
  )
}

import { CopyButton } from '../parts/copy-button.tsx'

/** A new key, for the one time that it can be seen. */
export function KeyShownOnce({ text }: { text: string | null }) {
  if (text === null) {
    return <p>This key was made before and cannot be shown again. Generate another one.</p>
  }
  return (
    <div className="space-y-3">
      <p>Copy it now: it is not kept, and nobody can show it again.</p>
      <div className="flex items-center gap-2 rounded-md border border-line bg-raised p-3">
        <code data-testid="new-key" className="grow font-mono text-[0.8125rem] break-all">
          {text}
        </code>
        <CopyButton text={text} what="key" />
      </div>
    </div>
  )
}

import { CopyButton } from './copy-button.tsx'

/** Code to take along. `what` names it, for the button as well: "Copy curl command". */
export function CodeBlock({ code, what }: { code: string; what: string }) {
  return (
    <div className="overflow-hidden rounded-md border border-line bg-raised">
      <div className="flex items-center justify-between border-b border-line py-1 pr-2 pl-3 text-soft">
        <span>{what}</span>
        <CopyButton text={code} what={what} />
      </div>
      <pre
        tabIndex={0}
        role="region"
        aria-label={what}
        className="p-3 font-mono text-[0.8125rem] leading-relaxed wrap-anywhere whitespace-pre-wrap focus-visible:-outline-offset-2"
      >
        {code}
      </pre>
    </div>
  )
}

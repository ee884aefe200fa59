import { CopyButton } from './copy-button.tsx'

/** Code to take along. `what` names it for the button: "Copy curl command". */
export function CodeBlock({ code, what }: { code: string; what: string }) {
  return (
    <div className="relative">
      <pre
        tabIndex={0}
        aria-label={what}
        className="overflow-x-auto rounded-md border border-line bg-raised p-3 pr-12 font-mono text-[0.8125rem] leading-relaxed"
      >
        {code}
      </pre>
      <div className="absolute top-2 right-2 rounded bg-raised">
        <CopyButton text={code} what={what} />
      </div>
    </div>
  )
}

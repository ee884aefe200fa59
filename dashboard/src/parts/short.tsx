import { shortText } from '../format/short-text.ts'
import { CopyButton } from './copy-button.tsx'

/** An address, a hash or an id: its two ends, the whole on the clipboard. `what` is its kind: "address". */
export function Short({ text, what }: { text: string; what: string }) {
  return (
    <span className="inline-flex items-center gap-1 whitespace-nowrap">
      <span className="font-mono text-[0.8125rem]" title={text}>
        {shortText(text)}
      </span>
      <CopyButton text={text} what={what} />
    </span>
  )
}

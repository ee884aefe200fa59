import { useEffect, useState } from 'react'
import { copyText } from '../format/copy-text.ts'
import { Icon } from './icon.tsx'

const SHOWN_MILLISECONDS = 1_500

/** Copies a text. Its name says what is copied: "Copy address". */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return undefined
    const timer = setTimeout(() => setCopied(false), SHOWN_MILLISECONDS)
    return () => clearTimeout(timer)
  }, [copied])
  return (
    <>
      <button
        type="button"
        aria-label={`Copy ${what}`}
        title={`Copy ${what}`}
        onClick={() => {
          void copyText(text).then(setCopied)
        }}
        // Its icon, not its edge, stands where the line ends.
        className="-mr-1 inline-flex size-6 shrink-0 items-center justify-center rounded text-soft hover:bg-raised hover:text-ink"
      >
        <Icon name={copied ? 'check' : 'copy'} className="size-4" />
      </button>
      {/* Beside the button: what stands in one is its name to a screen reader, and no message. */}
      <span role="status" className="sr-only">
        {copied ? 'Copied' : ''}
      </span>
    </>
  )
}

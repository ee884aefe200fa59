import { useMemo } from 'react'
import { encode } from 'uqr'

/** Light modules around the code that readers need. Source: ISO/IEC 18004, 6.3.8. */
const BORDER_MODULES = 4

/** A text for cameras: dark on white in either theme, because many readers know nothing else. `what` is what it holds: "address". */
export function QrCode({ text, what }: { text: string; what: string }) {
  const { size, path } = useMemo(() => {
    const code = encode(text, { ecc: 'M', border: BORDER_MODULES })
    const dark = code.data.flatMap((row, y) =>
      row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
    )
    return { size: code.size, path: dark.join('') }
  }, [text])
  return (
    <svg
      role="img"
      aria-label={`QR code of the ${what} ${text}`}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="size-44 rounded-md border border-line bg-[#fff]"
    >
      <path d={path} fill="#000" />
    </svg>
  )
}

/** The sign and the name. */
export function Brand() {
  return (
    <span className="inline-flex items-center gap-2 text-base font-semibold">
      <svg viewBox="0 0 32 32" aria-hidden="true" className="size-7">
        <rect width="32" height="32" rx="8" className="fill-[#0f766e]" />
        <path d="M11 8h11v3.4h-7v3.2h6v3.3h-6V24h-4z" className="fill-[#fff]" />
      </svg>
      Florin
    </span>
  )
}

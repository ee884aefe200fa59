/** Drawn on a grid of 20, by a line of 1.5. */
const PATHS = {
  overview: 'M3 10h4l2-6 3 12 2-6h3',
  payments: 'M4 7h11m0 0-3-3m3 3-3 3M16 13H5m0 0 3 3m-3-3 3-3',
  keys: 'M12.5 7.5a4 4 0 1 0-3.8 4l1.3-1.3h2v-2h1M6.6 10.2 3 13.8V17h3v-2h2l1-1',
  wallets:
    'M3 6.5A1.5 1.5 0 0 1 4.5 5H15v3M3 6.5V15a1.5 1.5 0 0 0 1.5 1.5H17V8H4.5A1.5 1.5 0 0 1 3 6.5ZM13.5 12h.5',
  x402: 'M10 3 4 6v4c0 3.5 2.5 6 6 7 3.5-1 6-3.5 6-7V6l-6-3Zm-2.5 7 2 2 3.5-4',
  webhooks:
    'M7 13a3 3 0 1 0 3 2.5h4M8 8.5A3 3 0 1 1 12.5 6L11 8.5M12 12l2 .5a3 3 0 1 1-1 4M8.5 8 6 12.5',
  events: 'M4 5h.01M8 5h8M4 10h.01M8 10h8M4 15h.01M8 15h5',
  trading: 'M3 15l4-5 3 3 6-8m0 0h-4m4 0v4',
  usage: 'M4 16V9m4 7V5m4 11v-5m4 5V8',
  settings: 'M4 6h7m4 0h1M4 14h1m4 0h7M13 4v4M7 12v4',
  accounts:
    'M8 9a3 3 0 1 0 0-6 3 3 0 0 0 0 6Zm-5 8c0-3 2-5 5-5s5 2 5 5m0-13.5a3 3 0 0 1 0 5M15 12c1.5.7 2.5 2.5 2.5 5',
  plans: 'M10 3 3 6.5l7 3.5 7-3.5L10 3ZM3 10l7 3.5 7-3.5M3 13.5 10 17l7-3.5',
  audit: 'M10 17a7 7 0 1 0-7-7m0 0V6m0 4h4M10 6v4l3 2',
  system: 'M4 4h12v5H4V4Zm0 7h12v5H4v-5Zm3-4.5h.01M7 13.5h.01',
  menu: 'M3 6h14M3 10h14M3 14h14',
  close: 'M5 5l10 10M15 5 5 15',
  copy: 'M7 7V4h9v9h-3M4 7h9v9H4V7Z',
  check: 'M4 10.5l4 4 8-9',
  alert: 'M10 4 3 16h14L10 4Zm0 5v3m0 2v.01',
  sun: 'M10 6.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7ZM10 2v1.5M10 16.5V18M2 10h1.5M16.5 10H18M4.5 4.5l1 1M14.5 14.5l1 1M15.5 4.5l-1 1M5.5 14.5l-1 1',
  moon: 'M16 12a6.5 6.5 0 0 1-8-8 6.5 6.5 0 1 0 8 8Z',
  out: 'M8 4H4v12h4M8 10h9m0 0-3-3m3 3-3 3',
  more: 'M8 5l5 5-5 5',
  plus: 'M10 4v12M4 10h12',
} as const

export type IconName = keyof typeof PATHS

/** A small drawing beside a word that says the same: nothing for a screen reader. */
export function Icon({ name, className = 'size-5' }: { name: IconName; className?: string }) {
  return (
    <svg
      viewBox="0 0 20 20"
      aria-hidden="true"
      className={`shrink-0 fill-none stroke-current stroke-[1.5] ${className}`}
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={PATHS[name]} />
    </svg>
  )
}

/** Operations that belong together in the reference, by how their paths begin; the first that fits counts. */
export interface Group {
  readonly id: string
  readonly title: string
  readonly says: string
  readonly paths: RegExp
}

export const GROUPS: readonly Group[] = [
  {
    id: 'payments',
    title: 'Payments',
    says: 'Pay from wallets that the service holds, be paid, and see what became of it.',
    paths: /^\/(v1\/)?payments?(\/|$)/,
  },
  {
    id: 'transactions',
    title: 'Transactions',
    says: 'Self-custody: the service builds, your own wallet signs.',
    paths: /^\/transaction\//,
  },
  {
    id: 'wallets',
    title: 'Wallets',
    says: 'Keys that the service holds, their balances and their spending policies.',
    paths: /^\/wallets/,
  },
  {
    id: 'addresses',
    title: 'Receiving addresses',
    says: 'Addresses of your own that payments may be claimed for by your account alone.',
    paths: /^\/addresses/,
  },
  {
    id: 'x402',
    title: 'Facilitator',
    says: 'Verify and settle x402 payments in the words of the protocol.',
    paths: /^\/x402\//,
  },
  {
    id: 'trading',
    title: 'Trading',
    says: 'Buy and sell tokens, and read what they are worth.',
    paths: /^\/(trade|tokens?|portfolio)(\/|$)/,
  },
  {
    id: 'events',
    title: 'Events and webhooks',
    says: 'Hear of what happens instead of asking.',
    paths: /^\/(events|webhooks)/,
  },
  {
    id: 'account',
    title: 'Overview and usage',
    says: 'How the account does, and what it uses of its plan.',
    paths: /^\/(overview|usage)$/,
  },
  {
    id: 'people',
    title: 'People and keys',
    says: 'Sessions of the dashboard, members of an account, its API keys, and who changed what.',
    paths: /^\/(sessions?|me|members|keys|audit)(\/|$)/,
  },
  {
    id: 'networks',
    title: 'Networks',
    says: 'Which chains and assets this installation is set up for.',
    paths: /^\/networks/,
  },
  {
    id: 'operators',
    title: 'Operators',
    says: 'For whoever runs the installation, with a session. No key opens these.',
    paths: /^\/operator\//,
  },
  {
    id: 'health',
    title: 'Health',
    says: 'For probes and load balancers. No key is asked for.',
    paths: /^\/health\//,
  },
]

const OTHER: Group = { id: 'other', title: 'Other', says: 'Everything else.', paths: /^/ }

export function groupOf(path: string): Group {
  return GROUPS.find(({ paths }) => paths.test(path)) ?? OTHER
}

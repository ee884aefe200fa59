import { endpoints } from '@florin/wire/endpoints.ts'
import type { Endpoint } from '@florin/wire/endpoint.ts'
import { tradingIds } from './trading-ids.ts'
import { x402Ids } from './x402-ids.ts'

/** Names of one account's things, or equally shaped names of nothing. */
export interface Ids {
  readonly paymentId: string
  readonly builtId: string
  readonly signature: string
  readonly proof: string
  readonly nonce: string
  readonly wallet: string
  readonly registered: string
  /** A built transaction with its sender's signature. */
  readonly transaction: string
  readonly webhookId: string
  readonly deliveryId: string
  readonly eventId: string
  readonly historyCursor: string
  readonly keyId: string
  readonly auditCursor: string
  readonly tradeId: string
  readonly tradeCursor: string
  readonly callId: string
  readonly channelId: string
  readonly callTransaction: string
  readonly callCursor: string
  /** A token that anybody may trade. */
  readonly token: string
  /** A settled purchase: the body of POST /payment/receive, and of POST /x402/settle. */
  readonly purchase: Readonly<Record<string, unknown>>
  readonly x402: Readonly<Record<string, unknown>>
}

export interface Ask {
  readonly method?: string
  readonly path: string
  readonly body?: object
}

/** One way in which an operation is given a name. */
export type Row =
  /** The answer to another account's names is exactly that to names of nothing. `own`: the stranger's own things beside them. */
  | {
      readonly fields: readonly string[]
      readonly ask: (ids: Ids, own: Ids) => Ask
      /** The status that both have. */
      readonly status: number
    }
  /** Whoever has it may use it, and is told nothing of the account behind it. */
  | { readonly fields: readonly string[]; readonly bearer: (ids: Ids) => Ask }
  /** It names nothing of an account's. */
  | { readonly fields: readonly string[]; readonly open: string }

const webhook = (
  method: string,
  more: string,
  rest: { body?: object; status?: number } = {},
): readonly Row[] => [
  {
    fields: ['webhookId'],
    status: rest.status ?? 404,
    ask: ({ webhookId }) => ({
      method,
      path: `/webhooks/${webhookId}${more}`,
      ...(rest.body === undefined ? {} : { body: rest.body }),
    }),
  },
]

const settling = (path: string): readonly Row[] => [
  {
    fields: ['paymentProof', 'walletAddress'],
    bearer: ({ purchase }) => ({ method: 'POST', path, body: purchase }),
  },
]

/** Every operation that is given a name of a thing, with each such name. A new one fails a test until it stands here. */
export const matrix: Readonly<Record<string, readonly Row[]>> = {
  sendPayment: [
    {
      fields: ['walletAddress'],
      status: 404,
      ask: ({ wallet }) => ({
        method: 'POST',
        path: '/payment/send',
        body: { walletAddress: wallet, recipientAddress: wallet, amount: 0.01 },
      }),
    },
  ],
  fetchPayment: [
    {
      fields: ['walletAddress'],
      status: 404,
      ask: ({ wallet }) => ({
        method: 'POST',
        path: '/payment/fetch',
        body: { walletAddress: wallet, url: 'http://127.0.0.1:9/', maxAmount: 0.01 },
      }),
    },
    {
      fields: ['method', 'headers', 'body', 'maxAmount'],
      open: 'what to ask a seller, and how much to pay it',
    },
  ],
  receivePayment: settling('/payment/receive'),
  settlePayment: [
    ...settling('/payment/settle'),
    {
      fields: ['paymentId'],
      status: 404,
      ask: ({ paymentId }) => ({ method: 'POST', path: '/payment/settle', body: { paymentId } }),
    },
  ],
  settlePaymentV1: [
    ...settling('/v1/payments/settle'),
    {
      fields: ['paymentId'],
      status: 404,
      ask: ({ paymentId }) => ({
        method: 'POST',
        path: '/v1/payments/settle',
        body: { paymentId },
      }),
    },
  ],
  verifyPayment: [
    {
      fields: ['payment_proof'],
      bearer: ({ purchase }) => ({
        method: 'POST',
        path: '/v1/payments/verify',
        body: {
          payment_proof: purchase['paymentProof'],
          amount: purchase['expectedAmount'],
          recipient: purchase['walletAddress'],
        },
      }),
    },
  ],
  paymentStatus: [
    {
      fields: ['paymentId'],
      status: 404,
      ask: ({ paymentId }) => ({ path: `/payment/status/${paymentId}` }),
    },
  ],
  paymentHistory: [
    {
      fields: ['walletAddress'],
      status: 200,
      ask: ({ wallet }) => ({ path: `/payment/history/${wallet}` }),
    },
    {
      fields: ['cursor'],
      status: 200,
      ask: ({ wallet, historyCursor }) => ({
        path: `/payment/history/${wallet}?cursor=${encodeURIComponent(historyCursor)}`,
      }),
    },
  ],
  listPayments: [
    {
      fields: ['walletAddress'],
      status: 200,
      ask: ({ wallet }) => ({ path: `/payments?walletAddress=${wallet}` }),
    },
    {
      fields: ['search'],
      status: 200,
      ask: ({ paymentId }) => ({ path: `/payments?search=${paymentId}` }),
    },
    {
      fields: ['search'],
      status: 200,
      ask: ({ signature }) => ({ path: `/payments?search=${signature}` }),
    },
    {
      fields: ['cursor'],
      status: 200,
      ask: ({ wallet, historyCursor }) => ({
        path: `/payments?search=${wallet}&cursor=${encodeURIComponent(historyCursor)}`,
      }),
    },
  ],
  findPayment: [
    {
      fields: ['signature'],
      status: 200,
      ask: ({ signature }) => ({ path: `/payment/find?signature=${signature}` }),
    },
    {
      fields: ['proof'],
      status: 200,
      ask: ({ proof }) => ({ path: `/payment/find?proof=${encodeURIComponent(proof)}` }),
    },
    {
      fields: ['nonce', 'sender'],
      status: 200,
      ask: ({ nonce, wallet }) => ({
        path: `/payment/find?nonce=${nonce}&network=eip155:84532&sender=${wallet}`,
      }),
    },
  ],
  listEvents: [
    {
      fields: ['after'],
      status: 400,
      ask: ({ eventId }) => ({ path: `/events?after=${eventId}` }),
    },
  ],
  getWallet: [
    { fields: ['address'], status: 404, ask: ({ wallet }) => ({ path: `/wallets/${wallet}` }) },
  ],
  deleteWallet: [
    {
      fields: ['address'],
      status: 404,
      ask: ({ wallet }) => ({ method: 'DELETE', path: `/wallets/${wallet}` }),
    },
  ],
  setWalletPolicy: [
    {
      fields: ['address'],
      status: 404,
      ask: ({ wallet }) => ({ method: 'PUT', path: `/wallets/${wallet}/policy`, body: {} }),
    },
  ],
  challengeAddress: [
    { fields: ['address'], open: 'anybody may ask for the text; only the address can sign it' },
  ],
  registerAddress: [
    {
      fields: ['address', 'challenge', 'signature'],
      status: 400,
      ask: ({ registered }) => ({
        method: 'POST',
        path: '/addresses',
        body: { address: registered, challenge: 'mine', signature: `0x${'11'.repeat(65)}` },
      }),
    },
  ],
  deleteAddress: [
    {
      fields: ['address'],
      status: 404,
      ask: ({ registered }) => ({ method: 'DELETE', path: `/addresses/${registered}` }),
    },
  ],
  buildTransaction: [
    { fields: ['walletAddress'], open: 'any address may be the sender; its balance is on chain' },
  ],
  receiveTransaction: settling('/transaction/receive'),
  abandonTransaction: [
    {
      fields: ['paymentId'],
      status: 404,
      ask: ({ builtId }) => ({ method: 'DELETE', path: `/transaction/${builtId}` }),
    },
  ],
  simulateTransaction: [
    { fields: ['transaction', 'walletAddress'], open: 'what a chain would do is no secret' },
  ],
  submitTransaction: [
    {
      fields: ['transaction', 'walletAddress'],
      status: 400,
      ask: ({ transaction }) => ({
        method: 'POST',
        path: '/transaction/submit',
        body: { transaction, network: 'eip155:84532' },
      }),
    },
  ],
  getWebhook: webhook('GET', ''),
  changeWebhook: webhook('PATCH', '', { body: { enabled: false } }),
  deleteWebhook: webhook('DELETE', ''),
  rotateWebhook: webhook('POST', '/rotate', { body: {} }),
  testWebhook: webhook('POST', '/test'),
  webhookDeliveries: [
    ...webhook('GET', '/deliveries'),
    {
      fields: ['cursor'],
      status: 400,
      ask: ({ deliveryId }, own) => ({
        path: `/webhooks/${own.webhookId}/deliveries?cursor=${deliveryId}`,
      }),
    },
    {
      fields: ['paymentId'],
      status: 200,
      ask: ({ paymentId }, own) => ({
        path: `/webhooks/${own.webhookId}/deliveries?paymentId=${paymentId}`,
      }),
    },
  ],
  redeliverWebhook: [
    {
      fields: ['webhookId', 'deliveryId'],
      status: 404,
      ask: ({ webhookId, deliveryId }) => ({
        method: 'POST',
        path: `/webhooks/${webhookId}/deliveries/${deliveryId}/redeliver`,
      }),
    },
    {
      fields: ['deliveryId'],
      status: 404,
      ask: ({ deliveryId }, own) => ({
        method: 'POST',
        path: `/webhooks/${own.webhookId}/deliveries/${deliveryId}/redeliver`,
      }),
    },
  ],
  redeliverWebhooks: [
    ...webhook('POST', '/redeliver', { body: { from: 0 } }),
    {
      fields: ['after'],
      status: 400,
      ask: ({ deliveryId }, own) => ({
        method: 'POST',
        path: `/webhooks/${own.webhookId}/redeliver`,
        body: { from: 0, after: deliveryId },
      }),
    },
  ],
  ...tradingIds,
  signIn: [{ fields: ['link', 'email', 'password'], open: 'what opens a session, of no account' }],
  passkeySignIn: [{ fields: ['response'], open: 'what opens a session, of no account' }],
  rotateKey: [
    {
      fields: ['keyId'],
      status: 404,
      ask: ({ keyId }) => ({ method: 'POST', path: `/keys/${keyId}/rotate`, body: {} }),
    },
  ],
  deleteKey: [
    {
      fields: ['keyId'],
      status: 404,
      ask: ({ keyId }) => ({ method: 'DELETE', path: `/keys/${keyId}` }),
    },
  ],
  listAudit: [
    {
      fields: ['cursor'],
      status: 400,
      ask: ({ auditCursor }) => ({ path: `/audit?cursor=${encodeURIComponent(auditCursor)}` }),
    },
  ],
  ...x402Ids,
}

/** Fields of requests that name no thing of an account. A new field stands here or in a row of the matrix. */
const NAMES_NOTHING = new Set(
  `amount asset resource metadata priorityFee network waitFor timeout recipientAddress recipient expectedAmount
  facilitatorUrl facilitator_url type limit last offset status from to family label limits recipients resources url types
  side slippage slippageBps sellAll description enabled previousValidSeconds interval x402Version paymentRequirements period name scopes expiresAt`.split(
    /\s+/,
  ),
)

const namesOf = (schema: unknown): readonly string[] =>
  typeof schema === 'object' && schema !== null && 'properties' in schema
    ? Object.keys(schema.properties as object)
    : []

/** The fields of an operation that may name a thing. */
function idFields({ params, query, body }: Endpoint): readonly string[] {
  const names = [params, query, body].flatMap(namesOf)
  return [...new Set(names)].filter((name) => !NAMES_NOTHING.has(name))
}

/** What the matrix leaves out, and what it has too much. Operations for people are tested with their sessions. */
export function matrixProblems(
  table: Readonly<Record<string, Endpoint>> = endpoints,
): readonly string[] {
  const rows = Object.values(table).filter(({ needs }) => needs === null || 'scope' in needs)
  const missing = rows.flatMap((endpoint) => {
    const covered = new Set(matrix[endpoint.id]?.flatMap(({ fields }) => fields))
    const wanted = idFields(endpoint)
    return [
      ...wanted
        .filter((name) => !covered.has(name))
        .map((name) => `${endpoint.id}: nothing says what becomes of a foreign ${name}`),
      ...[...covered]
        .filter((name) => !wanted.includes(name))
        .map((name) => `${endpoint.id}: has no ${name}`),
    ]
  })
  const known = new Set(rows.map(({ id }) => id))
  return [
    ...missing,
    ...Object.keys(matrix)
      .filter((id) => !known.has(id))
      .map((id) => `${id}: there is no such operation`),
  ]
}

import Type from 'typebox'
import { BaseUnitsText, Exactly, ExactNumber, Milliseconds, Nullable, Said } from './fields.ts'
import { AuditEntry } from './audit.ts'
import { Key } from './keys.ts'
import { Member } from './member.ts'
import { NetworkAsset } from './network-list.ts'
import { PLANS } from './plan.ts'
import { WalletPolicy } from './wallet.ts'

const PAGE_MAX = 100
const PAGE_DEFAULT = 50
/** Of what a plan allows, and an account of its own: the database holds no more than some 2,000 times as much. */
const ALLOWED_MAX = 1_000_000

const Text = (description: string) => Type.String({ description })
const Count = (description: string) => Type.Integer({ minimum: 0, description })
const Given = (description: string, maxLength = 128) =>
  Type.String({ minLength: 1, maxLength, description })
const Name = Type.String({ minLength: 1, maxLength: 100, description: 'What people call it.' })
const Reason = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'For whoever looks later.',
})
const PlanName = Type.Enum(PLANS, { description: 'Its plan.' })
const limit = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: PAGE_MAX,
    default: PAGE_DEFAULT,
    description: 'How many at most.',
  }),
)
const cursor = Type.Optional(Given('`nextCursor` of the page before.'))
const nextCursor = Said('For the next page; null on the last.', Nullable(Type.String()))

/** An account as operators see it. */
export const OperatorAccount = Exactly({
  accountId: Text('Name of the account: acct_ and 22 characters.'),
  name: Text('What people call it.'),
  plan: PlanName,
  requestsPerMinute: Said(
    'Its own limit on the enterprise plan; null: what the plan says.',
    Nullable(Type.Integer()),
  ),
  suspendedAt: Said('Since when nobody may use it; null: it may be used.', Nullable(Milliseconds)),
  createdAt: Milliseconds,
  members: Count('People in it, those who were invited too.'),
  keys: Count('Keys that were not deleted.'),
  wallets: Count('Wallets that were not deleted.'),
  lastUsedAt: Said('When a key of it was used last, to the minute.', Nullable(Milliseconds)),
})
export const OperatorAccountPath = Exactly({ accountId: Given('An account: acct_ and more.') })
export const OperatorAccountsQuery = Exactly({
  search: Type.Optional(Given('A part of its name, or its id.', 100)),
  limit,
  cursor,
})
export const OperatorAccountList = Exactly({
  accounts: Type.Array(OperatorAccount, { description: 'Newest first.' }),
  nextCursor,
})
export const OperatorNewAccount = Exactly({
  name: Name,
  plan: Type.Optional(Type.Enum(PLANS, { default: 'standard', description: 'Its plan.' })),
})
export const OperatorAccountChange = Exactly({
  name: Type.Optional(Name),
  plan: Type.Optional(
    Type.Enum(PLANS, { description: 'Of the account, and of every key that it has.' }),
  ),
  requestsPerMinute: Type.Optional(
    Said(
      'Its own limit on the enterprise plan; null: what the plan says.',
      Nullable(Type.Integer({ minimum: 1, maximum: ALLOWED_MAX })),
    ),
  ),
  suspended: Type.Optional(
    Type.Boolean({ description: 'True: no key and no session may use it. What was begun ends.' }),
  ),
})
export const OperatorMemberList = Exactly({ members: Type.Array(Member) })
export const OperatorKeyList = Exactly({ keys: Type.Array(Key) })
export const OperatorKeyPath = Exactly({
  accountId: Given('An account: acct_ and more.'),
  keyId: Given('A key of it: key_ and more.'),
})

const allowed = (description: string) =>
  Said(`${description} Null: as many as one likes.`, Nullable(Type.Integer({ minimum: 1 })))
const setTo = (description: string) =>
  Type.Optional(
    Said(
      `${description} Null: as many as one likes.`,
      Nullable(Type.Integer({ minimum: 1, maximum: ALLOWED_MAX })),
    ),
  )
const Operation = Given('Of the endpoint table, such as `sendPayment`.', 64)
const Exceptions = Type.Array(
  Exactly({
    operation: Operation,
    included: Type.Boolean({ description: 'Whether the plan has it, whatever the table says.' }),
  }),
  { maxItems: 200, description: 'Where the plan differs from the endpoint table.' },
)
export const OperatorPlan = Exactly({
  plan: PlanName,
  requestsPerMinute: allowed('Of each key.'),
  eventSockets: allowed('Open at once.'),
  socketMessagesPerSecond: allowed('Of all sockets of an account.'),
  exceptions: Exceptions,
  accounts: Count('Accounts that have it.'),
})
export const OperatorPlanList = Exactly({ plans: Type.Array(OperatorPlan) })
export const OperatorPlanPath = Exactly({ plan: Type.Enum(PLANS) })
export const OperatorPlanChange = Exactly({
  requestsPerMinute: setTo('Of each key.'),
  eventSockets: setTo('Open at once.'),
  socketMessagesPerSecond: setTo('Of all sockets of an account.'),
  exceptions: Type.Optional(Exceptions),
  exception: Type.Optional(
    Exactly({
      operation: Operation,
      included: Said(
        'The same of one operation alone; null takes it back.',
        Nullable(Type.Boolean()),
      ),
    }),
  ),
})

/** A wallet, whoever it belongs to. */
export const OperatorWallet = Exactly({
  walletId: Text('Name of the wallet.'),
  accountId: Text('Whose it is.'),
  accountName: Text('What that account is called.'),
  family: Type.Enum(['evm', 'solana']),
  address: Text('Where it is paid.'),
  label: Said('What its owner called it.', Nullable(Type.String())),
  createdAt: Milliseconds,
  policy: Said('Null when there is none.', Nullable(WalletPolicy)),
  frozen: Type.Array(Text('CAIP-2 id.'), { description: 'Networks on which its lane is frozen.' }),
})
export const OperatorWalletsQuery = Exactly({
  accountId: Type.Optional(Given('Those of one account.')),
  search: Type.Optional(Given('The start of an address, or a part of a label.')),
  limit,
  cursor,
})
export const OperatorWalletList = Exactly({
  wallets: Type.Array(OperatorWallet, { description: 'Newest first.' }),
  nextCursor,
})

const Node = Exactly({
  node: Type.Integer({ minimum: 1, description: 'Its place in the configuration.' }),
  host: Text('Where it is asked, without what may be a key.'),
  state: Type.Enum(['ok', 'aside', 'behind'], { description: 'Only one that is `ok` is read.' }),
  reason: Said('Why it is not read; null when it is.', Nullable(Type.String())),
  height: Said('What it named last.', Nullable(Type.Integer())),
})

/** A network and how it does. */
export const OperatorNetwork = Exactly({
  network: Text('CAIP-2 id.'),
  name: Text('What the operator calls it.'),
  family: Type.Enum(['evm', 'solana']),
  sandbox: Type.Boolean({ description: 'A local chain whose money is worth nothing.' }),
  releaseDepth: Count('Blocks on top before something may be released.'),
  finality: Text('The policy that decides `settled`.'),
  height: Said('Up to which it was followed; null before the first.', Nullable(Type.Integer())),
  finalizedHeight: Said('Up to which it is final here.', Nullable(Type.Integer())),
  headHeight: Said('What the nodes of this instance said last.', Nullable(Type.Integer())),
  lag: Said('Blocks that are not followed yet; null when not known.', Nullable(Type.Integer())),
  following: Type.Boolean({ description: 'Whether this instance sees it being followed now.' }),
  halted: Said('Why it is stopped; null when it is not.', Nullable(Type.String())),
  assets: Type.Array(NetworkAsset),
  nodes: Type.Array(Node, { description: 'As this instance sees them.' }),
})
export const OperatorNetworkList = Exactly({ networks: Type.Array(OperatorNetwork) })
export const OperatorNetworkBody = Exactly({ network: Given('CAIP-2 id.', 64) })
export const OperatorHaltBody = Exactly({ network: Given('CAIP-2 id.', 64), reason: Reason })

/** The places of a signing address on a network. */
const laneFields = {
  network: Text('CAIP-2 id.'),
  address: Text('Whose key signs.'),
  nextNonce: Text('What the next transaction gets.'),
  waiting: Count('Transactions that no block has yet.'),
  frozen: Said('Why nothing new is signed; null when it is.', Nullable(Type.String())),
}
export const OperatorLane = Exactly(laneFields)
/** The same, just released. */
export const OperatorReleasedLane = Exactly({
  ...laneFields,
  notRead: Type.Array(Text('As the network names it.'), {
    description:
      'Assets whose balance no node told, as where a contract fails. The books of the wallet have of them what they had.',
  }),
  filled: Type.Array(Text('A nonce.'), {
    description:
      'Nonces that nobody had used although transactions of ours waited behind them, or that a replaced final block gave back where a transaction of ours had failed: each is filled by a transaction of nothing.',
  }),
})
export const OperatorLaneBody = Exactly({
  network: Given('CAIP-2 id.', 64),
  address: Given('A signing address of this installation.'),
})
export const OperatorFreezeBody = Exactly({
  network: Given('CAIP-2 id.', 64),
  address: Given('A signing address of this installation.'),
  reason: Reason,
})
export const OperatorLanesQuery = Exactly({ limit, cursor })
export const OperatorLaneList = Exactly({
  lanes: Type.Array(OperatorLane, {
    description: 'Those that are frozen, whoever they belong to.',
  }),
  nextCursor,
})

/** A key that pays for settlements. */
export const OperatorFacilitatorKey = Exactly({
  walletId: Text('Name of its wallet.'),
  family: Type.Enum(['evm', 'solana']),
  address: Text('Who pays the fees.'),
  networks: Type.Array(
    Exactly({
      network: Text('CAIP-2 id.'),
      balance: Said('What the chain shows; null when no node answered.', Nullable(ExactNumber)),
      balanceBaseUnits: Said('The same in the smallest unit.', Nullable(BaseUnitsText)),
      lane: Said('Null before its first transaction.', Nullable(OperatorLane)),
    }),
  ),
})
export const OperatorFacilitatorKeyList = Exactly({ keys: Type.Array(OperatorFacilitatorKey) })

/** A webhook, whoever it belongs to; nothing of its secret. */
export const OperatorWebhook = Exactly({
  webhookId: Text('Name of the webhook.'),
  accountId: Text('Whose it is.'),
  url: Text('Where it is sent.'),
  enabled: Type.Boolean({ description: 'What its owner wants.' }),
  failingSince: Said('Nothing but failures since then.', Nullable(Milliseconds)),
  pausedAt: Said('Since when nothing is sent.', Nullable(Milliseconds)),
  pauseReason: Said('Why.', Nullable(Type.String())),
  createdAt: Milliseconds,
})
export const OperatorWebhooksQuery = Exactly({
  status: Type.Optional(
    Type.Enum(['paused', 'failing', 'all'], { default: 'paused', description: 'Which ones.' }),
  ),
  limit,
  cursor,
})
export const OperatorWebhookList = Exactly({
  webhooks: Type.Array(OperatorWebhook, { description: 'Newest first.' }),
  nextCursor,
})
export const OperatorWebhookPath = Exactly({ webhookId: Given('A webhook: whk_ and more.') })

export const OperatorAuditQuery = Exactly({
  accountId: Type.Optional(Given('Those of one account; left out, all of them.')),
  action: Type.Optional(
    Given('Those whose action begins so, such as `key.` or `plan.changed`.', 64),
  ),
  object: Type.Optional(Given('Those about one thing, by its id or name.', 128)),
  limit,
  cursor,
})
export const OperatorAuditList = Exactly({
  entries: Type.Array(
    Exactly({
      ...AuditEntry.properties,
      accountId: Said('Null for what concerns the installation.', Nullable(Type.String())),
    }),
    { description: 'Newest first.' },
  ),
  nextCursor,
})

/** What the installation runs with. */
export const OperatorSettings = Exactly({
  settings: Type.Array(
    Exactly({
      name: Text('Of the environment variable.'),
      value: Said(
        'As it is in force; of a secret whether it is `set` or `not set`.',
        Nullable(Type.String()),
      ),
      secret: Type.Boolean({ description: 'Never shown.' }),
    }),
  ),
})

/** What the doctor found. */
export const OperatorDiagnosis = Exactly({
  sound: Type.Boolean({ description: 'No finding, and every chain was asked.' }),
  findings: Type.Array(
    Exactly({
      invariant: Text('What must always hold and does not.'),
      subject: Text('The row, or the thing on chain, that breaks it.'),
    }),
  ),
  unasked: Type.Array(Text('A network whose chain could not be asked, or not for all, and why.')),
  notTaken: Type.Array(
    Text('What the configuration lets and no node of its network makes possible, and why.'),
  ),
  clocks: Type.Array(
    Text(
      'A network whose blocks say that the clock of the service is off, by how much, and what to do.',
    ),
  ),
  lookAt: Type.Array(
    Exactly({
      network: Text('CAIP-2 id.'),
      address: Text('The signing address.'),
      nonce: Text(
        'Its place; `deposit` where no node tells what came to the address, `build` where none tells what a built payment of it did, `purchase` where the nodes contradict each other whether a purchase of it failed.',
      ),
      hash: Text(
        'The attempt that nodes have found and no followed block holds, or what nobody tells.',
      ),
      nodes: Type.Array(Text('Which nodes.')),
      since: Text(
        'When the first of them found it, ISO 8601; of a build when it was built, of a purchase when it was signed.',
      ),
    }),
  ),
})

import type { OperationReference } from './operation-reference.ts'

const accountId = 'acct_7mNbVcXzQwErTyUpA5dFgH'
const account = {
  accountId,
  name: 'Sellers',
  plan: 'premium',
  requestsPerMinute: null,
  suspendedAt: null,
  createdAt: 1790000000000,
  members: 2,
  keys: 3,
  wallets: 4,
  lastUsedAt: 1790000400000,
}
const key = {
  keyId: 'key_2bQmWx7RtYp9sKdVfGhJ3n',
  name: 'server',
  lastFour: 'x7Qf',
  mode: 'live',
  plan: 'premium',
  scopes: ['read', 'write'],
  createdAt: 1790000000000,
  lastUsedAt: 1790000400000,
  expiresAt: null,
}
const member = {
  memberId: 'mem_5tGbHnJmKpLqWeRtYuXzAs',
  email: 'ada@shop.example',
  name: 'Ada',
  role: 'owner',
  joinedAt: 1790000000000,
  lastSeenAt: 1790000400000,
  invitedUntil: null,
}
const plan = {
  plan: 'standard',
  requestsPerMinute: 100,
  eventSockets: 5,
  socketMessagesPerSecond: 50,
  exceptions: [{ operation: 'createWebhook', included: true }],
  accounts: 12,
}
const network = {
  network: 'eip155:84532',
  name: 'Base Sepolia',
  family: 'evm',
  sandbox: false,
  releaseDepth: 1,
  finality: "the node's finalized block",
  height: 34118222,
  finalizedHeight: 34118180,
  headHeight: 34118223,
  lag: 1,
  following: true,
  halted: null,
  assets: [{ symbol: 'ETH', asset: 'native', decimals: 18 }],
  nodes: [{ node: 1, host: 'node.example', state: 'ok', reason: null, height: 34118223 }],
}
const address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const lane = { network: 'eip155:84532', address, nextNonce: '41', waiting: 0, frozen: null }
const frozen = { ...lane, frozen: 'the key was used elsewhere' }
const webhook = {
  webhookId: 'whk_4sDfGh7jKl9pQwErTyUx2b',
  accountId,
  url: 'https://shop.example/florin',
  enabled: true,
  failingSince: 1789990000000,
  pausedAt: 1790076400000,
  pauseReason: 'failing',
  createdAt: 1790000000000,
}

export const operatorAccounts: OperationReference = {
  title: 'List accounts',
  about: ['Every account, newest first. `search` finds a part of a name, or an id.'],
  query: { search: 'sell', limit: 50 },
  answer: { accounts: [account], nextCursor: null },
}

export const operatorCreateAccount: OperationReference = {
  title: 'Create an account',
  about: ['The account has no keys and no members yet.'],
  body: { name: 'Sellers', plan: 'premium' },
  answer: { ...account, members: 0, keys: 0, wallets: 0, lastUsedAt: null },
}

export const operatorAccount: OperationReference = {
  title: 'Get an account',
  about: ['What is counted of it is counted now.'],
  params: { accountId },
  answer: account,
}

export const operatorChangeAccount: OperationReference = {
  title: 'Change an account',
  about: [
    'What you leave out stays. A new `plan` becomes that of the account and of every key that it has; it holds within a second on every instance.',
    'While it is `suspended` its keys are answered 401 and its members have no account. Payments that were begun are driven to their end, and money that comes in is written down.',
  ],
  params: { accountId },
  body: { plan: 'premium', suspended: false },
  answer: account,
}

export const operatorMembers: OperationReference = {
  title: 'List members of an account',
  about: ['Those who were invited too, oldest first.'],
  params: { accountId },
  answer: { members: [member] },
}

export const operatorInviteMember: OperationReference = {
  title: 'Invite into an account',
  about: [
    'An account that an operator made has nobody in it: its first owner is invited here. The link signs that person in, once, and is shown this once.',
  ],
  params: { accountId },
  body: { email: 'ada@shop.example', role: 'owner' },
  answer: {
    ...member,
    link: 'https://pay.example/signin#link=4Uo1pBq9…',
  },
}

export const operatorKeys: OperationReference = {
  title: 'List keys of an account',
  about: ['Those that were not deleted, oldest first; never the keys themselves.'],
  params: { accountId },
  answer: { keys: [key] },
}

export const operatorDeleteKey: OperationReference = {
  title: 'Delete a key of an account',
  about: ['It opens nothing more within a second, on every instance.'],
  params: { accountId, keyId: key.keyId },
  answer: { keyId: key.keyId, deletedAt: 1790000500000 },
}

export const operatorPlans: OperationReference = {
  title: 'List plans',
  about: ['What each plan allows, and where it differs from the endpoint table.'],
  answer: { plans: [plan] },
}

export const operatorChangePlan: OperationReference = {
  title: 'Change a plan',
  about: [
    'What you leave out stays; `exceptions` replace those that there were, `exception` changes one and leaves the others to whoever changes them. It holds within a second on every instance.',
  ],
  params: { plan: 'standard' },
  body: { requestsPerMinute: 100, exceptions: plan.exceptions },
  answer: plan,
}

export const operatorWallets: OperationReference = {
  title: 'List wallets of all accounts',
  about: ['With their policies, newest first; nothing of their keys.'],
  query: { accountId },
  answer: {
    wallets: [
      {
        walletId: 'wal_9kLmN2bVcXzQwErTyUpA5d',
        accountId,
        accountName: 'Sellers',
        family: 'evm',
        address,
        label: 'till',
        createdAt: 1790000000000,
        policy: null,
        frozen: [],
      },
    ],
    nextCursor: null,
  },
}

export const operatorNetworks: OperationReference = {
  title: 'List networks as operators see them',
  about: [
    '`height` is how far any instance has followed the network; `headHeight`, `following` and `nodes` are what the instance that answers sees.',
  ],
  answer: { networks: [network] },
}

export const operatorHaltNetwork: OperationReference = {
  title: 'Halt a network',
  about: [
    'Nothing is signed for it and nobody follows it until it is released. Payments under way stay what they are.',
  ],
  body: { network: 'eip155:84532', reason: 'the chain is being upgraded' },
  answer: { ...network, following: false, halted: 'the chain is being upgraded' },
}

export const operatorReleaseNetwork: OperationReference = {
  title: 'Release a network',
  about: [
    'It is followed on from where it stopped. When a chain still contradicts blocks that were final here, it is halted again at once.',
  ],
  body: { network: 'eip155:84532' },
  answer: network,
}

export const operatorFacilitatorKeys: OperationReference = {
  title: 'List facilitator keys',
  about: ['The keys that pay for settlements, what each has, and whether it may sign.'],
  answer: {
    keys: [
      {
        walletId: 'wal_9kLmN2bVcXzQwErTyUpA5d',
        family: 'evm',
        address,
        networks: [
          {
            network: 'eip155:84532',
            balance: 0.42,
            balanceBaseUnits: '420000000000000000',
            lane,
          },
        ],
      },
    ],
  },
}

export const operatorFrozenLanes: OperationReference = {
  title: 'List frozen lanes',
  about: ['Keys that sign nothing new on a network, whoever they belong to, and why.'],
  answer: { lanes: [frozen], nextCursor: null },
}

export const operatorFreezeLane: OperationReference = {
  title: 'Freeze a lane',
  about: [
    'The key signs nothing new on that network until it is released. What it has signed already is sent and followed as ever.',
  ],
  body: { network: 'eip155:84532', address, reason: frozen.frozen },
  answer: frozen,
}

export const operatorReleaseLane: OperationReference = {
  title: 'Release a lane',
  about: [
    'The key signs again, from where the chain is. Refused while a transaction of ours lies below the count of the chain and nobody knows yet what became of it, and while somebody else used the key in a block that is not final yet: `message` says in about how many minutes to ask again.',
    'A lane that stands above the chain, because a reorganisation took a foreign use back, goes back to it as long as nothing of ours was signed there. Where transactions of ours wait there, each nonce below them that nobody has used is filled by a transaction of nothing (`filled`); once that is final its fee leaves the books of the wallet, and the audit log of its account says so (`lane.filled`). So is a nonce that a replaced final block gave back where a transaction of ours had failed: what was sent there before gets in no more once this is final. Refused while the network is halted or the node that answers is behind.',
    'Make sure first that nobody else signs with this key: the next foreign use freezes it again.',
    'What the chain shows less of than the books of its wallet is taken out of them, unless a payment of it is under way; the audit log says how much (`writtenOff`, base units by asset), and from which nonce to which the lane went (`nextNonce`). An asset that no node tells, because its contract fails or is gone, stops no release: it is in `notRead`, and its books stay as they are.',
  ],
  body: { network: 'eip155:84532', address },
  answer: { ...lane, notRead: [], filled: [] },
}

export const operatorWebhooks: OperationReference = {
  title: 'List webhooks of all accounts',
  about: ['The paused ones; those that fail now, or all of them, when `status` says so.'],
  query: { status: 'paused' },
  answer: { webhooks: [webhook], nextCursor: null },
}

export const operatorResumeWebhook: OperationReference = {
  title: 'Resume a webhook',
  about: ['What waited is sent, the oldest event of each payment first.'],
  params: { webhookId: webhook.webhookId },
  answer: { ...webhook, failingSince: null, pausedAt: null, pauseReason: null },
}

export const operatorAudit: OperationReference = {
  title: 'Audit log of all accounts',
  about: ['Every change, newest first, those of the installation too.'],
  query: { action: 'account.', limit: 50 },
  answer: {
    entries: [
      {
        auditId: 'aud_3rTyUpA5dFgH7mNbVcXzQw',
        accountId,
        at: 1790000500000,
        actor: 'member',
        actorId: member.memberId,
        actorName: 'ada@shop.example',
        action: 'account.changed',
        object: accountId,
        address: '203.0.113.9',
        requestId: 'req_8vBnM3aSdFgHjKpLqWeRty',
        details: { plan: 'premium' },
      },
    ],
    nextCursor: null,
  },
}

export const operatorSettings: OperationReference = {
  title: 'Settings',
  about: ['What the installation runs with. Of a secret only whether it is set.'],
  answer: {
    settings: [
      { name: 'FLORIN_PUBLIC_URL', value: 'https://pay.example', secret: false },
      { name: 'DATABASE_URL', value: 'set', secret: true },
    ],
  },
}

export const operatorDoctor: OperationReference = {
  title: 'Run the doctor',
  about: [
    'Holds the books and the chains against every rule that must always hold, as `florin doctor` does, and changes nothing.',
  ],
  answer: { sound: true, findings: [], unasked: [], notTaken: [], clocks: [], lookAt: [] },
}

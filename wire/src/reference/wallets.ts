import type { OperationReference } from './operation-reference.ts'

const ADDRESS = '0x8Ba1f109551bD432803012645Ac136ddd64DBA72'
const RECIPIENT = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const USDC = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'

const wallet = {
  walletId: 'wal_9QxR2mVt8YcKpN4bWzE6hJ',
  address: ADDRESS,
  family: 'evm',
  label: 'shop',
  createdAt: 1790000000000,
}

const policy = {
  limits: [{ network: 'eip155:84532', asset: USDC, perPayment: 10, perDay: 100 }],
  recipients: [RECIPIENT],
  resources: null,
}

export const createWallet: OperationReference = {
  title: 'Create a wallet',
  about: [
    'Makes a key that never leaves the service and gives out its address. One wallet works on every enabled network of its family.',
  ],
  body: { family: 'evm', label: 'shop' },
  answer: wallet,
}

export const listWallets: OperationReference = {
  title: 'List wallets',
  about: ['All wallets of your account that were not deleted, oldest first.'],
  answer: {
    wallets: [
      wallet,
      {
        walletId: 'wal_4hTzP7nXcYq2LmKdR8vBwE',
        address: '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV',
        family: 'solana',
        label: null,
        createdAt: 1790000001000,
      },
    ],
  },
}

export const getWallet: OperationReference = {
  title: 'Get a wallet',
  about: [
    'Balances are read from the chains while you wait. `amount` is what the chain shows, `held` what payments under way may still take, `available` what the next payment may use.',
    'A token whose contract fails, or a network that does not answer, hides nothing else: what could not be read within some seconds is missing from `balances` and stands in `unread`, which is left out where all was read. Nobody knows then what there is of it: that is not zero. Policy and budgets need no chain, and are there while none answers.',
    'On some networks a token is the native currency under another name, as USDC is on Arc. What a wallet has of it is one balance and stands once in `balances`, as `native`; `alsoAs` says the same in the decimals of each such token, cut off below them.',
    '`budgets` says of each limit over time that the policy sets what is `spent`, `held` by payments under way and `left` in the window that ends now.',
  ],
  params: { address: ADDRESS },
  answer: {
    ...wallet,
    balances: [
      {
        network: 'eip155:84532',
        asset: 'native',
        symbol: 'ETH',
        decimals: 18,
        amount: 0.05,
        amountBaseUnits: '50000000000000000',
        held: 0.000012,
        heldBaseUnits: '12000000000000',
        available: 0.049988,
        availableBaseUnits: '49988000000000000',
        height: 34118222,
      },
      {
        network: 'eip155:84532',
        asset: USDC,
        symbol: 'USDC',
        decimals: 6,
        amount: 120.5,
        amountBaseUnits: '120500000',
        held: 2.5,
        heldBaseUnits: '2500000',
        available: 118,
        availableBaseUnits: '118000000',
        height: 34118222,
      },
    ],
    policy,
    budgets: [
      {
        network: 'eip155:84532',
        asset: USDC,
        rule: 'perDay',
        windowSeconds: 86400,
        allowed: 100,
        allowedBaseUnits: '100000000',
        spent: 31.25,
        spentBaseUnits: '31250000',
        held: 2.5,
        heldBaseUnits: '2500000',
        left: 66.25,
        leftBaseUnits: '66250000',
      },
    ],
  },
}

export const deleteWallet: OperationReference = {
  title: 'Delete a wallet',
  about: [
    'Only a wallet that is empty on every enabled network and has no payment under way can be deleted; otherwise this is a 400 `INVALID_PARAMETERS` whose `details.left` says what is left. Where the balance of an asset cannot be read, it is a 503 `NETWORK_ERROR` whose `details.unread` names it. Its address is never given out again.',
  ],
  params: { address: ADDRESS },
  answer: { walletId: wallet.walletId, address: ADDRESS, deletedAt: 1790000600000 },
}

export const setWalletPolicy: OperationReference = {
  title: 'Set a spending policy',
  about: [
    'Replaces the whole policy; an empty object removes it. Budgets are reserved before anything is signed, so payments at the same time cannot pass one together. Windows are rolling and end now. A payment that breaks a rule is refused with `POLICY_REFUSED`.',
    'Whoever has the scope `write` sets a first policy; to change one, or to remove it, takes `admin` as well: whoever may spend may not lift their own limit.',
  ],
  params: { address: ADDRESS },
  body: {
    limits: [{ asset: 'USDC', perPayment: '10', perDay: '100' }],
    recipients: [RECIPIENT],
  },
  answer: { address: ADDRESS, policy },
}

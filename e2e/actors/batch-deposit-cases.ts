import type { Hex } from 'viem'
import { fieldsOf } from '@florin/wire/x402/fields.ts'
import type { Fields } from '@florin/wire/x402/fields.ts'
import { aKey, asked, inSeconds, openChannel } from './batch-channel.ts'
import type { DepositChange } from './batch-channel.ts'
import * as scenery from './batch-scene.ts'
import type { BatchScene, Case } from './batch-scene.ts'

const { ADDRESS, FUNDS, WORD, written, rewritten, partOf, withV, lowV, otherV } = scenery
const { MALFORMED, highS, shorter, forged } = scenery

type Way = 'eip3009' | 'permit2'
type Whose = 'fresh' | 'cold' | 'open' | 'closing'
const TOKEN = 'deposit.authorization.erc3009Authorization'
const PERMIT = 'deposit.authorization.permit2Authorization'
const SIGNATURE = { eip3009: `${TOKEN}.signature`, permit2: `${PERMIT}.signature` } as const

/** One that is signed otherwise, or against other terms. */
const signed =
  (way: Way, change: DepositChange = {}, extra: Fields = {}, whose: Whose = 'fresh') =>
  async ({ [whose]: of }: BatchScene) =>
    asked(await of.deposit(way, change), of.terms(extra))
/** One of which a part is written otherwise than it is signed. */
const changed =
  (way: Way, path: string, value: unknown) =>
  async ({ fresh }: BatchScene) =>
    asked(written(await fresh.deposit(way), path, value), fresh.terms())
const withSignature =
  (way: Way, change: (signature: Hex) => Hex, path: string = SIGNATURE[way]) =>
  async ({ fresh }: BatchScene) =>
    asked(rewritten(await fresh.deposit(way), path, change), fresh.terms())
const delayed =
  (withdrawDelay: number) =>
  async ({ fresh, usdc }: BatchScene) => {
    const other = openChannel(fresh.payer, usdc, { ...fresh.config, withdrawDelay })
    return asked(await other.deposit('eip3009'), other.terms())
  }
/** With what else was signed beside it. */
const beside =
  (way: Way, other: Way, broken: Way, extra: Fields = {}) =>
  async ({ fresh }: BatchScene) => {
    const [one, two] = [await fresh.deposit(way), await fresh.deposit(other)]
    const path = 'deposit.authorization'
    const both = { ...fieldsOf(partOf(one, path)), ...fieldsOf(partOf(two, path)) }
    const made = written(one, path, both)
    return asked(rewritten(made, SIGNATURE[broken], forged), fresh.terms(extra))
  }

const OVER = '~payload_authorization_valid_before'
const UNSIGNED = {
  eip3009: '~receive_authorization_signature',
  permit2: '~permit2_invalid_signature',
}
const FAILS = '~deposit_simulation_failed'
const OTHER_NAME = { name: 'USD Coin', version: '2' }

/** Of deposits both say the same. */
export const DEPOSITS: readonly Case[] = [
  ['a deposit by EIP-3009', 'good', signed('eip3009')],
  ['a deposit by Permit2', 'good', signed('permit2')],
  ['one that tops up', 'good', signed('eip3009', { ceiling: 13_000n }, {}, 'open')],
  ['one while closing', 'good', signed('permit2', { ceiling: 4_000n }, {}, 'closing')],
  ['one of all there is', 'good', signed('eip3009', { amount: FUNDS })],
  ['one of more', '~insufficient_balance', signed('eip3009', { amount: FUNDS + 1n })],
  ['one of more by Permit2', '~insufficient_balance', signed('permit2', { amount: FUNDS + 1n })],
  ['one of nothing', FAILS, signed('eip3009', { amount: 0n, ceiling: 4_000n }, {}, 'open')],
  [
    'one of nothing by Permit2',
    FAILS,
    signed('permit2', { amount: 0n, ceiling: 4_000n }, {}, 'open'),
  ],
  ['a ceiling at the balance', 'good', signed('eip3009', { ceiling: 10_000n })],
  ['a ceiling above it', '~cumulative_exceeds_balance', signed('eip3009', { ceiling: 10_001n })],
  ['a ceiling at the sum', 'good', signed('eip3009', { ceiling: 20_000n }, {}, 'open')],
  [
    'a ceiling above the sum',
    '~cumulative_exceeds_balance',
    signed('eip3009', { ceiling: 20_001n }, {}, 'open'),
  ],
  ['a ceiling of nothing', '~cumulative_below_claimed', signed('eip3009', { ceiling: 0n })],
  [
    'a ceiling as claimed',
    '~cumulative_below_claimed',
    signed('eip3009', { ceiling: 3_000n }, {}, 'open'),
  ],
  [
    'a deposit again',
    FAILS,
    async ({ spent, open }) =>
      asked({ ...spent, voucher: await open.voucher(4_000n) }, open.terms()),
  ],
  [
    'a deposit again, with its old voucher',
    '~cumulative_below_claimed',
    async ({ spent, open }) => asked(spent, open.terms()),
  ],
  [
    'a deposit again, with a forged voucher',
    '~voucher_signature',
    async ({ spent, open }) => asked(rewritten(spent, 'voucher.signature', forged), open.terms()),
  ],

  ['one that is over', OVER, signed('eip3009', { validBefore: inSeconds(-60) })],
  [
    'one that begins later',
    '~payload_authorization_valid_after',
    signed('eip3009', { validAfter: inSeconds(6_000) }),
  ],
  [
    'a permit that is over',
    '~permit2_deadline_expired',
    signed('permit2', { deadline: inSeconds(-60) }),
  ],
  ['a permit without an end', 'good', signed('permit2', { deadline: 2n ** 256n - 1n })],
  ['one without an end', 'good', signed('eip3009', { validBefore: 2n ** 256n - 1n })],

  ['one of somebody else', UNSIGNED.eip3009, signed('eip3009', { by: aKey() })],
  ['a permit of somebody else', UNSIGNED.permit2, signed('permit2', { by: aKey() })],
  ['one for somebody else', UNSIGNED.eip3009, signed('eip3009', { spender: ADDRESS })],
  [
    'a permit for another spender',
    '~permit2_invalid_spender',
    signed('permit2', { spender: ADDRESS }),
  ],
  ['a permit from somebody else', UNSIGNED.permit2, changed('permit2', `${PERMIT}.from`, ADDRESS)],
  ['one for another chain', UNSIGNED.eip3009, signed('eip3009', { chainId: 1 })],
  ['a permit for another chain', UNSIGNED.permit2, signed('permit2', { chainId: 1 })],
  ['one of another domain', UNSIGNED.eip3009, signed('eip3009', { domain: OTHER_NAME })],
  [
    'one of a domain that is not the token’s',
    FAILS,
    signed('eip3009', { domain: OTHER_NAME }, OTHER_NAME),
  ],
  ['one without a name', '~missing_eip712_domain', signed('eip3009', {}, { name: undefined })],
  ['one with an empty version', '~missing_eip712_domain', signed('eip3009', {}, { version: '' })],
  ['a permit without a name', 'good', signed('permit2', {}, { name: undefined })],
  ['a permit of another token', '~token_mismatch', signed('permit2', { token: ADDRESS })],
  ['a permit of more', '~permit2_amount_mismatch', signed('permit2', { permitted: 10_001n })],
  ['a permit of less', '~permit2_amount_mismatch', signed('permit2', { permitted: 9_999n })],
  ['a permit for another channel', '~channel_id_mismatch', signed('permit2', { witness: WORD })],
  [
    'a permit without an approval',
    '~permit2_allowance_required',
    signed('permit2', {}, {}, 'cold'),
  ],

  ['another amount than signed', UNSIGNED.eip3009, changed('eip3009', 'deposit.amount', '9999')],
  ['another salt than signed', UNSIGNED.eip3009, changed('eip3009', `${TOKEN}.salt`, WORD)],
  ['another begin than signed', UNSIGNED.eip3009, changed('eip3009', `${TOKEN}.validAfter`, '1')],
  ['another nonce than signed', UNSIGNED.permit2, changed('permit2', `${PERMIT}.nonce`, '7')],
  [
    'another deadline than signed',
    UNSIGNED.permit2,
    changed('permit2', `${PERMIT}.deadline`, `${inSeconds(999)}`),
  ],
  [
    'another spender than signed',
    '~permit2_invalid_spender',
    changed('permit2', `${PERMIT}.spender`, ADDRESS),
  ],

  ['the way that is asked for', 'good', signed('permit2', {}, { assetTransferMethod: 'permit2' })],
  [
    'another way than Permit2',
    '~payload_type',
    signed('eip3009', {}, { assetTransferMethod: 'permit2' }),
  ],
  [
    'another way than EIP-3009',
    '~erc3009_authorization_required',
    signed('permit2', {}, { assetTransferMethod: 'eip3009' }),
  ],
  [
    'another way than one that nobody knows',
    '~erc3009_authorization_required',
    signed('permit2', {}, { assetTransferMethod: 'cheque' }),
  ],
  [
    'no way at all',
    '~erc3009_authorization_required',
    changed('eip3009', 'deposit.authorization', {}),
  ],
  ['both ways, good by Permit2', 'good', beside('eip3009', 'permit2', 'eip3009')],
  ['both ways, good by EIP-3009', UNSIGNED.permit2, beside('eip3009', 'permit2', 'permit2')],
  [
    'both ways, as is asked for',
    'good',
    beside('eip3009', 'permit2', 'permit2', { assetTransferMethod: 'eip3009' }),
  ],

  ['one forged', UNSIGNED.eip3009, withSignature('eip3009', forged)],
  ['a permit forged', UNSIGNED.permit2, withSignature('permit2', forged)],
  ['one with v 27 for 28', UNSIGNED.eip3009, withSignature('eip3009', otherV)],
  ['one with v 29', UNSIGNED.eip3009, withSignature('eip3009', withV(29))],
  ['a short one', UNSIGNED.eip3009, withSignature('eip3009', shorter)],
  ['a long one', UNSIGNED.eip3009, withSignature('eip3009', (same) => `${same}00`)],
  ['a short permit', UNSIGNED.permit2, withSignature('permit2', shorter)],
  ['a forged voucher', '~voucher_signature', withSignature('eip3009', forged, 'voucher.signature')],
  ['a voucher of somebody else', '~voucher_signature', signed('permit2', { voucherBy: aKey() })],
  ['parts that nobody knows', 'good', changed('eip3009', 'note', { of: ['nobody'] })],
  ['a delay too short', '~withdraw_delay_out_of_range', delayed(899)],
  ['the longest delay', 'good', delayed(2_592_000)],
  ['a delay too long', '~withdraw_delay_out_of_range', delayed(2_592_001)],
]

/** Of deposits this one says otherwise: `theirs / ours`, and why. */
export const DEPOSITS_OTHERWISE: readonly (readonly [...Case, why: string])[] = [
  [
    'one with v 0 or 1',
    '~deposit_simulation_failed / good',
    withSignature('eip3009', lowV),
    'Wallets that count v from 0 are common; it is written as contracts take it.',
  ],
  [
    'a permit with v 0 or 1',
    '~deposit_simulation_failed / good',
    withSignature('permit2', lowV),
    'Wallets that count v from 0 are common; it is written as contracts take it.',
  ],
  [
    'one with its other s',
    '~deposit_simulation_failed / ~receive_authorization_signature',
    withSignature('eip3009', highS),
    'It is no signature for the token, which is known before any run.',
  ],
  [
    'a permit with its other s',
    'good / ~permit2_invalid_signature',
    withSignature('permit2', highS),
    'One signature has one form here; a second one would be another payload of the same deposit.',
  ],
  [
    'a voucher with its other s',
    'good / ~voucher_signature',
    withSignature('eip3009', highS, 'voucher.signature'),
    'The escrow refuses it, so nobody could ever claim by it.',
  ],
  [
    'an amount that is no text',
    '~payload_type / invalid_payload',
    changed('eip3009', 'deposit.amount', 10_000),
    MALFORMED,
  ],
  [
    'an amount in words',
    'throws / invalid_payload',
    changed('eip3009', 'deposit.amount', 'ten'),
    MALFORMED,
  ],
  [
    'an amount below nothing',
    '~receive_authorization_signature / invalid_payload',
    changed('eip3009', 'deposit.amount', '-1'),
    MALFORMED,
  ],
  [
    'an amount beyond the escrow’s',
    '~receive_authorization_signature / invalid_payload',
    changed('eip3009', 'deposit.amount', `${2n ** 128n}`),
    MALFORMED,
  ],
  [
    'a salt too short',
    '~receive_authorization_signature / invalid_payload',
    changed('eip3009', `${TOKEN}.salt`, '0x07'),
    MALFORMED,
  ],
  [
    'no signature',
    'throws / invalid_payload',
    changed('eip3009', `${TOKEN}.signature`, undefined),
    MALFORMED,
  ],
  [
    'no hex',
    '~receive_authorization_signature / invalid_payload',
    changed('eip3009', `${TOKEN}.signature`, 'signed'),
    MALFORMED,
  ],
  [
    'no channel',
    'throws / invalid_payload',
    changed('eip3009', 'channelConfig', undefined),
    MALFORMED,
  ],
  [
    'no voucher',
    '~payload_type / invalid_payload',
    changed('eip3009', 'voucher', undefined),
    MALFORMED,
  ],
  [
    'no deposit',
    '~payload_type / invalid_payload',
    changed('eip3009', 'deposit', undefined),
    MALFORMED,
  ],
  [
    'no witness',
    'throws / invalid_payload',
    changed('permit2', `${PERMIT}.witness`, undefined),
    MALFORMED,
  ],
  [
    'a delay in text',
    '~withdraw_delay_mismatch / invalid_payload',
    changed('eip3009', 'channelConfig.withdrawDelay', '900'),
    MALFORMED,
  ],
  [
    'a payer that is none',
    'throws / invalid_payload',
    changed('eip3009', 'channelConfig.payer', 'payer'),
    MALFORMED,
  ],
]

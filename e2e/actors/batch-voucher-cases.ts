import type { Hex } from 'viem'
import type { Fields } from '@florin/wire/x402/fields.ts'
import { aKey, asked, NOBODY } from './batch-channel.ts'
import {
  ADDRESS,
  forged,
  highS,
  lowV,
  otherV,
  rewritten,
  shorter,
  MALFORMED,
} from './batch-scene.ts'
import { WORD, written } from './batch-scene.ts'
import type { BatchScene, Case } from './batch-scene.ts'

type Whose = 'fresh' | 'open' | 'closing' | 'unnamed' | 'used'

const shown =
  (type: 'voucher' | 'refund', ceiling: bigint, whose: Whose = 'open', change: Fields = {}) =>
  async ({ [whose]: of }: BatchScene) =>
    asked({ ...(await of.shown(type, ceiling)), ...change }, of.terms())
const withSignature =
  (change: (signature: Hex) => Hex, whose: Whose = 'open') =>
  async ({ [whose]: of }: BatchScene) =>
    asked(rewritten(await of.shown('voucher', 4_000n), 'voucher.signature', change), of.terms())
const changed =
  (path: string, value: unknown) =>
  async ({ open }: BatchScene) =>
    asked(written(await open.shown('voucher', 4_000n), path, value), open.terms())
/** Against other terms, of which the payer says others than the seller. */
const against =
  (terms: Fields, accepted: Fields = {}) =>
  async ({ open }: BatchScene) => {
    const all = { ...open.terms(), ...terms }
    return asked(await open.shown('voucher', 4_000n), all, { ...all, ...accepted })
  }
const extra =
  (change: Fields) =>
  async ({ open }: BatchScene) =>
    asked(await open.shown('voucher', 4_000n), open.terms(change))

const OTHER_ID = '~channel_id_mismatch'
const PARTIES = ['payer', 'payerAuthorizer', 'receiver', 'receiverAuthorizer', 'token'] as const

/** Of vouchers and wishes for refunds both say the same. */
export const VOUCHERS: readonly Case[] = [
  ['a voucher', 'good', shown('voucher', 4_000n)],
  ['a voucher while closing', 'good', shown('voucher', 4_000n, 'closing')],
  ['a voucher of the payer', 'good', shown('voucher', 4_000n, 'unnamed')],
  [
    'a voucher of somebody else than the payer',
    '~voucher_signature',
    async ({ unnamed }) => asked(await unnamed.shown('voucher', 4_000n, aKey()), unnamed.terms()),
  ],
  [
    'a voucher of somebody else',
    '~voucher_signature',
    async ({ open }) => asked(await open.shown('voucher', 4_000n, aKey()), open.terms()),
  ],
  ['a voucher for all', 'good', shown('voucher', 10_000n)],
  ['a voucher for more', '~cumulative_exceeds_balance', shown('voucher', 10_001n)],
  ['a voucher as claimed', '~cumulative_below_claimed', shown('voucher', 3_000n)],
  ['a voucher below', '~cumulative_below_claimed', shown('voucher', 2_999n)],
  ['a voucher of a channel that is not there', '~channel_not_found', shown('voucher', 1n, 'fresh')],
  [
    'a voucher of one that is used up',
    '~cumulative_exceeds_balance',
    shown('voucher', 5_001n, 'used'),
  ],
  ['a wish for a refund', 'good', shown('refund', 4_000n)],
  ['a wish as claimed', 'good', shown('refund', 3_000n)],
  ['a wish below', '~cumulative_below_claimed', shown('refund', 2_999n)],
  ['a wish beyond', '~cumulative_exceeds_balance', shown('refund', 10_001n)],
  ['a wish for so much', 'good', shown('refund', 4_000n, 'open', { amount: '500' })],
  ['a wish for more than there is', 'good', shown('refund', 4_000n, 'open', { amount: '50000' })],
  ['a wish while closing', 'good', shown('refund', 3_000n, 'closing')],
  ['a wish from nothing', '~channel_not_found', shown('refund', 0n, 'fresh')],
  ['a forged voucher', '~voucher_signature', withSignature(forged)],
  ['a forged voucher of the payer', '~voucher_signature', withSignature(forged, 'unnamed')],
  ['a voucher with v 0 or 1', 'good', withSignature(lowV)],
  ['a voucher with v 27 for 28', '~voucher_signature', withSignature(otherV)],
  ['a short voucher', '~voucher_signature', withSignature(shorter)],
  [
    'an id in capitals',
    'good',
    async ({ open }) =>
      asked(
        written(
          await open.shown('voucher', 4_000n),
          'voucher.channelId',
          `0x${open.id.slice(2).toUpperCase()}`,
        ),
        open.terms(),
      ),
  ],

  ['the id of another channel', OTHER_ID, changed('voucher.channelId', WORD)],
  ...PARTIES.map((name): Case => [
    `another ${name} than the id says`,
    OTHER_ID,
    changed(`channelConfig.${name}`, ADDRESS),
  ]),
  ['another delay than the id says', OTHER_ID, changed('channelConfig.withdrawDelay', 901)],
  ['another salt than the id says', OTHER_ID, changed('channelConfig.salt', WORD)],
  [
    'another ceiling than signed',
    '~voucher_signature',
    changed('voucher.maxClaimableAmount', '4001'),
  ],
  ['another receiver', '~receiver_mismatch', against({ payTo: ADDRESS })],
  ['another authorizer', '~receiver_authorizer_mismatch', extra({ receiverAuthorizer: ADDRESS })],
  ['no authorizer', '~receiver_authorizer_mismatch', extra({ receiverAuthorizer: undefined })],
  ['nobody as authorizer', '~receiver_authorizer_mismatch', extra({ receiverAuthorizer: NOBODY })],
  [
    'terms of the channel manager',
    '~receiver_authorizer_mismatch',
    async ({ open }) => asked(await open.shown('voucher', 4_000n), open.managerTerms()),
  ],
  ['another delay', '~withdraw_delay_mismatch', extra({ withdrawDelay: 901 })],
  ['a delay in text', 'good', extra({ withdrawDelay: '900' })],
  ['no delay', 'good', extra({ withdrawDelay: undefined })],
  ['terms of another price', 'good', against({ amount: '1000000' })],
  ['another scheme accepted', '~scheme', against({}, { scheme: 'exact' })],
  ['another network accepted', '~network_mismatch', against({}, { network: 'eip155:8453' })],
  ['other terms accepted', 'good', against({}, { amount: '7', payTo: ADDRESS })],
  ['an unknown type', '~payload_type', shown('voucher', 4_000n, 'open', { type: 'withdrawal' })],
  ['no type', '~payload_type', shown('voucher', 4_000n, 'open', { type: undefined })],
  [
    'a claim',
    '~payload_type',
    async ({ open }) => asked(await open.claim([await open.row(4_000n)]), open.managerTerms()),
  ],
  ['a settlement', '~payload_type', async ({ open }) => asked(open.sweep(), open.managerTerms())],
]

/** Of these this one says otherwise: `theirs / ours`, and why. */
export const VOUCHERS_OTHERWISE: readonly (readonly [...Case, why: string])[] = [
  [
    'a voucher with its other s',
    'good / ~voucher_signature',
    withSignature(highS),
    'The escrow refuses it, so nobody could ever claim by it.',
  ],
  [
    'a completed refund',
    'good / ~payload_type',
    async ({ open }) =>
      asked(
        { ...(await open.refund(500n, 0n)), voucher: await open.voucher(4_000n) },
        open.terms(),
      ),
    'It is for a settlement; the stock server verifies what the payer asked for, before it completes it.',
  ],
  [
    'another token asked for',
    '~token_mismatch / asset_not_listed',
    against({ asset: ADDRESS }),
    'Only tokens that the operator lists are settled.',
  ],
  [
    'another network asked for',
    'throws / invalid_network',
    against({ network: 'eip155:8453' }),
    'The stock facilitator has no verdict on what nobody settles.',
  ],
  [
    'another scheme asked for',
    'throws / invalid_payload',
    against({ scheme: 'exact' }),
    'The stock facilitator has no verdict on a scheme that it lacks; here another scheme reads the payload.',
  ],
  [
    'version 1',
    'throws / invalid_payload',
    async ({ open }) => {
      const made = asked(await open.shown('voucher', 4_000n), open.terms())
      return { ...made, x402Version: 1, paymentPayload: { ...made.paymentPayload, x402Version: 1 } }
    },
    'The scheme has no version 1; read as one, the payment is malformed.',
  ],
  ['no voucher', '~payload_type / invalid_payload', changed('voucher', undefined), MALFORMED],
  ['no channel', 'throws / invalid_payload', changed('channelConfig', undefined), MALFORMED],
  [
    'a ceiling that is no text',
    'good / invalid_payload',
    changed('voucher.maxClaimableAmount', 4_000),
    MALFORMED,
  ],
  [
    'a ceiling in words',
    'throws / invalid_payload',
    changed('voucher.maxClaimableAmount', 'all'),
    MALFORMED,
  ],
  [
    'a ceiling beyond the escrow’s',
    '~voucher_signature / invalid_payload',
    changed('voucher.maxClaimableAmount', `${2n ** 128n}`),
    MALFORMED,
  ],
  [
    'an id too short',
    '~channel_id_mismatch / invalid_payload',
    changed('voucher.channelId', '0x07'),
    MALFORMED,
  ],
  [
    'no signature',
    '~voucher_signature / invalid_payload',
    changed('voucher.signature', ''),
    MALFORMED,
  ],
  [
    'a delay below nothing',
    'throws / invalid_payload',
    changed('channelConfig.withdrawDelay', -1),
    MALFORMED,
  ],
  [
    'a delay of half a second',
    'throws / invalid_payload',
    changed('channelConfig.withdrawDelay', 900.5),
    MALFORMED,
  ],
  [
    'a receiver that is none',
    'throws / invalid_payload',
    changed('channelConfig.receiver', '0x07'),
    MALFORMED,
  ],
  [
    'a receiver asked for that is none',
    'throws / invalid_payment_requirements',
    against({ payTo: '0x07' }),
    'Malformed terms are named as such.',
  ],
]

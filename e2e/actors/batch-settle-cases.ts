import type { Hex } from 'viem'
import type { Fields } from '@florin/wire/x402/fields.ts'
import { aKey, asked, inSeconds } from './batch-channel.ts'
import {
  ADDRESS,
  forged,
  highS,
  rewritten,
  withV,
  WORD,
  written,
  MALFORMED,
} from './batch-scene.ts'
import type { BatchScene, Case } from './batch-scene.ts'

type Whose = 'fresh' | 'open' | 'used'

/** One row of the open channel. */
const claimed =
  (total: bigint, ceiling = total) =>
  async ({ open }: BatchScene) =>
    asked(await open.claim([await open.row(total, ceiling)]), open.managerTerms())
const claimAs =
  (change: (claim: Fields) => Fields) =>
  async ({ open }: BatchScene) =>
    asked(change(await open.claim([await open.row(4_000n)])), open.managerTerms())
/** With the one row of it changed, and what the authorizer signed left as it was. */
const rowAs = (path: string, value: unknown) =>
  claimAs((claim) => {
    const [row] = claim['claims'] as readonly Fields[]
    return { ...claim, claims: [written(row ?? {}, path, value)] }
  })
const signedRow = (change: (signature: Hex) => Hex) =>
  claimAs((claim) => {
    const [row] = claim['claims'] as readonly Fields[]
    return { ...claim, claims: [rewritten(row ?? {}, 'signature', change)] }
  })
const refunded =
  (amount: bigint, nonce: bigint, whose: Whose = 'open', change: Fields = {}) =>
  async ({ [whose]: of }: BatchScene) =>
    asked({ ...(await of.refund(amount, nonce)), ...change }, of.managerTerms())
const refundAfter =
  (amount: bigint, total: bigint, ceiling = total) =>
  async ({ open }: BatchScene) =>
    asked(await open.refund(amount, 0n, [await open.row(total, ceiling)]), open.managerTerms())

const CLAIM = '~claim_simulation_failed'
const REFUND = '~refund_simulation_failed'

/** What both refuse to settle, in the same words. */
export const REFUSALS: readonly Case[] = [
  [
    'a deposit that is over',
    '~payload_authorization_valid_before',
    async ({ fresh }) =>
      asked(await fresh.deposit('eip3009', { validBefore: inSeconds(-60) }), fresh.terms()),
  ],
  [
    'a deposit with a forged voucher',
    '~voucher_signature',
    async ({ fresh }) =>
      asked(rewritten(await fresh.deposit('permit2'), 'voucher.signature', forged), fresh.terms()),
  ],
  [
    'a deposit without an approval',
    '~permit2_allowance_required',
    async ({ cold }) => asked(await cold.deposit('permit2'), cold.terms()),
  ],
  [
    'a voucher',
    '~payload_type',
    async ({ open }) => asked(await open.shown('voucher', 4_000n), open.terms()),
  ],
  [
    'a wish for a refund',
    '~payload_type',
    async ({ open }) => asked(await open.shown('refund', 4_000n), open.terms()),
  ],
  [
    'an unknown type',
    '~payload_type',
    async ({ open }) => asked({ type: 'withdrawal' }, open.terms()),
  ],

  [
    'a claim that is not signed',
    '~authorizer_not_configured',
    claimAs((claim) => ({ ...claim, claimAuthorizerSignature: undefined })),
  ],
  [
    'a claim signed by somebody else',
    CLAIM,
    async ({ open }) =>
      asked(await open.claim([await open.row(4_000n)], aKey()), open.managerTerms()),
  ],
  [
    'a claim that is forged',
    CLAIM,
    claimAs((claim) => ({ ...claim, claimAuthorizerSignature: forged() })),
  ],
  ['a claim beyond the ceiling', CLAIM, claimed(4_001n, 4_000n)],
  ['a claim beyond the balance', CLAIM, claimed(10_001n)],
  [
    'a claim of a voucher of somebody else',
    CLAIM,
    async ({ open }) =>
      asked(await open.claim([await open.row(4_000n, 4_000n, aKey())]), open.managerTerms()),
  ],
  ['a claim of a forged voucher', CLAIM, signedRow(forged)],
  ['a claim of a voucher with its other s', CLAIM, signedRow(highS)],
  ['a claim of a voucher with v 29', CLAIM, signedRow(withV(29))],
  ['a claim of another total than signed', CLAIM, rowAs('totalClaimed', '3999')],
  ['a claim of another ceiling than signed', CLAIM, rowAs('voucher.maxClaimableAmount', '5000')],
  ['a claim of another channel than signed', CLAIM, rowAs('voucher.channel.salt', WORD)],
  [
    'a claim of a channel that is not there',
    CLAIM,
    async ({ fresh }) => asked(await fresh.claim([await fresh.row(1n)]), fresh.managerTerms()),
  ],
  [
    'one bad row among good ones',
    CLAIM,
    async ({ open }) =>
      asked(
        await open.claim([await open.row(4_000n), await open.row(20_000n)]),
        open.managerTerms(),
      ),
  ],

  [
    'nothing to settle',
    '~nothing_to_settle',
    async ({ used }) => asked(used.sweep(), used.managerTerms()),
  ],
  [
    'nothing ever',
    '~nothing_to_settle',
    async ({ fresh }) => asked(fresh.sweep(), fresh.managerTerms()),
  ],
  [
    'nothing, with the terms of a route',
    '~nothing_to_settle',
    async ({ used }) => asked(used.sweep(), used.terms()),
  ],

  [
    'a refund that is not signed',
    '~authorizer_not_configured',
    refunded(500n, 0n, 'open', { refundAuthorizerSignature: undefined }),
  ],
  ['a refund of nothing left', '~refund_no_balance', refunded(500n, 0n, 'used')],
  ['a refund from nothing', '~refund_no_balance', refunded(500n, 0n, 'fresh')],
  ['a refund of nothing', REFUND, refunded(0n, 0n)],
  ['a refund of a nonce to come', REFUND, refunded(500n, 1n)],
  [
    'a refund that is forged',
    REFUND,
    refunded(500n, 0n, 'open', { refundAuthorizerSignature: forged() }),
  ],
  ['a refund of another amount than signed', REFUND, refunded(500n, 0n, 'open', { amount: '501' })],
  [
    'a refund signed by somebody else',
    REFUND,
    async ({ open }) => asked(await open.refund(500n, 0n, [], aKey()), open.managerTerms()),
  ],
  ['a refund after a claim of all', '~refund_no_balance', refundAfter(500n, 10_000n)],
  ['a refund after a claim of more', REFUND, refundAfter(500n, 10_001n)],
  ['a refund after a claim beyond its ceiling', REFUND, refundAfter(500n, 4_001n, 4_000n)],
  [
    'a refund after a claim that is not signed',
    '~authorizer_not_configured',
    async (scene) => {
      const made = await refundAfter(500n, 4_000n)(scene)
      const { payload, accepted } = made.paymentPayload
      const { claimAuthorizerSignature: _, ...others } = payload
      return asked(others, accepted)
    },
  ],
]

/** What this one refuses in other words: `theirs / ours`, and why. */
export const REFUSALS_OTHERWISE: readonly (readonly [...Case, why: string])[] = [
  [
    'a deposit again',
    '~deposit_simulation_failed / duplicate_settlement',
    async ({ spent, open }) =>
      asked({ ...spent, voucher: await open.voucher(4_000n) }, open.terms()),
    'It was made here, and its success was told: whoever asks hears that.',
  ],
  [
    'a claim of nothing',
    '~claim_simulation_failed / invalid_payload',
    async ({ open }) => asked(await open.claim([]), open.managerTerms()),
    MALFORMED,
  ],
  [
    'claims that are no list',
    'throws / invalid_payload',
    claimAs((claim) => ({ ...claim, claims: {} })),
    MALFORMED,
  ],
  ['a total in words', 'throws / invalid_payload', rowAs('totalClaimed', 'all'), MALFORMED],
  [
    'a claim in another token',
    '~claim_simulation_failed / ~token_mismatch',
    rowAs('voucher.channel.token', ADDRESS),
    'What the terms do not name is not moved for them: they say which account is paid.',
  ],
  [
    'a settlement of another receiver',
    '~nothing_to_settle / ~receiver_mismatch',
    async ({ used, fresh }) => asked(used.sweep(), fresh.managerTerms()),
    'What the terms do not name is not moved for them: they say which account is paid.',
  ],
  [
    'a settlement in another token',
    '~nothing_to_settle / ~token_mismatch',
    async ({ used }) => asked({ ...used.sweep(), token: ADDRESS }, used.managerTerms()),
    'What the terms do not name is not moved for them: they say which account is paid.',
  ],
  [
    'a settlement of nobody',
    'throws / invalid_payload',
    async ({ used }) => asked({ ...used.sweep(), receiver: 'nobody' }, used.managerTerms()),
    MALFORMED,
  ],
  [
    'a refund of another receiver',
    '~refund_no_balance / ~receiver_mismatch',
    async ({ used, fresh }) => asked(await used.refund(500n, 0n), fresh.managerTerms()),
    'What the terms do not name is not moved for them: they say which account is paid.',
  ],
  [
    'a refund with a claim of another channel',
    '~refund_simulation_failed / ~channel_id_mismatch',
    async ({ open, used }) =>
      asked(await open.refund(500n, 0n, [await used.row(5_000n)]), open.managerTerms()),
    'Of other channels nothing was said by whoever asked for this refund.',
  ],
  [
    'a refund below nothing',
    '~refund_transaction_failed / invalid_payload',
    refunded(500n, 0n, 'open', { amount: '-1' }),
    MALFORMED,
  ],
  [
    'a deposit with another scheme accepted',
    '~voucher_signature / ~scheme',
    async ({ fresh }) =>
      asked(rewritten(await fresh.deposit('eip3009'), 'voucher.signature', forged), fresh.terms(), {
        ...fresh.terms(),
        scheme: 'exact',
      }),
    'A settlement is held against what was accepted, as a verification is.',
  ],
]

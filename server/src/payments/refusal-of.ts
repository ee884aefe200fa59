import { formatAmount } from '@florin/wire/amount.ts'
import { Refusal } from '@florin/wire/errors.ts'
import type { CarryOrder } from './carry.ts'
import type { Refused } from './decide-sends.ts'

/** Why a signing transaction stored nothing. */
export type NotStored =
  | { readonly kind: 'mismatch' | 'frozen' | 'halted' | 'unfollowed' | 'wallet_gone' }
  | Exclude<Refused, { kind: 'stale' }>

const FROZEN_RETRY_SECONDS = 60

/** The rule alone would not say which of a payment's fields a list leaves out. */
const LEFT_OUT = {
  limits:
    "The wallet's spending policy has limits, and none for this asset, which may not be spent",
  recipients:
    "The wallet's spending policy names whom it may pay, and this recipient is not among them",
  resources:
    "The wallet's spending policy names what it may pay for, and `resource` is none of that, or was left out",
} as const

/** The same as the caller is told it. */
export function refusalOf(
  decision: NotStored,
  { chain, asset }: Pick<CarryOrder, 'chain' | 'asset'>,
): Refusal {
  switch (decision.kind) {
    case 'mismatch':
      return new Refusal('IDEMPOTENCY_MISMATCH')
    case 'wallet_gone':
      return new Refusal('NOT_FOUND', { message: 'There is no such wallet.' })
    case 'frozen':
      return new Refusal('NETWORK_ERROR', {
        retryAfterSeconds: FROZEN_RETRY_SECONDS,
        message:
          'This wallet is stopped until an operator has looked at it: something else has used its key.',
      })
    case 'halted':
      return new Refusal('NETWORK_ERROR', {
        retryAfterSeconds: FROZEN_RETRY_SECONDS,
        message: 'This network is stopped until an operator has looked at it.',
      })
    case 'unfollowed':
      return new Refusal('NETWORK_ERROR', {
        retryAfterSeconds: 1,
        message: 'This network has not been reached yet since it was set up.',
      })
    case 'policy': {
      const { refusal } = decision
      return new Refusal('POLICY_REFUSED', {
        details: { ...refusal },
        ...('left' in refusal
          ? {}
          : { message: `${LEFT_OUT[refusal.rule]} (rule: ${refusal.rule}).` }),
      })
    }
    case 'short': {
      const { funds } = decision
      const native = chain.config.assets.find((profile) => profile.asset === 'native')
      const { decimals, symbol } = funds.asset === 'native' && native !== undefined ? native : asset
      return new Refusal('INSUFFICIENT_BALANCE', {
        details: {
          required: formatAmount(funds.required, decimals),
          available: formatAmount(funds.available, decimals),
          asset: symbol,
        },
      })
    }
    default:
      return decision satisfies never
  }
}

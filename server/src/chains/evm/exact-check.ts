import type { Reason } from '@florin/wire/x402/reasons.ts'
import type { AssetProfile } from '../../kernel/network-config.ts'
import type { ExactCheck } from '../exact.ts'
import type { Domain } from './eip712.ts'
import { authorizationStateView } from './eip3009.ts'
import type { Authorization } from './eip3009.ts'
import { balanceView, blockTimeView } from './multicall.ts'
import type { PayerCode } from './payer-code.ts'
import type { ViewPool } from './view-pool.ts'

/** A settlement needs time to be included: an authorization that ends within it is refused. Source: the reference's margin. */
const VALID_BEFORE_MARGIN_SECONDS = 6n
const NO_SUCH_FUNCTION = 2n

/** What the check needs to know of an authorization. */
export interface Checked {
  readonly authorization: Authorization
  /** The domain that the seller named and the payer signed. */
  readonly domain: Pick<Domain, 'name' | 'version'>
  readonly asset: AssetProfile
}

/**
 * Asks the token whether it would move the money. Time is the chain's, not this machine's. The reasons come in the order in which
 * the reference looks for them, the account's code first.
 */
export async function checkAuthorization(
  { views, code, fresh }: { views: ViewPool; code: PayerCode; fresh: boolean },
  { authorization, domain, asset }: Checked,
): Promise<ExactCheck> {
  const { token, from, value, validAfterSeconds, validBeforeSeconds } = authorization
  const [hasCode, [used = 0n, balance = 0n, now = 0n]] = await Promise.all([
    fresh ? code.hasCodeNow(from) : code.hasCode(from),
    views.read([
      authorizationStateView(authorization, NO_SUCH_FUNCTION),
      balanceView(from, token),
      blockTimeView,
    ]),
  ])
  const no = (reason: Reason, message?: string): ExactCheck => ({
    ok: false,
    reason,
    ...(message === undefined ? {} : { message }),
    ...(used === 1n ? { isUsed: true } : {}),
  })
  if (hasCode) {
    // The token asks the account's own code (EIP-1271) and does not look at the key.
    const message = 'The payer is an account with code; such accounts are not taken.'
    return no('invalid_exact_evm_signature', message)
  }
  if (validBeforeSeconds < now + VALID_BEFORE_MARGIN_SECONDS) {
    return no('invalid_exact_evm_payload_authorization_valid_before')
  }
  if (validAfterSeconds > now) {
    return no('invalid_exact_evm_payload_authorization_valid_after')
  }
  if (used === NO_SUCH_FUNCTION) {
    return no('invalid_exact_evm_eip3009_not_supported')
  }
  if (used !== 0n) return no('invalid_exact_evm_nonce_already_used')
  if (domain.name !== asset.domain?.name) {
    return no('invalid_exact_evm_token_name_mismatch')
  }
  if (domain.version !== asset.domain.version) {
    return no('invalid_exact_evm_token_version_mismatch')
  }
  if (balance < value) return no('invalid_exact_evm_insufficient_balance')
  return { ok: true }
}

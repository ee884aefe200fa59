import type { Reason } from '@florin/wire/x402/reasons.ts'
import type { SpareTurns } from '../../kernel/spare-turns.ts'
import type { AssetProfile } from '../../kernel/network-config.ts'
import type { ExactCheck } from '../exact.ts'
import type { Transport } from '../json-rpc/transport.ts'
import type { Domain } from './eip712.ts'
import type { Authorization } from './eip3009.ts'
import {
  DEPLOYMENT_GAS_MAX,
  saysYes,
  WALLET_GAS_MAX,
  walletCall,
  wouldSucceed,
} from './exact-wallet.ts'
import type { KeySignature } from './key-signature.ts'
import type { PayerCode } from './payer-code.ts'
import type { Standing } from './standing-code.ts'
import type { StandingPool } from './standing-pool.ts'

/** A settlement needs time to be included: an authorization that ends within it is refused. Source: the reference's margin. */
const VALID_BEFORE_MARGIN_SECONDS = 6n
const USED = 1n
const NO_SUCH_FUNCTION = 2n

/** What the check needs to know of an authorization. */
export interface Checked {
  readonly authorization: Authorization
  /** The domain that the seller named and the payer signed. */
  readonly domain: Pick<Domain, 'name' | 'version'>
  readonly asset: AssetProfile
  readonly signature: KeySignature
}

/** Whose word counts: the plain key's, that of code, or that of code which is made first. */
export type Found = { readonly ok: true; readonly by: 'key' | 'wallet' | 'deployment' }

export interface CheckDeps {
  readonly standings: StandingPool
  readonly code: PayerCode
  readonly transport: Pick<Transport, 'read'>
  readonly factories: ReadonlySet<string>
  /** The payer's code is asked for now. */
  readonly fresh: boolean
  /** The signature was judged before a claim was made: it may have paid, whatever the payer's code says now. Left out: it was not. */
  readonly wasJudged?: true | undefined
  /**
   * Nobody has looked at the signature: that is done here while the node answers, as far as there is time for it, and else the node is asked who
   * signed. Left out: it was looked at, or is before anything is asked.
   */
  readonly inSpareTurns?: SpareTurns | undefined
}

type Refusal = Exclude<ExactCheck, { ok: true }>
type Verdict = Found | Refusal

/** What is known of a payer before a check. */
export interface Known {
  /** Asked a moment ago. */
  readonly hasCode: boolean
  /** Of a call that has just run. Left out: asked. */
  readonly standing?: Standing
}

/**
 * Asks the token whether it would move the money. Time is the chain's, not this machine's. The reasons come in the order in which
 * the reference looks for them, the account's code first. A token asks an account's own code (EIP-1271, delegated keys included) and never
 * looks at a key then, so its code is asked here, too; and the whole call is run, since code may answer the token otherwise.
 * What is known already is not asked once more.
 */
export async function checkAuthorization(
  deps: CheckDeps,
  checked: Checked,
  known?: Known,
): Promise<Verdict> {
  const { standings, code, fresh, inSpareTurns } = deps
  const { authorization, signature } = checked
  if (inSpareTurns !== undefined) {
    const standing = await standings.read(authorization, () =>
      inSpareTurns(() => signature.look()) ? undefined : signature.question(),
    )
    if (standing.signer !== undefined) signature.hear(standing.signer)
    return judgeStanding(deps, checked, { hasCode: standing.hasCode, standing })
  }
  if (isWhole(known)) return judgeStanding(deps, checked, known)
  const { from } = authorization
  const [hasCode, standing] = await Promise.all([
    // Where everything depends on the code, no earlier "none" is believed: it may have been made since.
    known?.hasCode ?? (fresh || !signature.isGood() ? code.hasCodeNow(from) : code.hasCode(from)),
    known?.standing ?? standings.read(authorization),
  ])
  return judgeStanding(deps, checked, { hasCode, standing })
}

function isWhole(known: Known | undefined): known is Required<Known> {
  return known?.standing !== undefined
}

/** What was asked, judged in the reference's order. A promise only where code has a word in it. */
function judgeStanding(
  deps: CheckDeps,
  checked: Checked,
  { hasCode, standing }: Required<Known>,
): Verdict | Promise<Verdict> {
  const isKeySigned = checked.signature.isGood()
  if (!isKeySigned || hasCode) {
    return judgeByCode(deps, checked, hasCode ? 'wallet' : 'deployment', standing)
  }
  return faultOf(checked, standing, true) ?? { ok: true, by: 'key' }
}

/** The same, where the word of the payer's code counts, or that of code which is made first. */
async function judgeByCode(
  { transport, factories, wasJudged }: CheckDeps,
  checked: Checked,
  by: 'wallet' | 'deployment',
  standing: Standing,
): Promise<Verdict> {
  const { authorization, asset, signature } = checked
  const { deployment } = authorization
  let isProven = signature.isGood() || wasJudged === true
  const no = (reason: Reason, message?: string) =>
    refusal(reason, isProven && standing.used === USED, message)
  switch (by) {
    case 'wallet':
      if (asset.takesWalletSignatures !== true) {
        const message = 'The payer is an account with code, and this token does not ask code.'
        return no('invalid_exact_evm_signature', message)
      }
      if (!(await saysYes(transport, authorization, signature.digest()))) {
        return no('invalid_exact_evm_signature')
      }
      isProven = true
      break
    case 'deployment':
      if (deployment === undefined) return no('invalid_exact_evm_signature')
      if (!factories.has(deployment.factory)) return no('eip6492_factory_not_allowed')
      break
    default:
      by satisfies never
  }
  const fault = faultOf(checked, standing, isProven)
  if (fault !== undefined) return fault
  const isMade = by === 'deployment'
  const call = walletCall(authorization, isMade ? deployment : undefined)
  const isGood = await wouldSucceed(transport, call, isMade ? DEPLOYMENT_GAS_MAX : WALLET_GAS_MAX)
  return isGood ? { ok: true, by } : no('invalid_exact_evm_transaction_simulation_failed')
}

/** What stands against a payment that was signed, undefined when nothing does. */
function faultOf(
  { authorization, domain, asset }: Checked,
  { used, balance, nowSeconds }: Standing,
  isProven: boolean,
): Refusal | undefined {
  const no = (reason: Reason) => refusal(reason, isProven && used === USED)
  const { value, validAfterSeconds, validBeforeSeconds } = authorization
  if (validBeforeSeconds < nowSeconds + VALID_BEFORE_MARGIN_SECONDS) {
    return no('invalid_exact_evm_payload_authorization_valid_before')
  }
  if (validAfterSeconds > nowSeconds) {
    return no('invalid_exact_evm_payload_authorization_valid_after')
  }
  if (used === NO_SUCH_FUNCTION) return no('invalid_exact_evm_eip3009_not_supported')
  if (used !== 0n) return no('invalid_exact_evm_nonce_already_used')
  if (domain.name !== asset.domain?.name) return no('invalid_exact_evm_token_name_mismatch')
  if (domain.version !== asset.domain.version) {
    return no('invalid_exact_evm_token_version_mismatch')
  }
  return balance < value ? no('invalid_exact_evm_insufficient_balance') : undefined
}

/** `isUsed` where it was used by whoever may have signed it. */
function refusal(reason: Reason, isUsed: boolean, message?: string): Refusal {
  return {
    ok: false,
    reason,
    ...(message === undefined ? {} : { message }),
    ...(isUsed ? { isUsed } : {}),
  }
}

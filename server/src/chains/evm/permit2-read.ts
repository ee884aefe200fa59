import { unitsOf } from '@florin/wire/x402/fields.ts'
import type { Fields } from '@florin/wire/x402/fields.ts'
import { parseApprovalTransaction } from '@florin/wire/x402/approval-transaction.ts'
import { parseAllowancePermit, parsePermit2Payload } from '@florin/wire/x402/permit2-payload.ts'
import type { AllowancePermit } from '@florin/wire/x402/permit2-payload.ts'
import type { Reason } from '@florin/wire/x402/reasons.ts'
import type { Address } from '../chain.ts'
import type { ExactAuthorization, ExactDemand, ExactRead } from '../exact.ts'
import { parseAddress, requireAddress } from './account.ts'
import { hexBytes } from './hex.ts'
import { evenV, isPermit2Contract, PERMIT2, permit2Digest, permit2Key, PROXIES } from './permit2.ts'
import type { Permit2Authorization, Permit2Scheme, TokenPermit } from './permit2.ts'
import { readApproval, restoredApproval } from './permit2-approval.ts'
import { openRecoveredSigners } from './recovered-signers.ts'
import { isWrapped } from './wallet-signature.ts'

/** How a payment by Permit2 is told from others where it is stored. */
const METHOD = 'permit2'

/** A payment by Permit2 as it was read, and what was found out about it without a node. */
export interface CheckedPermit2 {
  readonly authorization: Permit2Authorization
  /** The payer's plain key signed it. */
  readonly isKeySigned: boolean
  readonly digest: () => Uint8Array
}

/** Reads payloads of Permit2 against demands. */
export interface Permit2Reader {
  read(payload: Fields, demand: ExactDemand): ExactRead
  restore(stored: Readonly<Record<string, string>>): CheckedPermit2
}

/** Whether what is stored is a payment by Permit2. */
export function isPermit2Stored(stored: Readonly<Record<string, string>>): boolean {
  return stored['method'] === METHOD
}

/**
 * `takes`: the schemes whose proxy the operator says to be on this network. `takesApprovals`: transactions of payers that approve Permit2 are
 * submitted; left out, what comes of them is not looked at.
 */
export function openPermit2Reader(
  chainId: bigint,
  takes: readonly Permit2Scheme[],
  takesApprovals = false,
): Permit2Reader {
  const recovered = openRecoveredSigners()

  function checked(authorization: Permit2Authorization): CheckedPermit2 {
    const { from, signature } = authorization
    const digest = () => permit2Digest(authorization, chainId)
    const isKeySigned = recovered.isSigned(from, signature, digest)
    // Permit2 hands v to ecrecover as it is; of an account's own signature nothing is known.
    const called = isKeySigned ? { ...authorization, signature: evenV(signature) } : authorization
    return { authorization: called, isKeySigned, digest }
  }

  return {
    read: (payload, demand) => {
      const { asset, payTo, amount, settlers, scheme = 'exact', extensions = {} } = demand
      const parsed = parsePermit2Payload(payload, parseAddress)
      if (parsed === undefined) return { ok: false, reason: 'invalid_payload', payer: null }
      const payer = parsed.from
      const refused = (reason: Reason): ExactRead => ({ ok: false, reason, payer })
      if (!takes.includes(scheme)) return refused('permit2_proxy_not_deployed')
      const [token, spender, to] = [parsed.token, parsed.spender, parsed.to].map(requireAddress)
      if (spender !== PROXIES[scheme]) return refused('invalid_permit2_spender')
      if (to !== payTo || isPermit2Contract(payTo))
        return refused('invalid_permit2_recipient_mismatch')
      const facilitator = scheme === 'upto' ? facilitatorOf(parsed.facilitator, settlers) : null
      if (facilitator === undefined) {
        return refused(
          parsed.facilitator === null ? 'unsupported_payload_type' : 'upto_facilitator_mismatch',
        )
      }
      const permitted: bigint = parsed.permitted
      if (scheme === 'upto' && demand.isSettling === true) {
        if (amount > permitted) return refused('invalid_upto_evm_payload_settlement_exceeds_amount')
      } else if (permitted !== amount) return refused('permit2_amount_mismatch')
      if (permitted === 0n) return refused('permit2_amount_mismatch')
      if (token !== asset.asset) return refused('permit2_token_mismatch')
      const from = requireAddress(payer)
      const permit = parseAllowancePermit(extensions, parseAddress)
      const problem = permit === undefined ? undefined : permitProblem(permit, { from, token })
      const { signature: text, nonce, deadlineSeconds, validAfterSeconds } = parsed
      const signature = Buffer.from(text.slice(2), 'hex')
      // An account that is yet to be made answers for nothing here.
      if (isWrapped(signature)) return refused('invalid_permit2_signature')
      // As in the reference, a permit comes first, and whatever else came with it is left alone.
      const said = permit === undefined && takesApprovals ? approvalIn(extensions) : undefined
      const approval = said && readApproval(said, { from, token, value: amount }, chainId)
      const read = checked({
        ...{ scheme, token, from, to, permitted, value: amount, nonce, deadlineSeconds },
        ...{ validAfterSeconds, facilitator, signature },
        ...(permit === undefined || permit === 'malformed'
          ? {}
          : { permit: tokenPermitOf(permit) }),
        ...(approval?.ok === true ? { approval: approval.approval } : {}),
      })
      if (problem !== undefined) return refused(problem)
      if (approval?.ok === false) return refused(approval.reason)
      return { ok: true, authorization: described(read, demand, text) }
    },
    restore: (stored) => checked(restored(stored)),
  }
}

function facilitatorOf(named: string | null, settlers: ReadonlySet<Address>): Address | undefined {
  const address = named === null ? undefined : parseAddress(named)
  return address !== undefined && settlers.has(address) ? address : undefined
}

/** What speaks against a permit before anybody is asked. Source: the reference's `validateEip2612PermitForPayment`. */
export function permitProblem(
  permit: AllowancePermit | 'malformed',
  { from, token }: Pick<Permit2Authorization, 'from' | 'token'>,
): Reason | undefined {
  if (permit === 'malformed') return 'invalid_eip2612_extension_format'
  if (permit.from !== from) return 'eip2612_from_mismatch'
  if (permit.asset !== token) return 'eip2612_asset_mismatch'
  if (permit.spender !== PERMIT2) return 'eip2612_spender_not_permit2'
  return undefined
}

function approvalIn(extensions: Fields) {
  return parseApprovalTransaction(extensions, parseAddress)
}

/** As a call has it. */
export function tokenPermitOf({
  amount,
  deadlineSeconds,
  signature,
}: AllowancePermit): TokenPermit {
  return { value: amount, deadlineSeconds, signature: Buffer.from(signature.slice(2), 'hex') }
}

function described(
  { authorization, isKeySigned }: CheckedPermit2,
  { asset, payTo, amount }: ExactDemand,
  signature: string,
): ExactAuthorization {
  const { scheme, token, from, to, permitted, nonce, deadlineSeconds } = authorization
  const { validAfterSeconds, facilitator, permit, approval } = authorization
  return {
    proofKey: permit2Key(authorization),
    payer: from,
    asset,
    payTo,
    amount,
    validBeforeSeconds: deadlineSeconds + 1n,
    feePayer: null,
    permit2: scheme,
    ...(facilitator === null ? {} : { onlySettler: facilitator }),
    ...(isKeySigned ? {} : { awaitsCode: true }),
    stored: {
      method: METHOD,
      pays: scheme,
      token,
      from,
      to,
      value: `${amount}`,
      permitted: `${permitted}`,
      nonce: `${nonce}`,
      deadline: `${deadlineSeconds}`,
      validAfter: `${validAfterSeconds}`,
      signature,
      ...(facilitator === null ? {} : { facilitator }),
      ...(approval === undefined ? {} : { approval: hexBytes(approval.raw) }),
      ...(permit === undefined
        ? {}
        : {
            permitValue: `${permit.value}`,
            permitDeadline: `${permit.deadlineSeconds}`,
            permitSignature: hexBytes(permit.signature),
          }),
    },
  }
}

/** What was described, from the books. Throws when it is none: a bug. */
function restored(stored: Readonly<Record<string, string>>): Permit2Authorization {
  const units = (name: string): bigint => {
    const value = unitsOf(stored[name])
    if (value === undefined) throw new Error('a stored authorization that is none')
    return value
  }
  const address = (name: string): Address => requireAddress(stored[name] ?? '')
  const bytes = (name: string): Uint8Array => Buffer.from((stored[name] ?? '').slice(2), 'hex')
  return {
    scheme: stored['pays'] === 'upto' ? 'upto' : 'exact',
    token: address('token'),
    from: address('from'),
    to: address('to'),
    permitted: units('permitted'),
    value: units('value'),
    nonce: units('nonce'),
    deadlineSeconds: units('deadline'),
    validAfterSeconds: units('validAfter'),
    facilitator: stored['facilitator'] === undefined ? null : address('facilitator'),
    signature: bytes('signature'),
    ...(stored['approval'] === undefined ? {} : { approval: restoredApproval(bytes('approval')) }),
    ...(stored['permitSignature'] === undefined
      ? {}
      : {
          permit: {
            value: units('permitValue'),
            deadlineSeconds: units('permitDeadline'),
            signature: bytes('permitSignature'),
          },
        }),
  }
}

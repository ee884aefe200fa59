import { parseEip3009Payload } from '@florin/wire/x402/eip3009-payload.ts'
import type { Eip3009Payload } from '@florin/wire/x402/eip3009-payload.ts'
import { textOf } from '@florin/wire/x402/fields.ts'
import type { Fields } from '@florin/wire/x402/fields.ts'
import type { Address } from '../chain.ts'
import type { ExactAuthorization, ExactDemand, ExactRead } from '../exact.ts'
import { parseAddress } from './account.ts'
import { domainSeparator, typedDataDigest } from './eip712.ts'
import type { Domain } from './eip712.ts'
import { authorizationHash, authorizationKey, authorizationOf } from './eip3009.ts'
import type { Authorization } from './eip3009.ts'
import type { Checked } from './exact-check.ts'
import { openKeySignature } from './key-signature.ts'
import type { KeySignature } from './key-signature.ts'
import { openRecoveredSigners } from './recovered-signers.ts'
import { isOneOfAKind } from './secp256k1.ts'
import { isWrapped } from './wallet-signature.ts'

const SEPARATORS_MAX = 256

/** Reads payloads against demands, and remembers what cost a hash or a curve operation. */
export interface ExactReader {
  read(payload: Fields, demand: ExactDemand): ExactRead
  restore(stored: Readonly<Record<string, string>>, asset: ExactDemand['asset']): Checked
}

/** The caches hold facts that never change; they are bounded in count. */
export function openExactReader(
  chainId: bigint,
  /** Whether what follows says all that looking at the signature would: running a settlement of this token, or a check. */
  judges: (by: NonNullable<ExactDemand['judgedBy']>, token: Address) => boolean = () => false,
): ExactReader {
  const separators = new Map<string, Uint8Array>()
  let last: { name: string; version: string; token: string; separator: Uint8Array } | undefined
  const recovered = openRecoveredSigners()
  /** Tells what this reader has read from what another has. */
  const readBy = {}

  function separatorOf(domain: Domain): Uint8Array {
    const { name, version, verifyingContract } = domain
    // Nearly every payment of a network is in the same token.
    if (last?.name === name && last.version === version && last.token === verifyingContract) {
      return last.separator
    }
    const separator = separatorKept(domain)
    last = { name, version, token: verifyingContract, separator }
    return separator
  }

  function separatorKept(domain: Domain): Uint8Array {
    const key = JSON.stringify([domain.name, domain.version, domain.verifyingContract])
    const known = separators.get(key)
    if (known !== undefined) return known
    const made = domainSeparator(domain)
    separators.set(key, made)
    dropOldest(separators, SEPARATORS_MAX)
    return made
  }

  function digestOf(authorization: Authorization, domain: Domain): Uint8Array {
    return typedDataDigest(separatorOf(domain), authorizationHash(authorization))
  }

  function signatureOf(authorization: Authorization, domain: Domain): KeySignature {
    return openKeySignature(authorization, () => digestOf(authorization, domain), recovered)
  }

  return {
    read: (payload, demand) => {
      const { asset, payTo, amount, extra } = demand
      const parsed = parseEip3009Payload(payload, parseAddress)
      if (parsed === undefined) return { ok: false, reason: 'invalid_payload', payer: null }
      const token = parseAddress(asset.asset)
      if (token === undefined) return { ok: false, reason: 'asset_not_listed', payer: parsed.from }
      const refused = (reason: Exclude<ExactRead, { ok: true }>['reason']): ExactRead => ({
        ok: false,
        reason,
        payer: parsed.from,
      })
      const name = textOf(extra['name'])
      const version = textOf(extra['version'])
      if (name === undefined || version === undefined) {
        return refused('invalid_exact_evm_missing_eip712_domain')
      }
      const authorization = authorizationOf(parsed, token)
      const takesWallets = asset.takesWalletSignatures === true
      // What is wrapped twice, or badly, is nobody's signature.
      if (isWrapped(authorization.signature)) return refused('eip6492_factory_not_allowed')
      if (authorization.deployment !== undefined && !takesWallets) {
        return refused('eip6492_factory_not_allowed')
      }
      const domain = { name, version, chainId, verifyingContract: token }
      // What has a fault besides is told in the order in which faults are looked for, the signature's first; and whoever makes its account signs as one.
      const isMeant =
        authorization.to === payTo &&
        authorization.from !== payTo &&
        authorization.value === amount &&
        authorization.deployment === undefined &&
        name === asset.domain?.name &&
        version === asset.domain.version
      const isUnjudged =
        isMeant &&
        demand.judgedBy !== undefined &&
        isOneOfAKind(authorization.signature) &&
        judges(demand.judgedBy, token)
      const signature = signatureOf(authorization, domain)
      if (!isUnjudged && !takesWallets && !signature.isGood()) {
        return refused('invalid_exact_evm_signature')
      }
      if (authorization.to !== payTo) return refused('invalid_exact_evm_recipient_mismatch')
      if (authorization.value !== amount) {
        return refused('invalid_exact_evm_payload_authorization_value_mismatch')
      }
      const checked = { authorization, domain, asset, signature }
      const stored = new JustRead(parsed, checked, readBy)
      const described = describe(checked, demand, parsed.nonce, stored)
      if (isUnjudged) return { ok: true, authorization: { ...described, isUnjudged } }
      return signature.isGood()
        ? { ok: true, authorization: described }
        : { ok: true, authorization: { ...described, awaitsCode: true } }
    },
    restore: (stored, asset) => {
      const known = JustRead.checkedOf(stored, readBy)
      if (known?.asset === asset) return known
      const token = parseAddress(stored['token'] ?? '')
      const parsed = parseEip3009Payload(
        { signature: stored['signature'], authorization: stored },
        parseAddress,
      )
      if (token === undefined || token !== asset.asset || parsed === undefined) {
        throw new Error('a stored authorization that is none')
      }
      const { name = '', version = '' } = stored
      const authorization = authorizationOf(parsed, token)
      const domain = { name, version, chainId, verifyingContract: token }
      return {
        authorization,
        domain: { name, version },
        asset,
        signature: signatureOf(authorization, domain),
      }
    },
  }
}

function describe(
  { authorization }: Checked,
  { asset, payTo, amount }: ExactDemand,
  nonce: string,
  stored: JustRead,
): ExactAuthorization {
  const { from, validBeforeSeconds } = authorization
  return {
    proofKey: authorizationKey(authorization, nonce),
    payer: from,
    asset,
    payTo,
    amount,
    validBeforeSeconds,
    feePayer: null,
    stored,
  }
}

/**
 * What is stored of an authorization, which while it is the one that was read need not be parsed again. A field of its own instead of a weak map beside
 * it, whose entries the collector has to go through in each of its passes.
 */
class JustRead {
  readonly [field: string]: string
  readonly token: string
  readonly name: string
  readonly version: string
  readonly from: string
  readonly to: string
  readonly value: string
  readonly validAfter: string
  readonly validBefore: string
  readonly nonce: string
  readonly signature: string
  readonly #checked: Checked
  readonly #readBy: object

  /** @param readBy the reader: what one network's has read says nothing to another's. */
  constructor(
    { nonce, signature }: Pick<Eip3009Payload<Address>, 'nonce' | 'signature'>,
    checked: Checked,
    readBy: object,
  ) {
    const { authorization, domain } = checked
    this.token = authorization.token
    this.name = domain.name
    this.version = domain.version
    this.from = authorization.from
    this.to = authorization.to
    this.value = `${authorization.value}`
    this.validAfter = `${authorization.validAfterSeconds}`
    this.validBefore = `${authorization.validBeforeSeconds}`
    this.nonce = nonce
    this.signature = signature
    this.#checked = checked
    this.#readBy = readBy
  }

  static checkedOf(stored: Readonly<Record<string, string>>, readBy: object): Checked | undefined {
    return stored instanceof JustRead && stored.#readBy === readBy ? stored.#checked : undefined
  }
}

function dropOldest(kept: Map<string, unknown>, countMax: number): void {
  if (kept.size <= countMax) return
  for (const oldest of kept.keys()) {
    kept.delete(oldest)
    return
  }
}

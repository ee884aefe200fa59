import type { AuthorizeOutcome, PayOrder, PreparedAuthorization } from '../exact.ts'
import { parseAddress } from './account.ts'
import { authorizationHash } from './eip3009.ts'
import { domainSeparator, typedDataDigest } from './eip712.ts'
import type { ExactReader } from './exact-read.ts'
import { hexBytes } from './hex.ts'

/**
 * An EIP-3009 authorization for the seller, in the token's domain as the operator configured it: what the seller says of the domain is
 * compared and never used. Asks no node. Source: x402 `exact` on EVM.
 */
export function prepareAuthorization(
  { chainId, reader }: { readonly chainId: bigint; readonly reader: Pick<ExactReader, 'read'> },
  { asset, payer, payTo, amount, extra, validBeforeSeconds, salt: nonce }: PayOrder,
): AuthorizeOutcome {
  const { domain } = asset
  const { name, version, assetTransferMethod } = extra
  const token = parseAddress(asset.asset)
  if (domain === undefined || token === undefined) return { ok: false, reason: 'asset' }
  const isOther = (said: unknown, known: string) => (said ?? known) !== known
  if (isOther(name, domain.name) || isOther(version, domain.version)) {
    return { ok: false, reason: 'domain' }
  }
  if (isOther(assetTransferMethod, 'eip3009')) return { ok: false, reason: 'method' }
  const terms = {
    token,
    from: payer,
    to: payTo,
    value: amount,
    validAfterSeconds: 0n,
    validBeforeSeconds,
    nonce,
  }
  const separator = domainSeparator({ ...domain, chainId, verifyingContract: token })
  const sign: PreparedAuthorization['sign'] = async (signer) => {
    const signature = await signer.sign(typedDataDigest(separator, authorizationHash(terms)))
    // Wallets write the recovery bit as 27 or 28, and tokens hand it to ecrecover as it is.
    const written = Buffer.from(signature)
    written[64] = (written[64] ?? 0) + 27
    const payload = {
      signature: hexBytes(written),
      authorization: {
        from: payer,
        to: payTo,
        value: `${amount}`,
        validAfter: `${terms.validAfterSeconds}`,
        validBefore: `${validBeforeSeconds}`,
        nonce: hexBytes(terms.nonce),
      },
    }
    const read = reader.read(payload, {
      asset,
      payTo,
      amount,
      extra: { ...domain },
      settlers: new Set(),
    })
    if (!read.ok || read.authorization.payer !== payer) {
      throw new Error('the signer did not sign for the payer')
    }
    return { payload, authorization: read.authorization, lastValidBlockHeight: null }
  }
  return { ok: true, prepared: { sign } }
}

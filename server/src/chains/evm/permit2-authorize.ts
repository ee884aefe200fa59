import type { Fields } from '@florin/wire/x402/fields.ts'
import { EIP2612_GAS_SPONSORING } from '@florin/wire/x402/permit2-payload.ts'
import type { Address } from '../chain.ts'
import type { AuthorizeOutcome, PayOrder, PreparedAuthorization } from '../exact.ts'
import type { Transport } from '../json-rpc/transport.ts'
import type { Signer } from '../signer.ts'
import { parseAddress, ZERO_ADDRESS } from './account.ts'
import { addressArgument } from './arguments.ts'
import { addressWord, domainSeparator, typedDataDigest, typeHash, uintWord } from './eip712.ts'
import { hexBytes } from './hex.ts'
import { keccak256 } from './keccak.ts'
import { readViews } from './multicall.ts'
import type { View } from './multicall.ts'
import {
  allowanceView,
  evenV,
  isPermit2Contract,
  PERMIT2,
  permit2Digest,
  PROXIES,
  proxyView,
} from './permit2.ts'
import type { Permit2Authorization } from './permit2.ts'
import type { Permit2Reader } from './permit2-read.ts'

const PERMIT_TYPE = typeHash(
  'Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)',
)
/** nonces(address) */
const NONCES = '7ecebe00'
const NO_NONCE = -1n
const INFO_VERSION = '1'

/**
 * A payment by Permit2 for the seller, by the proxy of its scheme: with `upto` for whom the seller names, who alone may take up to the amount. Asks in one round trip whether the wallet has approved Permit2 for as much;
 * where it has not, and the seller's side submits permits, the wallet signs one for this amount and this deadline, too. Both lose their
 * force with the deadline, but for an allowance of Permit2 that was used up by nobody: without another signature it moves nothing.
 * Source: x402 v2, `exact` and `upto` on EVM and eip2612GasSponsoring; EIP-2612.
 */
export async function preparePermit2(
  deps: {
    readonly transport: Transport
    readonly chainId: bigint
    readonly reader: Pick<Permit2Reader, 'read'>
  },
  order: PayOrder,
): Promise<AuthorizeOutcome> {
  const { transport, chainId, reader } = deps
  const { asset, payer, payTo, amount, extra, validBeforeSeconds, salt, takesPermits } = order
  const { scheme = 'exact' } = order
  const { domain } = asset
  const token = parseAddress(asset.asset)
  if (token === undefined) return { ok: false, reason: 'asset' }
  if (isPermit2Contract(payTo)) return { ok: false, reason: 'receiver' }
  const facilitator = scheme === 'upto' ? facilitatorOf(extra, [payer, token]) : null
  if (facilitator === undefined) return { ok: false, reason: 'facilitator' }
  const views = [allowanceView({ token, from: payer }), proxyView(scheme), noncesView(token, payer)]
  const [allowance = 0n, proxy = 0n, permitNonce = NO_NONCE] = await transport.read(
    readViews(views),
  )
  if (proxy !== BigInt(PERMIT2)) return { ok: false, reason: 'method' }
  const needsPermit = allowance < amount
  if (needsPermit && (!takesPermits || permitNonce === NO_NONCE)) {
    return { ok: false, reason: 'allowance' }
  }
  const isOther = (said: unknown, known: string) => (said ?? known) !== known
  if (needsPermit) {
    if (domain === undefined) return { ok: false, reason: 'allowance' }
    const { name, version } = extra
    if (isOther(name, domain.name) || isOther(version, domain.version)) {
      return { ok: false, reason: 'domain' }
    }
  }
  // Permit2 takes it in the second of its deadline still.
  const deadlineSeconds = validBeforeSeconds - 1n
  const terms: Omit<Permit2Authorization, 'signature'> = {
    scheme,
    token,
    from: payer,
    to: payTo,
    permitted: amount,
    value: amount,
    nonce: BigInt(hexBytes(salt)),
    deadlineSeconds,
    validAfterSeconds: 0n,
    facilitator,
  }

  async function permit(signer: Signer): Promise<Fields> {
    if (!needsPermit || domain === undefined) return {}
    const content = keccak256(
      Buffer.concat([
        PERMIT_TYPE,
        addressWord(payer),
        addressWord(PERMIT2),
        uintWord(amount),
        uintWord(permitNonce),
        uintWord(deadlineSeconds),
      ]),
    )
    const separator = domainSeparator({ ...domain, chainId, verifyingContract: token ?? PERMIT2 })
    const signature = evenV(await signer.sign(typedDataDigest(separator, content)))
    const info = {
      ...{ from: payer, asset: token, spender: PERMIT2, amount: `${amount}` },
      ...{ nonce: `${permitNonce}`, deadline: `${deadlineSeconds}` },
      ...{ signature: hexBytes(signature), version: INFO_VERSION },
    }
    return { [EIP2612_GAS_SPONSORING]: { info } }
  }

  const sign: PreparedAuthorization['sign'] = async (signer) => {
    const digest = permit2Digest({ ...terms, signature: new Uint8Array() }, chainId)
    const payload = {
      signature: hexBytes(evenV(await signer.sign(digest))),
      permit2Authorization: {
        permitted: { token, amount: `${amount}` },
        from: payer,
        spender: PROXIES[scheme],
        nonce: `${terms.nonce}`,
        deadline: `${deadlineSeconds}`,
        witness: {
          to: payTo,
          ...(facilitator === null ? {} : { facilitator }),
          validAfter: `${terms.validAfterSeconds}`,
        },
      },
    }
    const extensions = await permit(signer)
    const settlers = new Set(facilitator === null ? [] : [facilitator])
    const demand = { asset, payTo, amount, extra, settlers, extensions, scheme }
    const read = reader.read(payload, demand)
    if (!read.ok || read.authorization.payer !== payer || read.authorization.awaitsCode === true) {
      throw new Error('the signer did not sign for the payer')
    }
    const { authorization } = read
    return { payload, authorization, lastValidBlockHeight: null, extensions }
  }
  return { ok: true, prepared: { sign } }
}

/**
 * Whom the seller names to settle. Undefined where it is nobody who could: the wallet itself would have to, which never does, and neither do
 * the token, Permit2 and its proxies. Source: x402 v2, `upto` on EVM.
 */
function facilitatorOf(
  { facilitatorAddress }: PayOrder['extra'],
  others: readonly Address[],
): Address | undefined {
  if (typeof facilitatorAddress !== 'string') return undefined
  const named = parseAddress(facilitatorAddress)
  if (named === undefined || named === ZERO_ADDRESS) return undefined
  return others.includes(named) || isPermit2Contract(named) ? undefined : named
}

/** The nonce of the owner's next permit; `NO_NONCE` where the token takes none. */
function noncesView(token: Address, owner: Address): View {
  const data = NONCES + addressArgument(owner)
  return { target: token, data, absent: NO_NONCE }
}

import type { BaseUnits } from '@florin/wire/amount.ts'
import { Refusal } from '@florin/wire/errors.ts'
import { networkAliasOf } from '@florin/wire/network-alias.ts'
import { canonicalResource } from '@florin/wire/transfer-proof.ts'
import { addressRule } from '../chains/address-rule.ts'
import type { Address, Chain } from '../chains/chain.ts'
import type { ChainDirectory } from '../chains/directory.ts'
import { readAmount } from '../chains/read-amount.ts'
import type { AssetProfile } from '../kernel/network-config.ts'
import type { ShownProof } from './shown-proof.ts'

/** What a seller says that it must have been paid, as it came in. */
export interface Said {
  readonly recipient: string
  readonly amount: string
  readonly network: string | undefined
  readonly asset: string | undefined
}

/** The names of these fields in the request, for refusals. */
export interface SaidAs {
  readonly recipient: string
  readonly amount: string
}

/** The same, read: the seller's own words wherever it said them, the proof's for network and asset where it did not. */
export interface Expectation {
  readonly chain: Chain
  readonly asset: AssetProfile
  readonly payTo: Address
  readonly amount: BaseUnits
}

/**
 * Reads what a seller expects. Refuses UNSUPPORTED_NETWORK, UNSUPPORTED_ASSET, INVALID_RECIPIENT for an address that is none, and
 * INVALID_PARAMETERS for an amount that the asset cannot express.
 */
export function expectationOf(
  directory: ChainDirectory,
  said: Said,
  saidAs: SaidAs,
  shown: ShownProof | undefined,
): Expectation {
  const chain = chainOf(directory, said, shown)
  const payTo = chain.parseAddress(said.recipient)
  if (payTo === undefined) {
    const rule = addressRule(chain.config)
    throw new Refusal('INVALID_RECIPIENT', { details: { [saidAs.recipient]: rule } })
  }
  const asset = directory.asset(chain, said.asset ?? assetIn(shown, chain))
  const amount = readAmount(saidAs.amount, said.amount, chain.config, asset)
  if (amount === 0n) {
    const rule = 'must be more than 0'
    throw new Refusal('INVALID_PARAMETERS', { details: { [saidAs.amount]: rule } })
  }
  return { chain, asset, payTo, amount }
}

function chainOf(
  directory: ChainDirectory,
  { network, recipient }: Said,
  shown: ShownProof | undefined,
): Chain {
  const said = network ?? (shown && networkIn(shown))
  if (said !== undefined) return directory.named(said)
  // A proof that says nothing leaves the network to the receiver's address.
  const chains = [...directory.all.values()]
  const fits = chains.find((chain) => chain.parseAddress(recipient) !== undefined) ?? chains[0]
  if (fits === undefined) throw new Error('a service without a network')
  return fits
}

function networkIn(shown: ShownProof) {
  return shown.scheme === 'transfer' ? shown.proof.network : shown.payment.network
}

/** What a proof is made for; where it does not say, as in version 1 on EVM, the network's first token. */
function assetIn(shown: ShownProof | undefined, { config, exact }: Chain): string | undefined {
  if (shown?.scheme === 'transfer') return shown.proof.terms.asset
  const named =
    shown?.payment.accepted?.asset ?? (shown && exact?.peek(shown.payment.payload).token)
  if (named !== undefined && named !== null) return named
  const tokens = config.assets.filter(({ asset }) => asset !== 'native')
  return (tokens.find(({ domain }) => domain !== undefined) ?? tokens[0])?.asset
}

/** The requirements that a payment must meet, made of what the seller expects alone, in the payment's version. */
export function requirementsOf(
  { chain, asset, payTo, amount }: Expectation,
  shown: Extract<ShownProof, { scheme: 'exact' }>,
) {
  const { network } = chain.config
  const { payload, accepted } = shown.payment
  // One that cannot be read names nobody itself; what is wrong with it is said, and not that nobody is named.
  const said = network.startsWith('solana:') ? accepted?.extra['feePayer'] : undefined
  const feePayer = chain.exact?.peek(payload).feePayer ?? said ?? null
  const extra = { ...asset.domain, ...(feePayer === null ? {} : { feePayer }) }
  const shared = { scheme: 'exact', asset: asset.asset, payTo, extra }
  return shown.x402Version === 1
    ? {
        ...shared,
        network: networkAliasOf(network) ?? network,
        maxAmountRequired: `${amount}`,
        maxTimeoutSeconds: 60,
      }
    : { ...shared, network, amount: `${amount}`, maxTimeoutSeconds: 60 }
}

/** Whether a proof is for what the seller names. One that names nothing is for anything, as is a seller's silence. */
export function isForResource(shown: ShownProof, resource: string | undefined): boolean {
  const named =
    shown.scheme === 'transfer' ? (shown.proof.terms.resource ?? null) : shown.payment.resource
  if (resource === undefined || named === null || named === resource) return true
  const canonical = canonicalResource(named)
  return canonical !== undefined && canonical === canonicalResource(resource)
}

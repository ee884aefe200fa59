import { baseUnitsOf } from '../base-units.ts'
import { NETWORK_NAMES } from '../contract/network-names.ts'
import type { Florin } from '../florin.ts'
import { FlorinError } from '../florin-error.ts'
import { APPROVALS, PERMITS } from './extensions.ts'
import type { PaywallPrice } from './price.ts'

/** A price as x402 says it, in no version yet. */
export interface Requirement {
  readonly scheme: 'exact' | 'upto'
  /** CAIP-2. */
  readonly network: string
  /** Its name in version 1, where it can be paid in that: not where Permit2 moves the money. */
  readonly alias: string | undefined
  /** The token's address or mint. */
  readonly asset: string
  /** Base units; of `upto` the most that may be taken. */
  readonly amount: string
  readonly decimals: number
  readonly payTo: string
  /** EVM: the token's domain, and how it is moved where that is not EIP-3009. Solana: who pays the fee. `upto`: who may take the money. */
  readonly extra: Readonly<Record<string, unknown>>
  /** Whether the service submits a buyer's approval of Permit2 that is signed by EIP-2612. */
  readonly takesPermits: boolean
  /** Whether it gives a buyer the gas for one, and submits that. */
  readonly takesApprovals: boolean
}

const ALIASES = new Map(Object.entries(NETWORK_NAMES).map(([name, network]) => [network, name]))

/**
 * Turns prices into what x402 asks for, with what the service knows of networks and assets.
 * @throws {FlorinError} INVALID_SETTING for a price that nobody could pay; any other when the service cannot be asked.
 */
export async function requirementsOf(
  florin: Pick<Florin, 'networks' | 'x402'>,
  prices: readonly PaywallPrice[],
  signal: AbortSignal,
): Promise<readonly Requirement[]> {
  const [networks, { kinds, extensions }] = await Promise.all([
    florin.networks.list({ signal }),
    florin.x402.supported({ signal }),
  ])
  return prices.map((price) => {
    const { scheme = 'exact' } = price
    const network = NETWORK_NAMES[price.network] ?? price.network
    const known = networks.find((each) => each.network === network)
    if (known === undefined) throw refused(`the service has no network ${price.network}`)
    const asset = known.assets.find(
      (each) => each.symbol === price.asset || isSame(each.asset, price.asset),
    )
    if (asset === undefined || asset.asset === 'native') {
      throw refused(`${price.asset} is no token of ${price.network} that x402 can move`)
    }
    const amount = baseUnitsOf(price.amount, asset.decimals)
    if (amount === undefined || amount === 0n) {
      throw refused(`${price.amount} is no amount of ${price.asset}`)
    }
    const isEvm = network.startsWith('eip155:')
    if (scheme === 'upto' && !isEvm) {
      throw refused(`upto is settled on EVM alone, not on ${price.network}`)
    }
    const kind = kinds.find(
      (each) => each.x402Version === 2 && each.scheme === scheme && each.network === network,
    )
    // Not a wrong setting: the service says so while a node is away or a settling key is empty.
    if (kind === undefined)
      throw unavailable(`${scheme} on ${price.network} cannot be settled right now`)
    // A token whose domain nobody knows takes no authorization of its own: Permit2 moves any.
    const isByMethod = isEvm && scheme === 'exact' && asset.eip712 === undefined
    if (isByMethod && !extensions.includes(PERMITS)) {
      throw refused(
        `${price.asset} of ${price.network} can be moved by Permit2 alone, which the service has not`,
      )
    }
    const isByPermit2 = isByMethod || scheme === 'upto'
    return {
      scheme,
      network,
      alias: isByPermit2 ? undefined : ALIASES.get(network),
      asset: asset.asset,
      amount: `${amount}`,
      decimals: asset.decimals,
      payTo: price.payTo,
      extra: {
        ...asset.eip712,
        ...kind.extra,
        ...(isByMethod ? { assetTransferMethod: 'permit2' } : {}),
      },
      takesPermits: isByPermit2 && asset.eip712 !== undefined && extensions.includes(PERMITS),
      takesApprovals: isByPermit2 && extensions.includes(APPROVALS),
    }
  })
}

/** Addresses of EVM are the same in any case of their letters; those of Solana are not. */
export function isSame(one: string, other: string): boolean {
  return one === other || (/^0x/i.test(one) && one.toLowerCase() === other.toLowerCase())
}

function refused(message: string): FlorinError {
  return new FlorinError({ code: 'INVALID_SETTING', message })
}

function unavailable(message: string): FlorinError {
  return new FlorinError({ code: 'NETWORK_ERROR', message })
}

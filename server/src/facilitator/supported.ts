import { networkAliasOf } from '@florin/wire/network-alias.ts'
import { ERC20_APPROVAL_GAS_SPONSORING } from '@florin/wire/x402/approval-transaction.ts'
import { EIP2612_GAS_SPONSORING } from '@florin/wire/x402/permit2-payload.ts'
import { PAYMENT_IDENTIFIER } from '@florin/wire/x402/payment-identifier.ts'
import { BATCH_SETTLEMENT } from '@florin/wire/x402/payment-requirements.ts'
import type { Family, NetworkId } from '@florin/wire/network.ts'
import type { Address, Chain } from '../chains/chain.ts'
import { EXACT, UPTO } from './intake.ts'
import type { Settlers } from './settlers.ts'

const NAMESPACES = { evm: 'eip155:*', solana: 'solana:*' } as const satisfies Record<Family, string>

/** What is done with extensions of x402 that concern a facilitator. */
const EXTENSIONS = ['bazaar', PAYMENT_IDENTIFIER]

/**
 * What can be settled now: networks whose node is followed and whose keys can pay. Sellers read this once, at their start, and pin what
 * they read: a fee payer stays in the list for as long as its key is kept.
 */
export function supported({
  chains,
  settlers,
  isLow,
  isUsable,
  sponsored,
  turn,
}: {
  readonly chains: readonly Chain[]
  readonly settlers: Pick<Settlers, 'of'>
  readonly isLow: (network: NetworkId, address: Address) => boolean
  readonly isUsable: (chain: Chain) => boolean
  /** Networks on which a payer's approval is given what it takes, at this moment. */
  readonly sponsored: ReadonlySet<NetworkId>
  /** How often it was asked before: each time another key is named for `upto`, so that no key settles for everybody. */
  readonly turn: number
}) {
  const kinds = chains.flatMap((chain) => {
    const { family, network } = chain.config
    const able = settlers.of(family).filter(({ address }) => !isLow(network, address))
    const [settler] = able
    if (chain.exact === undefined || settler === undefined || !isUsable(chain)) return []
    const extra = family === 'solana' ? { extra: feePayerExtra(chain, settler.address) } : {}
    const alias = networkAliasOf(network)
    const isUpto = chain.config.permit2?.includes(UPTO) === true
    return [
      { x402Version: 2, scheme: EXACT, network, ...extra },
      ...(isUpto
        ? [
            {
              x402Version: 2,
              scheme: UPTO,
              network,
              extra: { facilitatorAddress: (able[turn % able.length] ?? settler).address },
            },
          ]
        : []),
      // Without an authorizer of ours: sellers' servers sign claims and refunds themselves.
      ...(chain.batch?.isTaken() === true
        ? [{ x402Version: 2, scheme: BATCH_SETTLEMENT, network }]
        : []),
      ...(alias === undefined ? [] : [{ x402Version: 1, scheme: EXACT, network: alias, ...extra }]),
    ]
  })
  const families = new Set(chains.map(({ config }) => config.family))
  const signers = Object.fromEntries(
    [...families].map((family) => [
      NAMESPACES[family],
      settlers.of(family).map(({ address }) => address),
    ]),
  )
  const takesPermits = chains.some(({ config }) => config.permit2 !== undefined)
  const takesApprovals = chains.some(
    ({ config: { network } }) =>
      sponsored.has(network) && kinds.some((kind) => kind.network === network),
  )
  const extensions = [
    ...EXTENSIONS,
    ...(takesPermits ? [EIP2612_GAS_SPONSORING] : []),
    ...(takesApprovals ? [ERC20_APPROVAL_GAS_SPONSORING] : []),
  ]
  return { kinds, extensions, signers }
}

/** Clients of smart wallets look for the feature before they sign. Source: x402 `exact` on SVM. */
function feePayerExtra({ exact }: Chain, feePayer: Address) {
  const takesWallets = exact?.smartWallets?.areTaken() === true
  return { feePayer, ...(takesWallets ? { features: { smartWalletSupported: true } } : {}) }
}

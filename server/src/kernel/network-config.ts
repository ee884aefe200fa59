import type { NetworkId, Family } from '@florin/wire/network.ts'
import type { Secret } from './secret.ts'

/** What we know of a token before we trust it with money. Unlisted tokens are refused. */
export interface AssetProfile {
  readonly symbol: string
  /** `native`, or the token's address (EIP-55) or mint (base58). */
  readonly asset: string
  readonly decimals: number
  /** EVM: a call with our commitment appended after its arguments still transfers. */
  readonly takesCommitment: boolean
  /** EVM: the token's EIP-712 domain, for EIP-3009 authorizations. */
  readonly domain?: { readonly name: string; readonly version: string }
  /** EVM: it takes the signatures of accounts with code, in `transferWithAuthorization(..., bytes signature)`; left out, it does not. */
  readonly takesWalletSignatures?: boolean
  /** EVM: it is the network's native currency under another name: the same balance, with decimals of its own. Has no books; left out, it is a token like any. */
  readonly isCurrency?: true
  /** How many base units of it one whole native coin is worth, as the operator says: only to weigh a payment against its gas. */
  readonly unitsPerNative?: bigint
}

/** How a block of this network becomes final: the node's `finalized` tag, or a depth where there is none. */
export type FinalityPolicy =
  { readonly kind: 'tag' } | { readonly kind: 'depth'; readonly blocks: number }

/** Offers per unit of work: EVM in wei per gas, Solana in millionths of a lamport per compute unit (its priority fee). */
export interface FeePolicy {
  /** Highest total fee per unit that the service offers. Solana: of its own choice; a caller's `priorityFee` is not cut. */
  readonly feePerGasMax: bigint
  /** Tip per unit when the caller gives no priorityFee, unless the node suggests more. */
  readonly tipPerGasDefault: bigint
  /** Fee ceiling held per payment, as a multiple of the first attempt's fee: the room for fee bumps. */
  readonly ceilingMultiple: bigint
  /** EVM: blocks an attempt may wait before its fee is raised. Solana renews by lifetime. */
  readonly bumpAfterBlocks: number
}

/** What the service pays to settle other people's payments on a network. Native base units. */
export interface SponsorPolicy {
  /** For one account's sellers, per day of UTC. */
  readonly gasPerAccountPerDay: bigint
  /** For one payer, whichever seller it pays. */
  readonly gasPerPayerPerDay: bigint
  /** What a payment must at least be worth, as a percentage of what settling it takes; for assets whose worth is given. */
  readonly paymentToGasPercent: bigint
}

/** Who gives payers without native currency what an approval of their own takes (x402's `erc20ApprovalGasSponsoring`). Native base units. */
export interface ApprovalSponsoring {
  /** A custodial wallet of this service, EIP-55. */
  readonly wallet: string
  /** For one approval. A payer is given it once a day for each token, and may keep it. */
  readonly amountMax: bigint
  /** For all payers, per day of UTC. */
  readonly amountPerDay: bigint
}

/**
 * What native currency is worth in US dollars. `token`: a configured asset that stands for one dollar, by its own market against native
 * currency. `fixed`: what an operator says, decimal text.
 */
export type UsdReference =
  | { readonly kind: 'token'; readonly asset: string }
  | { readonly kind: 'fixed'; readonly perNative: string }

/** A place where the network's tokens are traded for its native currency. */
export type MarketConfig =
  | {
      readonly venue: 'uniswap-v2'
      /** Addresses, EIP-55. */
      readonly factory: string
      /** Of the second version, which is kind to tokens that keep a part of what moves. */
      readonly router: string
      readonly wrappedNative: string
      /** Tokens that a way may lead through, such as a stable one; left out, none. */
      readonly hubs?: readonly string[]
    }
  | {
      readonly venue: 'uniswap-v3'
      readonly factory: string
      /** SwapRouter, whose calls carry their own deadline. */
      readonly router: string
      /** QuoterV2. */
      readonly quoter: string
      readonly wrappedNative: string
      /** Which pools are looked at, in hundredths of a basis point. */
      readonly feeTiers: readonly number[]
      readonly hubs?: readonly string[]
    }
  | {
      /** Solana: makers that sign a transfer pair with the taker. */
      readonly venue: 'rfq'
      readonly makers: readonly {
        /** Where it is asked; may hold a key. */
        readonly url: Secret
        /** Whose signature its transactions carry, and who is paid. */
        readonly address: string
      }[]
    }
  | {
      /** Solana: a hosted router. */
      readonly venue: 'jupiter'
      readonly url: Secret
      /** Left out: as anybody may ask. */
      readonly apiKey?: Secret
    }
  | {
      /** Solana: a package from outside that the operator has listed. */
      readonly venue: 'module'
      /** As the package calls its venue. */
      readonly name: string
    }

/** One enabled network. Frozen at start. */
export interface NetworkConfig {
  readonly network: NetworkId
  readonly family: Family
  readonly name: string
  readonly sandbox: boolean
  /** Whether its tokens are worth nothing; left out when nobody knows. */
  readonly testnet?: boolean
  /** EVM: the hash of block 0 that its nodes must show; left out, the chain id has to do. */
  readonly genesisHash?: string
  /** Random id of the sandbox behind rpcUrls; keys are tagged with it and sign for no other chain. */
  readonly sandboxInstance: string | null
  readonly rpcUrls: readonly Secret[]
  /** First entry is native. */
  readonly assets: readonly AssetProfile[]
  /** Depth (blocks on top, 0 = included) at which an effect may release something to a seller. */
  readonly releaseDepth: number
  readonly finality: FinalityPolicy
  readonly blockTimeMilliseconds: number
  readonly fees: FeePolicy
  /** Left out: nothing is settled for anybody. */
  readonly sponsoring?: SponsorPolicy
  /** EVM: factories, EIP-55, that may make a payer's account in the settlement itself (EIP-6492). Left out, none may. */
  readonly walletFactories?: readonly string[]
  /** EVM: the schemes of x402 whose Permit2 proxy is on this network, at the address that it has on every one. Left out, none. */
  readonly permit2?: readonly ('exact' | 'upto')[]
  /** EVM: the escrow of x402's `batch-settlement` is on this network, at the address that it has on every one. Left out, it is not. */
  readonly batchSettlement?: true
  /** EVM: left out, payers whose token knows no permits approve Permit2 themselves. */
  readonly approvalSponsoring?: ApprovalSponsoring
  /** Solana: programs of smart wallets, whose own calls may pay by `exact`. Left out, none may. */
  readonly smartWalletPrograms?: readonly string[]
  /** Left out: nothing is traded there. */
  readonly markets?: readonly MarketConfig[]
  /** Left out: nothing on it has a price in dollars. */
  readonly usd?: UsdReference
}

/** How finality is said to callers, one sentence per policy. */
export function describeFinality(policy: FinalityPolicy): string {
  return policy.kind === 'tag' ? "the node's finalized block" : `${policy.blocks} blocks on top`
}

/** What the network itself is paid in. */
export function nativeOf({ assets }: Pick<NetworkConfig, 'assets'>): AssetProfile {
  const native = assets.find(({ asset }) => asset === 'native')
  if (native === undefined) throw new Error('a network without a currency of its own')
  return native
}

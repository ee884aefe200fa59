import { checksumAddress, isEvmAddress, isSolanaAddress } from '@florin/wire/address.ts'
import { parseAmount } from '@florin/wire/amount.ts'
import { familyOf, parseNetworkId } from '@florin/wire/network.ts'
import { isTestNetwork } from '@florin/wire/network-worth.ts'
import type { Family, NetworkId } from '@florin/wire/network.ts'
import type {
  ApprovalSponsoring,
  AssetProfile,
  FeePolicy,
  FinalityPolicy,
  NetworkConfig,
  SponsorPolicy,
  UsdReference,
} from './kernel/network-config.ts'
import { CURRENCY_DECIMALS, isKnownCurrency } from './kernel/currency-tokens.ts'
import { Secret } from './kernel/secret.ts'
import { jsonPlace } from './http/json-place.ts'
import { KNOWN_WALLET_PROGRAMS, NO_WALLET_PROGRAMS } from './chains/solana/smart-wallet-programs.ts'
import { readMarkets } from './market-settings.ts'
import type { KnownModules } from './market-settings.ts'
import { openReader } from './settings-reader.ts'
import type { Reader } from './settings-reader.ts'

export type NetworksOutcome =
  | { readonly ok: true; readonly networks: readonly NetworkConfig[] }
  | { readonly ok: false; readonly problems: readonly string[] }

const NETWORKS_MAX = 32
const RPC_URLS_MAX = 8
const ASSETS_MAX = 64
const FACTORIES_MAX = 64
const WALLET_PROGRAMS_MAX = 32
const DECIMALS_MAX = 36
const DEPTH_MAX = 10_000
const BLOCK_TIME_MILLISECONDS_MAX = 600_000
const CEILING_MULTIPLE_MAX = 100n
const BUMP_AFTER_BLOCKS_MAX = 1_000
const GAS_PER_DAY_MAX = 10n ** 24n
const PERCENT_MAX = 1_000_000n
const USD_DIGITS_MAX = 18
/** Some ten thousand settlements of an account on a roll-up or on Solana, a tenth of it for one payer. */
const SPONSORING = {
  evm: {
    gasPerAccountPerDay: 10n ** 16n,
    gasPerPayerPerDay: 10n ** 15n,
    paymentToGasPercent: 100n,
  },
  solana: {
    gasPerAccountPerDay: 100_000_000n,
    gasPerPayerPerDay: 10_000_000n,
    paymentToGasPercent: 100n,
  },
} as const satisfies Record<Family, SponsorPolicy>
const EVM_HASH = /^0x[0-9a-fA-F]{64}$/
const EVM_ADDRESS = /^0x[0-9a-fA-F]{40}$/
const TOKEN_RULES = {
  evm: {
    isToken: (text: string) => EVM_ADDRESS.test(text),
    rule: 'must be "native" or a token address',
  },
  solana: { isToken: isSolanaAddress, rule: 'must be "native" or a mint' },
} as const satisfies Record<Family, unknown>

/**
 * Reads the text of a networks file: `{"networks": [...]}` with the fields of NetworkConfig, except that `family`
 * follows from `network`, that no entry is a sandbox, and that fees are decimal text.
 * `modules`: the venues from outside that a market may name; left out, for commands that trade nothing, any.
 * Every problem is reported at once, by its place in the file; a node's URL, which often holds a key, is never repeated.
 */
export function parseNetworks(text: string, modules?: KnownModules): NetworksOutcome {
  let document: unknown
  try {
    // An editor may put a byte order mark in front, which nobody sees.
    document = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    const place = jsonPlace(text)
    return { ok: false, problems: [place === undefined ? 'not JSON' : `not JSON: ${place}`] }
  }
  const problems: string[] = []
  const root = openReader(document, '', problems)
  root.only(['networks'])
  const networks = root
    .list('networks', 1, NETWORKS_MAX)
    .map((entry) => readNetwork(entry, modules))
  for (const [index, { network }] of networks.entries()) {
    if (networks.findIndex((other) => other.network === network) !== index) {
      problems.push(`networks[${index}].network: ${network} is given twice`)
    }
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, networks }
}

function readNetwork(entry: Reader, modules: KnownModules | undefined): NetworkConfig {
  const network = readNetworkFields(entry, modules)
  const { usd, assets } = network
  if (usd?.kind === 'token' && !assets.some(({ asset }) => asset === usd.asset)) {
    entry.refuse('usd', 'must name one of the assets, by its address or mint')
  }
  return network
}

function readNetworkFields(entry: Reader, modules: KnownModules | undefined): NetworkConfig {
  entry.only([
    'network',
    'name',
    'testnet',
    'genesisHash',
    'rpcUrls',
    'assets',
    'releaseDepth',
    'finality',
    'blockTimeMilliseconds',
    'fees',
    'sponsoring',
    'usd',
    'walletFactories',
    'permit2',
    'batchSettlement',
    'approvalSponsoring',
    'smartWallets',
    'markets',
  ])
  const network = readNetworkId(entry)
  const assets = readAssets(entry, network)
  return Object.freeze({
    network,
    family: familyOf(network),
    name: entry.text('name'),
    sandbox: false,
    sandboxInstance: null,
    ...readWorth(entry, network),
    ...readGenesis(entry, familyOf(network)),
    rpcUrls: entry.texts('rpcUrls', 1, RPC_URLS_MAX).map(({ value, refuse }) => {
      const protocol = URL.parse(value)?.protocol
      if (protocol !== 'http:' && protocol !== 'https:') refuse('must be an http or https URL')
      return new Secret(value)
    }),
    assets,
    releaseDepth: entry.whole('releaseDepth', 0, DEPTH_MAX),
    finality: readFinality(entry.object('finality')),
    blockTimeMilliseconds: entry.whole('blockTimeMilliseconds', 1, BLOCK_TIME_MILLISECONDS_MAX),
    fees: readFees(entry.object('fees')),
    sponsoring: entry.has('sponsoring')
      ? readSponsoring(entry.object('sponsoring'))
      : SPONSORING[familyOf(network)],
    ...readFactories(entry, familyOf(network)),
    ...readPermit2(entry, familyOf(network)),
    ...readBatchSettlement(entry, familyOf(network)),
    ...readApprovals(entry, familyOf(network), assets),
    ...readSmartWallets(entry, familyOf(network)),
    ...readMarkets(entry, familyOf(network), { network, modules }),
    ...(entry.has('usd') ? { usd: readUsd(entry.object('usd')) } : {}),
  })
}

/** Known networks need not say what they are, and may not say otherwise. */
function readWorth(entry: Reader, network: NetworkId): { readonly testnet?: boolean } {
  const known = isTestNetwork(network)
  const said = entry.has('testnet') ? entry.flag('testnet') : undefined
  if (known !== undefined && said !== undefined && said !== known) {
    entry.refuse('testnet', `${network} is a ${known ? 'test' : 'main'} network`)
  }
  const testnet = known ?? said
  return testnet === undefined ? {} : { testnet }
}

function readGenesis(entry: Reader, family: Family): { readonly genesisHash?: string } {
  if (!entry.has('genesisHash')) return {}
  const genesisHash = entry.text('genesisHash')
  if (family !== 'evm') entry.refuse('genesisHash', 'on Solana the network id is the genesis hash')
  else if (!EVM_HASH.test(genesisHash)) entry.refuse('genesisHash', 'must be 0x and 64 hex digits')
  return { genesisHash }
}

function readFactories(entry: Reader, family: Family): { readonly walletFactories?: string[] } {
  if (!entry.has('walletFactories')) return {}
  const walletFactories = entry
    .texts('walletFactories', 0, FACTORIES_MAX)
    .map(({ value, refuse }) => {
      const isAddress = family === 'evm' && isEvmAddress(value)
      if (!isAddress) refuse('must be an EVM address, as it is written with its checksum')
      return isAddress ? checksumAddress(value) : value
    })
  return { walletFactories }
}

const PERMIT2_SCHEMES = ['exact', 'upto'] as const

function readPermit2(entry: Reader, family: Family): Pick<NetworkConfig, 'permit2'> {
  if (!entry.has('permit2')) return {}
  if (family !== 'evm') entry.refuse('permit2', 'is for EVM networks only')
  const permit2 = entry.texts('permit2', 1, PERMIT2_SCHEMES.length).flatMap((said) => {
    const known = PERMIT2_SCHEMES.find((scheme) => scheme === said.value)
    if (known === undefined) said.refuse('must be exact or upto')
    return known ?? []
  })
  if (new Set(permit2).size !== permit2.length) entry.refuse('permit2', 'name a scheme twice')
  return { permit2 }
}

function readBatchSettlement(
  entry: Reader,
  family: Family,
): Pick<NetworkConfig, 'batchSettlement'> {
  if (!entry.has('batchSettlement')) return {}
  if (family !== 'evm') entry.refuse('batchSettlement', 'is for EVM networks only')
  return entry.flag('batchSettlement') ? { batchSettlement: true } : {}
}

/** Enough for an approval on a roll-up, and a hundred of them a day. */
const APPROVAL_SPONSORING = { amountMax: 10n ** 14n, amountPerDay: 10n ** 16n } as const

function readApprovals(
  entry: Reader,
  family: Family,
  assets: NetworkConfig['assets'],
): { readonly approvalSponsoring?: ApprovalSponsoring } {
  if (!entry.has('approvalSponsoring')) return {}
  if (family !== 'evm') entry.refuse('approvalSponsoring', 'is for EVM networks only')
  if (!entry.has('permit2')) entry.refuse('approvalSponsoring', 'is of no use without permit2')
  // Else dust of a worthless token would be worth a gift: what bounds it is what a payment is worth.
  for (const { symbol, asset, unitsPerNative } of assets) {
    if (asset === 'native' || unitsPerNative !== undefined) continue
    entry.refuse('approvalSponsoring', `needs the unitsPerNative of every token: of ${symbol}`)
  }
  const said = entry.object('approvalSponsoring')
  said.only(['wallet', 'amountMax', 'amountPerDay'])
  const wallet = said.text('wallet')
  const isAddress = isEvmAddress(wallet)
  if (!isAddress)
    said.refuse('wallet', 'must be an EVM address, as it is written with its checksum')
  const amount = (field: keyof typeof APPROVAL_SPONSORING) =>
    said.has(field) ? said.bigWhole(field, 1n, GAS_PER_DAY_MAX) : APPROVAL_SPONSORING[field]
  const [amountMax, amountPerDay] = [amount('amountMax'), amount('amountPerDay')]
  if (amountPerDay < amountMax) said.refuse('amountPerDay', 'is less than amountMax')
  return {
    approvalSponsoring: Object.freeze({
      wallet: isAddress ? checksumAddress(wallet) : wallet,
      ...{ amountMax, amountPerDay },
    }),
  }
}

/** Stands for the programs that x402 names. */
const KNOWN = 'known'

function readSmartWallets(
  entry: Reader,
  family: Family,
): Pick<NetworkConfig, 'smartWalletPrograms'> {
  if (!entry.has('smartWallets')) return {}
  if (family !== 'solana') entry.refuse('smartWallets', 'is for Solana networks only')
  const said = entry.texts('smartWallets', 1, WALLET_PROGRAMS_MAX)
  const programs = said.flatMap(({ value, refuse }) => {
    if (value === KNOWN) return KNOWN_WALLET_PROGRAMS
    const isProgram = isSolanaAddress(value) && !NO_WALLET_PROGRAMS.has(value)
    if (!isProgram) refuse("must be known, or the address of a wallet's program")
    return [value]
  })
  return { smartWalletPrograms: [...new Set(programs)] }
}

const NO_NETWORK = parseNetworkId('eip155:1')

function readNetworkId(entry: Reader): NetworkId {
  const network = parseNetworkId(entry.text('network'))
  if (network !== undefined) return network
  entry.refuse('network', 'must be a CAIP-2 id such as eip155:8453')
  if (NO_NETWORK === undefined) throw new Error('the placeholder is a network id')
  return NO_NETWORK
}

function readAssets(entry: Reader, network: NetworkId): readonly AssetProfile[] {
  const assets = entry.list('assets', 1, ASSETS_MAX).map((asset) => readAsset(asset, network))
  if (assets.length > 0 && assets[0]?.asset !== 'native') {
    entry.refuse('assets', 'must begin with the native asset')
  }
  for (const field of ['symbol', 'asset'] as const) {
    const seen = assets.map((asset) => asset[field].toLowerCase())
    if (new Set(seen).size !== seen.length) entry.refuse('assets', `give the same ${field} twice`)
  }
  const hasFace = assets.some(({ isCurrency }) => isCurrency === true)
  if (hasFace && assets[0]?.decimals !== CURRENCY_DECIMALS) {
    entry.refuse('assets', `the native asset has ${CURRENCY_DECIMALS} decimals on EVM`)
  }
  return assets
}

/** Whether it is the native currency under another name: known tokens need not say it, and may not deny it. */
function readCurrency(
  entry: Reader,
  network: NetworkId,
  { asset, decimals }: Pick<AssetProfile, 'asset' | 'decimals'>,
): Pick<AssetProfile, 'isCurrency'> {
  const isKnown = isKnownCurrency(network, asset)
  const said = entry.has('isCurrency') ? entry.flag('isCurrency') : isKnown
  if (isKnown && !said) entry.refuse('isCurrency', `this token is the currency of ${network}`)
  if (!said) return {}
  if (familyOf(network) !== 'evm' || asset === 'native') {
    entry.refuse('isCurrency', 'is for tokens of EVM networks only')
  } else if (decimals > CURRENCY_DECIMALS) {
    entry.refuse('decimals', `at most ${CURRENCY_DECIMALS}, as the native currency has`)
  }
  return { isCurrency: true }
}

function readAsset(entry: Reader, network: NetworkId): AssetProfile {
  const family = familyOf(network)
  entry.only([
    'symbol',
    'asset',
    'decimals',
    'takesCommitment',
    'takesWalletSignatures',
    'domain',
    'isCurrency',
    'unitsPerNative',
  ])
  const asset = entry.text('asset')
  const { isToken, rule } = TOKEN_RULES[family]
  if (asset !== 'native' && !isToken(asset)) entry.refuse('asset', rule)
  const domain = entry.has('domain') ? entry.object('domain') : undefined
  domain?.only(['name', 'version'])
  const decimals = entry.whole('decimals', 0, DECIMALS_MAX)
  return Object.freeze({
    symbol: entry.text('symbol'),
    asset,
    decimals,
    ...readCurrency(entry, network, { asset, decimals }),
    takesCommitment: entry.has('takesCommitment') ? entry.flag('takesCommitment') : false,
    ...(entry.has('takesWalletSignatures')
      ? { takesWalletSignatures: entry.flag('takesWalletSignatures') }
      : {}),
    ...(entry.has('unitsPerNative')
      ? { unitsPerNative: entry.bigWhole('unitsPerNative', 1n, 10n ** 30n) }
      : {}),
    ...(domain ? { domain: { name: domain.text('name'), version: domain.text('version') } } : {}),
  })
}

function readFinality(entry: Reader): FinalityPolicy {
  const kind = entry.text('kind')
  if (kind === 'tag') {
    entry.only(['kind'])
    return { kind }
  }
  entry.only(['kind', 'blocks'])
  if (kind !== 'depth') entry.refuse('kind', 'must be "tag" or "depth"')
  return { kind: 'depth', blocks: entry.whole('blocks', 1, DEPTH_MAX) }
}

function readFees(entry: Reader): FeePolicy {
  entry.only(['feePerGasMax', 'tipPerGasDefault', 'ceilingMultiple', 'bumpAfterBlocks'])
  return Object.freeze({
    feePerGasMax: entry.bigWhole('feePerGasMax', 1n, 10n ** 15n),
    tipPerGasDefault: entry.bigWhole('tipPerGasDefault', 0n, 10n ** 15n),
    ceilingMultiple: entry.bigWhole('ceilingMultiple', 1n, CEILING_MULTIPLE_MAX),
    bumpAfterBlocks: entry.whole('bumpAfterBlocks', 1, BUMP_AFTER_BLOCKS_MAX),
  })
}

function readUsd(entry: Reader): UsdReference {
  const kind = entry.text('kind')
  if (kind === 'fixed') {
    entry.only(['kind', 'perNative'])
    const perNative = entry.text('perNative')
    const parsed = parseAmount(perNative, USD_DIGITS_MAX)
    if (!parsed.ok || parsed.amount === 0n) {
      entry.refuse('perNative', 'must be dollars for one native coin, decimal text such as "3000"')
    }
    return { kind, perNative }
  }
  entry.only(['kind', 'asset'])
  if (kind !== 'token') entry.refuse('kind', 'must be "token" or "fixed"')
  return { kind: 'token', asset: entry.text('asset') }
}

function readSponsoring(entry: Reader): SponsorPolicy {
  entry.only(['gasPerAccountPerDay', 'gasPerPayerPerDay', 'paymentToGasPercent'])
  return Object.freeze({
    gasPerAccountPerDay: entry.bigWhole('gasPerAccountPerDay', 0n, GAS_PER_DAY_MAX),
    gasPerPayerPerDay: entry.bigWhole('gasPerPayerPerDay', 0n, GAS_PER_DAY_MAX),
    paymentToGasPercent: entry.bigWhole('paymentToGasPercent', 0n, PERCENT_MAX),
  })
}

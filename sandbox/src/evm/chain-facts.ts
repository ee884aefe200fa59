/** What the EVM sandbox claims to be: Base Sepolia's id and addresses, so that stock clients need no setting. */
export const EVM_CHAIN_ID = 84_532
export const EVM_NETWORK = `eip155:${EVM_CHAIN_ID}`
export const USDC_ADDRESS = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'
export const USDC_DECIMALS = 6
export const NATIVE_DECIMALS = 18
/** Permit2, and the spenders of x402's `exact` and `upto` through it: the same on every network. */
export const PERMIT2_ADDRESS = '0x000000000022D473030F116dDEE9F6B43aC78BA3'
export const EXACT_PROXY_ADDRESS = '0x402085c248EeA27D92E8b30b2C58ed07f9E20001'
export const UPTO_PROXY_ADDRESS = '0x4020A4f3b7b90ccA423B9fabCc0CE57C6C240002'
/** The escrow of x402's `batch-settlement`, and what brings it deposits by EIP-3009 and by Permit2: the same on every network. */
export const BATCH_SETTLEMENT_ADDRESS = '0x4020074e9dF2ce1deE5A9C1b5c3f541D02a10003'
export const ERC3009_COLLECTOR_ADDRESS = '0x4020806089470a89826cB9fB1f4059150b550004'
export const PERMIT2_COLLECTOR_ADDRESS = '0x4020425FAf3B746C082C2f942b4E5159887B0005'
export const MULTICALL3_ADDRESS = '0xcA11bde05977b3631167028862bE2a173976CA11'

/** Where Base Sepolia has its wrapped native currency and its Uniswap V2. */
export const MARKET = {
  wrappedNative: '0x4200000000000000000000000000000000000006',
  factory: '0x7Ae58f10f7849cA6F5fB71b7f45CB416c9204b1e',
  router: '0x1689E7B1F10000AE47eBfE339a4f69dECd19F602',
} as const

/** Tokens of our own that the sandbox's market trades. Addresses are the end of keccak-256 of "florin sandbox token " and the symbol. */
export const SANDBOX_TOKENS = [
  {
    mint: '0xA60EeC97e807541a0de970370920e40E214FC6B5',
    name: 'Sandbox Fern',
    symbol: 'FERN',
    decimals: 18,
  },
  {
    mint: '0x5065b539b362a676F8f815044AB187E1A21363c0',
    name: 'Sandbox Moss',
    symbol: 'MOSS',
    decimals: 6,
  },
  {
    mint: '0x147D43d8cd240707F9BA5d0C2557892427219e95',
    name: 'Sandbox Reed',
    symbol: 'REED',
    decimals: 9,
  },
  {
    mint: '0x54f8dCc83A9F8a3BF232456967d24ABBf3D06576',
    name: 'Sandbox Sedge',
    symbol: 'SEDGE',
    decimals: 18,
  },
] as const

/** Traded nowhere: a token as they were made before permits, SandboxOldToken.sol. Its address is made as theirs. */
export const OLD_TOKEN = {
  mint: '0x6856794bF815CC609dEE03dE6b89f7c2d9fA21d0',
  symbol: 'ALDER',
  decimals: 6,
} as const

/** The one of them that is traded against USDC alone: whoever wants it for native currency goes through that. */
export const HUB_TRADED_TOKEN = SANDBOX_TOKENS[3]

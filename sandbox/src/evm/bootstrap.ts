import { concatHex, encodeAbiParameters, numberToHex, parseEther } from 'viem/utils'
import { privateKeyToAddress } from 'viem/accounts'
import type { AnvilClient } from './anvil-client.ts'
import {
  MULTICALL3_CREATION,
  SANDBOX_BATCH_SETTLEMENT_CREATION,
  SANDBOX_CURRENCY_TOKEN_CREATION,
  SANDBOX_ERC3009_COLLECTOR_CREATION,
  SANDBOX_EXACT_PROXY_CREATION,
  SANDBOX_OLD_TOKEN_CREATION,
  SANDBOX_PERMIT2_CREATION,
  SANDBOX_PERMIT2_COLLECTOR_CREATION,
  SANDBOX_UPTO_PROXY_CREATION,
  SANDBOX_USDC_CREATION,
} from './artifact.ts'
import {
  BATCH_SETTLEMENT_ADDRESS,
  ERC3009_COLLECTOR_ADDRESS,
  EXACT_PROXY_ADDRESS,
  MULTICALL3_ADDRESS,
  OLD_TOKEN,
  PERMIT2_ADDRESS,
  PERMIT2_COLLECTOR_ADDRESS,
  UPTO_PROXY_ADDRESS,
  USDC_ADDRESS,
} from './chain-facts.ts'
import type { Identity } from './identity.ts'
import { openMarket } from './market.ts'
import { placeCode } from './place-code.ts'

/** Reads at `finalized` look two blocks back, so a chain needs these on top of what it loaded or was born with. */
export const BLOCKS_UNTIL_FINAL = 2
/** Where EIP-7708 has transfers of native currency logged, as Arc does. */
const SYSTEM_ADDRESS = '0xfffffffffffffffffffffffffffffffffffffffe'
/** Logs Transfer(address,address,uint256) of the three words that it is called with. */
const LOGGING_CODE =
  '0x602060405f376020355f357fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef60205fa300'
const FAUCET_FUNDS_WEI = parseEther('1000000000000')

/** Puts token, Multicall3, Permit2 with its x402 proxies, the escrow of batch-settlement, the faucet's funds and a market on a new chain. */
export async function bootstrap(
  client: AnvilClient,
  identity: Identity,
  currencyToken = false,
): Promise<void> {
  await placeMoney(client, identity)
  await placePermit2(client)
  await placeBatchSettlement(client)
  await placeOldToken(client, identity)
  // A currency that is no token is wrapped to be traded; one that is a token is not, and nothing is traded there.
  if (currencyToken) await placeCurrencyToken(client, identity)
  else await openMarket(client, identity)
  for (let block = 0; block < BLOCKS_UNTIL_FINAL; block += 1) await client.call('evm_mine')
}

/** Permit2 and its x402 proxies, which hold nothing but used nonces; again changes nothing. */
export async function placePermit2(client: AnvilClient): Promise<void> {
  await placeCode(client, PERMIT2_ADDRESS, SANDBOX_PERMIT2_CREATION)
  await placeCode(client, EXACT_PROXY_ADDRESS, SANDBOX_EXACT_PROXY_CREATION)
  await placeCode(client, UPTO_PROXY_ADDRESS, SANDBOX_UPTO_PROXY_CREATION)
}

/** The escrow of `batch-settlement` and its collectors; again changes only their code, and not what the escrow holds. */
export async function placeBatchSettlement(client: AnvilClient): Promise<void> {
  await placeCode(client, BATCH_SETTLEMENT_ADDRESS, SANDBOX_BATCH_SETTLEMENT_CREATION)
  await placeCode(client, ERC3009_COLLECTOR_ADDRESS, SANDBOX_ERC3009_COLLECTOR_CREATION)
  await placeCode(client, PERMIT2_COLLECTOR_ADDRESS, SANDBOX_PERMIT2_COLLECTOR_CREATION)
}

/** A token without permits; again changes nothing. */
export async function placeOldToken(client: AnvilClient, { faucetKey }: Identity): Promise<void> {
  const minter = encodeAbiParameters([{ type: 'address' }], [privateKeyToAddress(faucetKey)])
  await placeCode(client, OLD_TOKEN.mint, concatHex([SANDBOX_OLD_TOKEN_CREATION, minter]))
}

/** In the place of USDC a token that is the native currency under another name; its node has to be able to move that. */
async function placeCurrencyToken(client: AnvilClient, { faucetKey }: Identity): Promise<void> {
  const minter = encodeAbiParameters([{ type: 'address' }], [privateKeyToAddress(faucetKey)])
  await placeCode(client, USDC_ADDRESS, concatHex([SANDBOX_CURRENCY_TOKEN_CREATION, minter]))
  await client.call('anvil_setCode', [SYSTEM_ADDRESS, LOGGING_CODE])
}

/** All but Permit2, the escrow, the token without permits and the market: what a chain of an earlier version began with. */
export async function placeMoney(client: AnvilClient, identity: Identity): Promise<void> {
  const faucet = privateKeyToAddress(identity.faucetKey)
  const minter = encodeAbiParameters([{ type: 'address' }], [faucet])
  await client.call('anvil_setBalance', [faucet, numberToHex(FAUCET_FUNDS_WEI)])
  await placeCode(client, USDC_ADDRESS, concatHex([SANDBOX_USDC_CREATION, minter]))
  await placeCode(client, MULTICALL3_ADDRESS, MULTICALL3_CREATION)
}

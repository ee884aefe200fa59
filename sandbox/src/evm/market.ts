import {
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  numberToHex,
  parseAbi,
  parseEther,
  parseUnits,
  stringToHex,
} from 'viem/utils'
import { privateKeyToAddress } from 'viem/accounts'
import type { Address, Hex } from 'viem'
import { isJsonObject } from '../host/json.ts'
import type { AnvilClient } from './anvil-client.ts'
import { SANDBOX_TOKEN_CREATION } from './artifact.ts'
import {
  HUB_TRADED_TOKEN,
  MARKET,
  SANDBOX_TOKENS,
  USDC_ADDRESS,
  USDC_DECIMALS,
} from './chain-facts.ts'
import type { Identity } from './identity.ts'
import { placeCode } from './place-code.ts'
import { readUniswapCreation } from './uniswap-artifact.ts'

/** Nobody can take the liquidity away: its shares go to an address that no key signs for. */
const LIQUIDITY_OWNER = '0x000000000000000000000000000000000000dEaD'
/** In each pool. The largest buy, 100, moves the price by a fifth; a thousandth of it by next to nothing. */
const POOL_NATIVE = parseEther('1000')
/** How many whole tokens a pool begins with, for 1,000 of the native currency. */
const POOL_TOKENS = {
  USDC: '3000000',
  FERN: '50000000',
  MOSS: '400000000',
  REED: '2000000',
} as const
/** The same of both sides of the pool with USDC. */
const HUB_POOL = { token: '20000000', usdc: '1000000' } as const
const POOL_GAS = 4_000_000n
const TOKEN_GAS = 120_000n
const DEADLINE = 2n ** 64n

const MINT = parseAbi(['function mint(address to, uint256 amount) returns (bool)'])
const APPROVE = parseAbi(['function approve(address spender, uint256 amount) returns (bool)'])
const ADD_BOTH = parseAbi([
  'function addLiquidity(address one, address other, uint256 oneWanted, uint256 otherWanted, uint256 oneMin, uint256 otherMin, address to, uint256 deadline)',
])
const ADD_LIQUIDITY = parseAbi([
  'function addLiquidityETH(address token, uint256 wanted, uint256 tokenMin, uint256 nativeMin, address to, uint256 deadline) payable',
])
const EXPECTED_STATUS = '0x1'

/** Whether the chain has all of its market; one that an earlier version began has none yet, or a part. */
export async function hasMarket(client: AnvilClient): Promise<boolean> {
  return (await isThere(client, MARKET.router)) && (await isThere(client, HUB_TRADED_TOKEN.mint))
}

async function isThere(client: AnvilClient, address: Address): Promise<boolean> {
  return (await client.call('eth_getCode', [address, 'latest'])) !== '0x'
}

/**
 * Puts wrapped currency, Uniswap V2, our tokens and a pool for each of them on the chain, whatever is not there yet; the pools by real
 * transactions in one block of their own. About 30 ms.
 */
export async function openMarket(client: AnvilClient, identity: Identity): Promise<void> {
  const faucet = privateKeyToAddress(identity.faucetKey)
  const isNew = !(await isThere(client, MARKET.router))
  if (isNew) await placeContracts(client, faucet)
  await placeToken(client, faucet, HUB_TRADED_TOKEN)
  const first = Number(await client.call('eth_getTransactionCount', [faucet, 'latest']))
  await client.call('anvil_impersonateAccount', [faucet])
  const hashes = await Promise.all(
    [...(isNew ? poolCalls(faucet) : []), ...hubPoolCalls(faucet)].map(
      async ({ to, gas, data, value = 0n }, index) => {
        const nonce = numberToHex(first + index)
        const call = {
          from: faucet,
          to,
          nonce,
          data,
          gas: numberToHex(gas),
          value: numberToHex(value),
        }
        return await client.call('eth_sendTransaction', [call])
      },
    ),
  )
  await client.call('anvil_stopImpersonatingAccount', [faucet])
  await client.call('evm_mine')
  const receipts = await Promise.all(
    hashes.map(async (hash) => await client.call('eth_getTransactionReceipt', [hash])),
  )
  for (const receipt of receipts) {
    const status = isJsonObject(receipt) ? receipt['status'] : undefined
    if (status !== EXPECTED_STATUS) throw new Error('the sandbox could not open its market')
  }
}

async function placeContracts(client: AnvilClient, faucet: Address): Promise<void> {
  const { weth, factory, router } = readUniswapCreation()
  const nobody = encodeAbiParameters([{ type: 'address' }], [LIQUIDITY_OWNER])
  const where = encodeAbiParameters(
    [{ type: 'address' }, { type: 'address' }],
    [MARKET.factory, MARKET.wrappedNative],
  )
  await Promise.all([
    placeCode(client, MARKET.wrappedNative, weth),
    placeCode(client, MARKET.factory, concatHex([factory, nobody])),
    placeCode(client, MARKET.router, concatHex([router, where])),
    ...wrappedNativeStorage().map(async ([slot, word]) => {
      await client.call('anvil_setStorageAt', [MARKET.wrappedNative, slot, word])
    }),
    ...SANDBOX_TOKENS.map(async (token) => {
      await placeToken(client, faucet, token)
    }),
  ])
}

async function placeToken(
  client: AnvilClient,
  faucet: Address,
  { mint, name, symbol, decimals }: (typeof SANDBOX_TOKENS)[number],
): Promise<void> {
  const facts = encodeAbiParameters(
    [{ type: 'bytes32' }, { type: 'bytes32' }, { type: 'uint8' }, { type: 'address' }],
    [stringToHex(name, { size: 32 }), stringToHex(symbol, { size: 32 }), decimals, faucet],
  )
  await placeCode(client, mint, concatHex([SANDBOX_TOKEN_CREATION, facts]))
}

/** WETH9 keeps its name, symbol and decimals in its first three words: text of up to 31 bytes with twice its length at the end. */
function wrappedNativeStorage(): readonly (readonly [Hex, Hex])[] {
  const text = (words: string): Hex =>
    numberToHex(BigInt(stringToHex(words, { size: 32 })) | BigInt(words.length * 2), { size: 32 })
  const words = [text('Wrapped Ether'), text('WETH'), numberToHex(18, { size: 32 })]
  return words.map((word, slot) => [numberToHex(slot, { size: 32 }), word] as const)
}

interface PoolCall {
  readonly to: Address
  readonly gas: bigint
  readonly data: Hex
  readonly value?: bigint
}

function poolCalls(faucet: Address): readonly PoolCall[] {
  const usdc = { mint: USDC_ADDRESS, symbol: 'USDC', decimals: USDC_DECIMALS } as const
  return [usdc, ...SANDBOX_TOKENS].flatMap(({ mint, symbol, decimals }): readonly PoolCall[] => {
    if (symbol === HUB_TRADED_TOKEN.symbol) return []
    const amount = parseUnits(POOL_TOKENS[symbol], decimals)
    const pool = [mint, amount, amount, POOL_NATIVE, LIQUIDITY_OWNER, DEADLINE] as const
    return [
      ...ownCalls(faucet, mint, amount),
      {
        to: MARKET.router,
        gas: POOL_GAS,
        data: encodeFunctionData({ abi: ADD_LIQUIDITY, args: pool }),
        value: POOL_NATIVE,
      },
    ]
  })
}

function hubPoolCalls(faucet: Address): readonly PoolCall[] {
  const { mint, decimals } = HUB_TRADED_TOKEN
  const token = parseUnits(HUB_POOL.token, decimals)
  const usdc = parseUnits(HUB_POOL.usdc, USDC_DECIMALS)
  const both = [mint, USDC_ADDRESS, token, usdc, token, usdc] as const
  const pool = [...both, LIQUIDITY_OWNER, DEADLINE] as const
  return [
    ...ownCalls(faucet, mint, token),
    ...ownCalls(faucet, USDC_ADDRESS, usdc),
    {
      to: MARKET.router,
      gas: POOL_GAS,
      data: encodeFunctionData({ abi: ADD_BOTH, args: pool }),
    },
  ]
}

/** Makes so much for the faucet, and lets the router take it. */
function ownCalls(faucet: Address, mint: Address, amount: bigint): readonly PoolCall[] {
  const allowed = [MARKET.router, amount] as const
  return [
    { to: mint, gas: TOKEN_GAS, data: encodeFunctionData({ abi: MINT, args: [faucet, amount] }) },
    { to: mint, gas: TOKEN_GAS, data: encodeFunctionData({ abi: APPROVE, args: allowed }) },
  ]
}

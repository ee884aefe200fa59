import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import {
  encodeAbiParameters,
  encodeFunctionData,
  getContractAddress,
  parseAbi,
  parseAbiParameters,
} from 'viem'
import type { Hex } from 'viem'
import type { MarketConfig } from '../../../kernel/network-config.ts'
import { fieldsFrom } from '../../json-rpc/answer.ts'
import type { TradedToken } from '../../venue.ts'
import type { TestChain } from '../test-chain.ts'
import type { TestCall, TestMaker } from './test-token.ts'

export type MarketV3 = Extract<MarketConfig, { venue: 'uniswap-v3' }>

const require = createRequire(new URL('../../../../../sandbox/package.json', import.meta.url))
const PERIPHERY = '@uniswap/v3-periphery/artifacts/contracts'
const FEE_TIERS = [500, 3_000, 10_000]
/** The whole range of ticks that a tier of 3,000 allows. */
const TICK_END = 887_220
const DEADLINE = 2n ** 64n
const MANAGER_ABI = parseAbi([
  'function createAndInitializePoolIfNecessary(address token0, address token1, uint24 fee, uint160 sqrtPriceX96) payable returns (address pool)',
  'function mint((address token0, address token1, uint24 fee, int24 tickLower, int24 tickUpper, uint256 amount0Desired, uint256 amount1Desired, uint256 amount0Min, uint256 amount1Min, address recipient, uint256 deadline)) payable returns (uint256, uint128, uint256, uint256)',
])
const TOKEN_ABI = parseAbi([
  'function mint(address to, uint256 amount)',
  'function approve(address spender, uint256 amount) returns (bool)',
  'function deposit() payable',
])
const hex = (text: string): Hex => `0x${text.slice(2)}`

/** Puts Uniswap V3 on a test chain, with the contracts that its packages publish. */
export async function deployUniswapV3(
  { sandbox }: Pick<TestChain, 'sandbox'>,
  maker: TestMaker,
): Promise<{ readonly market: MarketV3; readonly manager: Hex }> {
  const weth = hex(sandbox.market.wrappedNative)
  const two = parseAbiParameters('address, address')
  const nonce = maker.nonce()
  const at = (index: number): Hex =>
    getContractAddress({ from: maker.address, nonce: BigInt(nonce + index) })
  const [factory, router, quoter, manager] = [at(0), at(1), at(2), at(3)]
  const places = encodeAbiParameters(two, [factory, weth])
  const three = encodeAbiParameters(parseAbiParameters('address, address, address'), [
    factory,
    weth,
    factory,
  ])
  await maker.send(
    {
      data: creation('@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory'),
    },
    { data: `${creation(`${PERIPHERY}/SwapRouter.sol/SwapRouter`)}${places.slice(2)}` },
    { data: `${creation(`${PERIPHERY}/lens/QuoterV2.sol/QuoterV2`)}${places.slice(2)}` },
    {
      data: `${creation(`${PERIPHERY}/NonfungiblePositionManager.sol/NonfungiblePositionManager`)}${three.slice(2)}`,
    },
  )
  const { wrappedNative } = sandbox.market
  return {
    manager,
    market: { venue: 'uniswap-v3', factory, router, quoter, wrappedNative, feeTiers: FEE_TIERS },
  }
}

/**
 * Opens a pool of a tier at a price of one for one, with so much of both over the whole range, or within some ticks of that price; against the
 * wrapped native currency unless another token is named.
 */
export async function openPoolV3(
  { sandbox }: Pick<TestChain, 'sandbox'>,
  maker: TestMaker,
  manager: Hex,
  {
    token,
    fee,
    amount,
    ticks = TICK_END,
    against,
  }: {
    token: TradedToken
    fee: number
    amount: bigint
    ticks?: number
    against?: TradedToken
  },
): Promise<void> {
  const weth = hex(against?.mint ?? sandbox.market.wrappedNative)
  const mint = hex(token.mint)
  const mintTo = (to: Hex): TestCall => {
    const args = [maker.address, amount] as const
    return { to, data: encodeFunctionData({ abi: TOKEN_ABI, functionName: 'mint', args }) }
  }
  const [token0, token1] = BigInt(weth) < BigInt(mint) ? [weth, mint] : [mint, weth]
  const spacing = fee / 50
  const end = ticks - (ticks % spacing)
  const position = {
    ...{ token0, token1, fee, tickLower: -end, tickUpper: end },
    ...{ amount0Desired: amount, amount1Desired: amount, amount0Min: 0n, amount1Min: 0n },
    ...{ recipient: maker.address, deadline: DEADLINE },
  }
  const approve = encodeFunctionData({
    abi: TOKEN_ABI,
    functionName: 'approve',
    args: [manager, amount],
  })
  await maker.send(
    mintTo(mint),
    against === undefined
      ? {
          to: weth,
          value: amount,
          data: encodeFunctionData({ abi: TOKEN_ABI, functionName: 'deposit' }),
        }
      : mintTo(weth),
    { to: mint, data: approve },
    { to: weth, data: approve },
    {
      to: manager,
      data: encodeFunctionData({
        abi: MANAGER_ABI,
        functionName: 'createAndInitializePoolIfNecessary',
        args: [token0, token1, fee, 2n ** 96n],
      }),
    },
    {
      to: manager,
      data: encodeFunctionData({ abi: MANAGER_ABI, functionName: 'mint', args: [position] }),
    },
  )
}

function creation(path: string): Hex {
  const text = readFileSync(require.resolve(`${path}.json`), 'utf8')
  const { bytecode } = fieldsFrom(JSON.parse(text), 'artifact')
  if (typeof bytecode !== 'string') throw new Error(`${path} holds no creation code`)
  return hex(bytecode)
}

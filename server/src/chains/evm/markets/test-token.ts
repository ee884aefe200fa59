import { randomBytes } from 'node:crypto'
import {
  createPublicClient,
  createWalletClient,
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  http,
  parseAbi,
  parseEther,
} from 'viem'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { baseSepolia } from 'viem/chains'
import { expect } from 'vitest'
import artifact from '../../../../../sandbox/contracts/artifacts/HostileTradedToken.json' with { type: 'json' }
import type { TradedToken } from '../../venue.ts'
import { requireAddress } from '../account.ts'
import type { TestChain } from '../test-chain.ts'

/** What a hostile token does, in the order of its contract. */
export const TRICKS = [
  'none',
  'keeps a part',
  'cannot be sold',
  'says false',
  'lies about balances',
  'says nothing',
  'approves from zero only',
  'burns gas',
  'burns gas on name',
  'names in words',
] as const
export type Trick = (typeof TRICKS)[number]

const POOL_TOKENS = parseEther('1000000')
const POOL_NATIVE = parseEther('100')
const DEADLINE = 2n ** 64n
const TOKEN_ABI = parseAbi([
  'constructor(uint8 trick)',
  'function mint(address to, uint256 amount)',
  'function approve(address spender, uint256 amount) returns (bool)',
])
const ROUTER_ABI = parseAbi([
  'function addLiquidity(address one, address other, uint256 oneWanted, uint256 otherWanted, uint256 oneMin, uint256 otherMin, address to, uint256 deadline)',
  'function addLiquidityETH(address token, uint256 wanted, uint256 tokenMin, uint256 nativeMin, address to, uint256 deadline) payable',
])

const hex = (text: string): Hex => `0x${text.slice(2)}`

export interface TestCall {
  readonly to?: Hex
  readonly data: Hex
  readonly value?: bigint
}

export interface TestMaker {
  /** Deploys a token with a pool on the sandbox's Uniswap V2. */
  token(trick: Trick): Promise<TradedToken>
  /** Deploys a plain token with a pool there against another token alone; so much of both is in it. */
  tokenAgainst(other: TradedToken, amount: bigint): Promise<TradedToken>
  /** Opens a pool there of so much of a token against the native currency, as `token` does. */
  pool(token: TradedToken, tokens: bigint): Promise<void>
  /** Makes some of a token for somebody. */
  mint(token: TradedToken, to: string, amount: bigint): Promise<void>
  /** Sends calls in order and waits until all of them have succeeded. */
  send(...calls: readonly TestCall[]): Promise<void>
  readonly address: Hex
  /** Of its next transaction. */
  nonce(): number
}

/** Somebody with money of its own, who makes tokens and pools. */
export async function openTestMaker({ sandbox }: Pick<TestChain, 'sandbox'>): Promise<TestMaker> {
  const transport = http(sandbox.rpcUrl)
  const account = privateKeyToAccount(`0x${randomBytes(32).toString('hex')}`)
  await sandbox.fund(account.address, 'native', '10000')
  const wallet = createWalletClient({ account, chain: baseSepolia, transport })
  const chain = createPublicClient({ chain: baseSepolia, transport, pollingInterval: 50 })
  const { router } = sandbox.market
  let nonce = 0

  const send: TestMaker['send'] = async (...calls) => {
    const hashes: Hex[] = []
    for (const call of calls) {
      hashes.push(await wallet.sendTransaction({ ...call, nonce, gas: 6_000_000n }))
      nonce += 1
    }
    for (const hash of hashes) {
      const { status } = await chain.waitForTransactionReceipt({ hash })
      expect(status).toBe('success')
    }
  }
  const mintCall = ({ mint }: TradedToken, to: string, amount: bigint): TestCall => {
    const args = [hex(to), amount] as const
    return {
      to: hex(mint),
      data: encodeFunctionData({ abi: TOKEN_ABI, functionName: 'mint', args }),
    }
  }

  const deployCall = (trick: Trick): TestCall => ({
    data: encodeDeployData({
      ...{ abi: TOKEN_ABI, bytecode: hex(artifact.bytecode) },
      args: [TRICKS.indexOf(trick)],
    }),
  })
  const approveCall = (mint: string, amount: bigint): TestCall => ({
    to: hex(mint),
    data: encodeFunctionData({
      ...{ abi: TOKEN_ABI, functionName: 'approve' },
      args: [hex(router), amount],
    }),
  })
  const poolCalls = (token: TradedToken, tokens: bigint): readonly TestCall[] => {
    const args = [hex(token.mint), tokens, 0n, 0n, account.address, DEADLINE] as const
    return [
      mintCall(token, account.address, tokens),
      approveCall(token.mint, tokens),
      {
        to: hex(router),
        value: POOL_NATIVE,
        data: encodeFunctionData({ abi: ROUTER_ABI, functionName: 'addLiquidityETH', args }),
      },
    ]
  }
  const nextToken = (): TradedToken => {
    const at = getContractAddress({ from: account.address, nonce: BigInt(nonce) })
    return { mint: requireAddress(at), decimals: 18, symbol: null }
  }

  return {
    send,
    tokenAgainst: async (other, amount) => {
      const token = nextToken()
      const tokens = [hex(token.mint), hex(other.mint)] as const
      const pool = [...tokens, amount, amount, 0n, 0n, account.address, DEADLINE] as const
      await send(
        deployCall('none'),
        mintCall(token, account.address, amount),
        mintCall(other, account.address, amount),
        approveCall(token.mint, amount),
        approveCall(other.mint, amount),
        {
          to: hex(router),
          data: encodeFunctionData({
            ...{ abi: ROUTER_ABI, functionName: 'addLiquidity', args: pool },
          }),
        },
      )
      return token
    },
    mint: async (token, to, amount) => await send(mintCall(token, to, amount)),
    address: account.address,
    nonce: () => nonce,
    pool: async (token, tokens) => await send(...poolCalls(token, tokens)),
    token: async (trick) => {
      const token = nextToken()
      await send(deployCall(trick), ...poolCalls(token, POOL_TOKENS))
      return token
    },
  }
}

import {
  createPublicClient,
  createWalletClient,
  defineChain,
  getAddress,
  http,
  maxUint256,
  parseAbi,
  parseEther,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { EVM_CHAIN_ID, HUB_TRADED_TOKEN } from '../evm/chain-facts.ts'
import type { Ready } from '../ready.ts'
import { oneOf, shareOf } from './chance.ts'
import { fillUp } from './faucet.ts'
import type { Trader } from './traders.ts'

const ROUTER = parseAbi([
  'function swapExactETHForTokens(uint256 minimum, address[] path, address to, uint256 deadline) payable',
  'function swapExactTokensForETH(uint256 amount, uint256 minimum, address[] path, address to, uint256 deadline)',
])
const TOKEN = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'function approve(address spender, uint256 amount) returns (bool)',
])
const FUNDS = '1000'
const LOW = parseEther('100')
/** The most that one trade pays; thousandths of it are drawn. */
const STAKE = parseEther('4')
const DEADLINE = 2n ** 64n
const POLL_MILLISECONDS = 100
const MINED_SECONDS = 20

/** Trades on the sandbox's Uniswap V2 with a key that lives as long as the process. */
export function openEvmTrader({ evm, faucet }: Ready): Trader {
  const chain = defineChain({
    id: EVM_CHAIN_ID,
    name: 'sandbox',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [evm.rpcUrl] } },
  })
  const account = privateKeyToAccount(generatePrivateKey())
  const { address } = account
  const transport = http(evm.rpcUrl, { retryCount: 0 })
  const reader = createPublicClient({ chain, transport, pollingInterval: POLL_MILLISECONDS })
  const signer = createWalletClient({ chain, transport, account })
  const router = { address: getAddress(evm.market.router), abi: ROUTER } as const
  const wrapped = getAddress(evm.market.wrappedNative)
  const mints = [evm.usdc, ...evm.tokens.map(({ mint }) => mint)].map((mint) => getAddress(mint))
  const usdc = getAddress(evm.usdc)
  const approved = new Set<string>()
  const pathTo = (mint: `0x${string}`): `0x${string}`[] =>
    mint === HUB_TRADED_TOKEN.mint ? [wrapped, usdc, mint] : [wrapped, mint]

  async function mined(hash: `0x${string}`): Promise<void> {
    const timeout = MINED_SECONDS * 1000
    const { status } = await reader.waitForTransactionReceipt({ hash, timeout })
    if (status !== 'success') throw new Error('the trade was refused')
  }

  async function sell(mint: `0x${string}`, amount: bigint): Promise<void> {
    if (!approved.has(mint)) {
      const args = [router.address, maxUint256] as const
      await mined(
        await signer.writeContract({ address: mint, abi: TOKEN, functionName: 'approve', args }),
      )
      approved.add(mint)
    }
    const args = [amount, 0n, pathTo(mint).toReversed(), address, DEADLINE] as const
    await mined(
      await signer.writeContract({ ...router, functionName: 'swapExactTokensForETH', args }),
    )
  }

  return {
    trade: async (signal) => {
      if ((await reader.getBalance({ address })) < LOW) {
        await fillUp(faucet.url, { address, network: evm.network, amount: FUNDS }, signal)
      }
      const mint = oneOf(mints)
      const held = await reader.readContract({
        ...{ address: mint, abi: TOKEN, functionName: 'balanceOf' },
        args: [address],
      })
      if (held > 0n && oneOf([true, false])) return await sell(mint, shareOf(held, 50, 900))
      const args = [0n, pathTo(mint), address, DEADLINE] as const
      const value = shareOf(STAKE, 10, 1_000)
      await mined(
        await signer.writeContract({
          ...router,
          functionName: 'swapExactETHForTokens',
          args,
          value,
        }),
      )
    },
  }
}

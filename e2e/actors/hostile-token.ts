import { randomBytes } from 'node:crypto'
import {
  createPublicClient,
  createWalletClient,
  encodeDeployData,
  getAddress,
  getContractAddress,
  http,
  parseAbi,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { baseSepolia } from 'viem/chains'
import type { AssetProfile } from '@florin/server/kernel/network-config.ts'
import artifact from '../../sandbox/contracts/artifacts/HostileToken.json' with { type: 'json' }
import type { World } from './world.ts'

/** What a hostile token does, in the order of its contract. */
export const TRICKS = [
  'none',
  'keeps a part',
  'silent',
  'pays another',
  'refuses',
  'burns gas',
  'moves twice',
  'forgets',
  'lies about balances',
  'logs another amount',
] as const
export type Trick = (typeof TRICKS)[number]

const BYTECODE = `0x${artifact.bytecode.slice(2)}` as const
const ABI = parseAbi([
  'constructor(uint8 trick)',
  'function mint(address,uint256)',
  'function truth(address) view returns (uint256)',
])

export interface HostileToken {
  readonly trick: Trick
  /** As an operator would list it who had believed in it. */
  readonly asset: AssetProfile
  /** What is really there. */
  balanceOf(owner: string): Promise<bigint>
}

/** Deploys one token for each trick, and makes some of it. */
export async function deployHostileTokens(
  world: World,
  mint: (trick: Trick) => { readonly to: string; readonly amount: bigint },
): Promise<readonly HostileToken[]> {
  const transport = http(world.sandbox.rpcUrl)
  const account = privateKeyToAccount(`0x${randomBytes(32).toString('hex')}`)
  await world.sandbox.fund(account.address, 'native', '1')
  const wallet = createWalletClient({ account, chain: baseSepolia, transport })
  const chain = createPublicClient({ chain: baseSepolia, transport, pollingInterval: 50 })
  const gas = 2_000_000n
  const tokens: HostileToken[] = []
  let hash: `0x${string}` = '0x'
  for (const [index, trick] of TRICKS.entries()) {
    const nonce = 2 * index
    await wallet.sendTransaction({
      data: encodeDeployData({ abi: ABI, bytecode: BYTECODE, args: [index] }),
      ...{ nonce, gas },
    })
    const address = getContractAddress({ from: account.address, nonce: BigInt(nonce) })
    const { to, amount } = mint(trick)
    hash = await wallet.writeContract({
      ...{ address, abi: ABI, functionName: 'mint', args: [getAddress(to), amount] },
      ...{ nonce: nonce + 1, gas: 200_000n },
    })
    tokens.push({
      trick,
      asset: {
        symbol: `HOSTILE${index}`,
        asset: address,
        decimals: 6,
        takesCommitment: false,
        domain: { name: 'Hostile', version: '1' },
      },
      balanceOf: (owner) =>
        chain.readContract({ address, abi: ABI, functionName: 'truth', args: [getAddress(owner)] }),
    })
  }
  // One lane, so the last one says of all of them that they are in.
  await chain.waitForTransactionReceipt({ hash })
  return tokens
}

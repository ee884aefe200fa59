import { startSandbox } from '../../../../e2e/actors/sandbox.ts'
import type { SandboxHandle } from '../../../../e2e/actors/sandbox.ts'
import { baseUnits } from '@florin/wire/amount.ts'
import type { AssetProfile } from '../../kernel/network-config.ts'
import { systemClock } from '../../kernel/clock.ts'
import { openLog } from '../../kernel/log.ts'
import type { Address, Chain, Draft, SignedTransaction, TransferOrder } from '../chain.ts'
import type { Signer } from '../signer.ts'
import { addressFromBytes } from './account.ts'
import { connectEvm } from './connect.ts'
import { keccak256 } from './keccak.ts'
import { addressOfPrivateKey, signDigest } from './secp256k1.ts'
import { NATIVE, testNetwork } from './test-network.ts'
import { postText } from '../json-rpc/post-text.ts'

export const ETHER = 10n ** 18n
export const COMMITMENT = new Uint8Array(32).fill(0xc5)

export interface TestWallet {
  readonly address: Address
  readonly signer: Signer
}

/** The chain port over a sandbox with faults, and hands to set the scene with. */
export interface TestChain {
  readonly chain: Chain
  readonly sandbox: SandboxHandle
  /** HTTP requests that the chain has made since the last call of this. */
  requests(): number
  /** Asks the node past the chain. */
  rpc(method: string, ...params: readonly unknown[]): Promise<unknown>
  /** A new wallet with funds from the faucet, in whole units. */
  wallet(...funds: readonly ['native' | 'USDC', string][]): Promise<TestWallet>
  /** A new address with the given runtime code. */
  contract(code: string): Promise<Address>
  balanceOf(address: Address): Promise<bigint>
  draft(order: TransferOrder): Promise<Draft>
  /** Drafts and signs at a nonce. */
  signed(order: TransferOrder, sender: TestWallet, nonce: bigint): Promise<SignedTransaction>
}

export async function startTestChain(): Promise<TestChain> {
  const sandbox = await startSandbox({ faults: true })
  let requests = 0
  let serial = 0
  const chain = connectEvm({
    config: testNetwork([sandbox.rpcUrl], {
      markets: [{ venue: 'uniswap-v2', ...sandbox.market }],
    }),
    log: openLog('silent'),
    clock: systemClock,
    // No node here is silent unless a test has it so: a slow machine is no reason to give it up.
    callSeconds: 30,
    post: (posting) => {
      requests += 1
      return postText(posting)
    },
  })

  const rpc = async (method: string, ...params: readonly unknown[]): Promise<unknown> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const answer = await fetch(sandbox.rpcUrl, { method: 'POST', body })
    return ((await answer.json()) as { result?: unknown }).result
  }
  const fresh = (): Uint8Array => {
    serial += 1
    return keccak256(Buffer.from(`test ${serial}`))
  }
  const draft = async (order: TransferOrder): Promise<Draft> => {
    const outcome = await chain.draft(order)
    if (!outcome.ok) throw new Error(`refused: ${outcome.refusal}`)
    return outcome.draft
  }

  return {
    chain,
    sandbox,
    rpc,
    draft,
    requests: () => {
      const made = requests
      requests = 0
      return made
    },
    wallet: async (...funds) => {
      const key = fresh()
      const address = addressOfPrivateKey(key)
      for (const [asset, amount] of funds) await sandbox.fund(address, asset, amount)
      return { address, signer: { address, sign: async (digest) => signDigest(digest, key) } }
    },
    contract: async (code) => {
      const address = addressFromBytes(fresh().subarray(12))
      await rpc('anvil_setCode', address, code)
      return address
    },
    balanceOf: async (address) => BigInt(String(await rpc('eth_getBalance', address, 'latest'))),
    signed: async (order, sender, nonce) =>
      await chain.sign((await draft(order)).terms, nonce, sender.signer),
  }
}

/** An order of so many base units, with a commitment. */
export function order(
  sender: TestWallet,
  recipient: Address,
  amount: bigint,
  asset: AssetProfile = NATIVE,
): TransferOrder {
  const units = baseUnits(amount)
  return { sender: sender.address, recipient, asset, amount: units, commitment: COMMITMENT }
}

import { setTimeout as delay } from 'node:timers/promises'
import { encodeFunctionData, getAddress, keccak256, parseAbi, parseGwei } from 'viem/utils'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { AnvilClient } from '../evm/anvil-client.ts'
import { AnvilRefusal, AnvilUnreachable } from '../evm/anvil-client.ts'
import { EVM_CHAIN_ID } from '../evm/chain-facts.ts'
import type { EvmNode } from '../evm/node.ts'
import type { Json } from '../host/json.ts'
import { isJsonObject } from '../host/json.ts'
import type { EvmFaucetOrder } from './order.ts'

const BATCH_MAX = 100
const QUEUE_MAX = 1_000
const MINED_SECONDS = 30
const POLL_MILLISECONDS = 50
const RESEND_MILLISECONDS = 1_000
const GAS = 150_000n
const TIP = parseGwei('0.001')
const MINT = parseAbi(['function mint(address to, uint256 amount) returns (bool)'])

export type Paid =
  | { readonly ok: true; readonly transactionHash: string }
  | { readonly ok: false; readonly code: string; readonly message: string }

/** Pays faucet orders by real transactions of one key, in order of arrival, up to 100 in one go. */
export interface Payer {
  pay(order: EvmFaucetOrder): Promise<Paid>
}

interface Waiting {
  readonly order: EvmFaucetOrder
  readonly resolve: (paid: Paid) => void
}

interface Sent extends Waiting {
  readonly raw: Hex
  readonly hash: Hex
}

/** `onSent` is told whenever the node was handed a transaction, whose block is waited for until it is on disk: nothing of the faucet's passes the gateway. */
export function openPayer(node: EvmNode, onSent: () => void): Payer {
  const queue: Waiting[] = []
  let isWorking = false

  const work = async (): Promise<void> => {
    isWorking = true
    while (queue.length > 0) {
      const batch = queue.splice(0, BATCH_MAX)
      try {
        await payBatch(node, onSent, batch)
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error)
        // A promise that is settled already keeps what it was given.
        for (const { resolve } of batch) resolve({ ok: false, code: 'NETWORK_ERROR', message })
      }
    }
    isWorking = false
  }

  return {
    async pay(order) {
      if (queue.length >= QUEUE_MAX) {
        return { ok: false, code: 'BUSY', message: `${QUEUE_MAX} orders wait already` }
      }
      return await new Promise((resolve) => {
        queue.push({ order, resolve })
        if (!isWorking) void work()
      })
    },
  }
}

/** Signs all with nonces from the chain on, sends them until they are mined, and takes back what is not in time. */
async function payBatch(
  node: EvmNode,
  onSent: () => void,
  batch: readonly Waiting[],
): Promise<void> {
  let open = await signed(node, batch)
  const deadline = performance.now() + MINED_SECONDS * 1000
  let resendAt = 0
  while (open.length > 0 && performance.now() < deadline) {
    try {
      if (performance.now() >= resendAt) {
        // The pool is empty after a crash of the node, so the same bytes go out again and again.
        for (const sent of open) await send(node, sent)
        onSent()
        resendAt = performance.now() + RESEND_MILLISECONDS
      }
      const after: Sent[] = []
      for (const sent of open) if (!(await isDone(node, sent))) after.push(sent)
      open = after
    } catch (error) {
      if (!(error instanceof AnvilUnreachable)) throw error
      resendAt = 0
    }
    if (open.length > 0) await delay(POLL_MILLISECONDS)
  }
  for (const { hash, resolve } of open) {
    await node.running().client.call('anvil_dropTransaction', [hash])
    resolve({ ok: false, code: 'TIMEOUT', message: `not mined within ${MINED_SECONDS} s` })
  }
}

async function signed(node: EvmNode, batch: readonly Waiting[]): Promise<readonly Sent[]> {
  const { client } = node.running()
  const account = privateKeyToAccount(node.identity().faucetKey)
  const first = Number(
    await quantity(client, 'eth_getTransactionCount', [account.address, 'latest']),
  )
  const maxFeePerGas = (await quantity(client, 'eth_gasPrice')) * 4n + TIP
  const sents = batch.map(async (waiting, index) => {
    const raw = await account.signTransaction({
      type: 'eip1559',
      chainId: EVM_CHAIN_ID,
      nonce: first + index,
      gas: GAS,
      maxFeePerGas,
      maxPriorityFeePerGas: TIP,
      ...effectOf(waiting.order),
    })
    return { ...waiting, raw, hash: keccak256(raw) }
  })
  return await Promise.all(sents)
}

async function quantity(
  client: AnvilClient,
  method: string,
  params: readonly Json[] = [],
): Promise<bigint> {
  const value = await client.call(method, params)
  if (typeof value !== 'string') throw new AnvilUnreachable(`${method} is no quantity`)
  return BigInt(value)
}

function effectOf({ asset, address, amountBaseUnits }: EvmFaucetOrder): {
  readonly to: Hex
  readonly value?: bigint
  readonly data?: Hex
} {
  if (asset.mint === null) return { to: address, value: amountBaseUnits }
  const data = encodeFunctionData({ abi: MINT, args: [address, amountBaseUnits] })
  return { to: getAddress(asset.mint), data }
}

async function send(node: EvmNode, { raw }: Sent): Promise<void> {
  try {
    await node.running().client.call('eth_sendRawTransaction', [raw])
  } catch (error) {
    // "already imported" or "nonce too low": it is there already, and its receipt will tell.
    if (!(error instanceof AnvilRefusal)) throw error
  }
}

/** Mined and on disk: an answered payment survives any crash, and no later one waits for its nonce. */
async function isDone(node: EvmNode, { hash, resolve }: Sent): Promise<boolean> {
  const receipt = await node.running().client.call('eth_getTransactionReceipt', [hash])
  if (!isJsonObject(receipt) || Number(receipt['blockNumber']) > node.savedHeight()) return false
  if (receipt['status'] === '0x1') resolve({ ok: true, transactionHash: hash })
  else resolve({ ok: false, code: 'TRANSFER_FAILED', message: 'the recipient refuses it' })
  return true
}

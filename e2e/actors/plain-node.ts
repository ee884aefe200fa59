import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { findAnvil } from '@florin/sandbox/evm/anvil-binary.ts'
import { openAnvilClient } from '@florin/sandbox/evm/anvil-client.ts'
import type { AnvilClient } from '@florin/sandbox/evm/anvil-client.ts'
import { MULTICALL3_CREATION } from '@florin/sandbox/evm/artifact.ts'
import { MULTICALL3_ADDRESS } from '@florin/sandbox/evm/chain-facts.ts'

const START_SECONDS = 90

/** A node that is no sandbox of ours: bare anvil, as somebody else's test network. */
export interface PlainNode {
  readonly rpcUrl: string
  /** CAIP-2. */
  readonly network: string
  readonly client: AnvilClient
  readonly pid: number
  fund(address: string, wei: bigint): Promise<void>
  balanceOf(address: string): Promise<bigint>
  stop(): Promise<void>
}

/** Starts bare anvil with a block a second. It ends with this process. */
export async function startPlainNode(chainId: number): Promise<PlainNode> {
  const words = '--host 127.0.0.1 --port 0 --accounts 0 --block-time 1 --slots-in-an-epoch 1'
  const child = spawn(findAnvil(), [...words.split(' '), '--chain-id', String(chainId)], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const endWithTest = () => child.kill('SIGKILL')
  process.once('exit', endWithTest)
  const ended = once(child, 'exit')
  child.once('exit', () => process.off('exit', endWithTest))
  const listening = Promise.withResolvers<number>()
  let banner = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    banner += text
    const port = /Listening on 127\.0\.0\.1:(\d+)/.exec(banner)?.[1]
    if (port !== undefined) listening.resolve(Number(port))
  })
  const timer = setTimeout(() => listening.reject(new Error('too slow')), START_SECONDS * 1000)
  void ended.then(() => listening.reject(new Error('anvil ended at its start')))
  const port = await listening.promise.finally(() => clearTimeout(timer))
  const client = openAnvilClient(port)
  const runtime = await client.call('eth_call', [{ data: MULTICALL3_CREATION }, 'latest'])
  await client.call('anvil_setCode', [MULTICALL3_ADDRESS, runtime])
  return {
    rpcUrl: `http://127.0.0.1:${port}`,
    network: `eip155:${chainId}`,
    client,
    pid: child.pid ?? 0,
    fund: async (address, wei) => {
      await client.call('anvil_setBalance', [address, `0x${wei.toString(16)}`])
    },
    balanceOf: async (address) => {
      const balance = await client.call('eth_getBalance', [address, 'latest'])
      if (typeof balance !== 'string') throw new Error('the node tells no balance')
      return BigInt(balance)
    },
    stop: async () => {
      child.kill('SIGKILL')
      await ended
      client.close()
    },
  }
}

import { systemClock } from '../../kernel/clock.ts'
import { openLog } from '../../kernel/log.ts'
import type { NetworkConfig } from '../../kernel/network-config.ts'
import type { Chain } from '../chain.ts'
import { startTestNode } from '../json-rpc/test-node.ts'
import type { Reply, Script, TestNode } from '../json-rpc/test-node.ts'
import { connectSolana } from './connect.ts'
import { testNetwork } from './test-network.ts'

/** What a scripted node answers to a method: a result, or what to do with the parameters. */
export type Lines = Readonly<Record<string, unknown>>

export const result = (value: unknown): Reply => ({ result: value })
export const error = (code: number, message: string): Reply => ({ error: { code, message } })

/** A script out of lines; a function is called with the parameters and gives the whole reply. */
export function script(lines: Lines): Script {
  return {
    reply: (method, params) => {
      const line = lines[method]
      return typeof line === 'function' ? (line(params) as Reply) : result(line ?? null)
    },
  }
}

/** Scripted nodes behind one chain; `stop` ends them. */
export async function startScripted(
  scripts: readonly Script[],
  change: Partial<NetworkConfig> = {},
): Promise<{ chain: Chain; nodes: readonly TestNode[]; stop: () => Promise<void> }> {
  const nodes = await Promise.all(scripts.map(startTestNode))
  const config = testNetwork(
    nodes.map(({ url }) => url),
    change,
  )
  return {
    chain: connectSolana({ config, log: openLog('silent'), clock: systemClock }),
    nodes,
    stop: async () => {
      await Promise.all(nodes.map((node) => node.stop()))
    },
  }
}

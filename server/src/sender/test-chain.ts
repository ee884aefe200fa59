import type { Chain } from '../chains/chain.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'

/** A chain of which a test says only what it uses; anything else that is asked fails the test. */
export function scriptedChain(config: NetworkConfig, script: Partial<Chain>): Chain {
  const unasked = (name: string) => () => {
    throw new Error(`the script says nothing of ${name}`)
  }
  return {
    config,
    parseAddress: unasked('parseAddress'),
    addressBytes: unasked('addressBytes'),
    draft: unasked('draft'),
    sign: unasked('sign'),
    renewal: { kind: 'fee' },
    renew: unasked('renew'),
    broadcast: unasked('broadcast'),
    head: unasked('head'),
    blocks: unasked('blocks'),
    // No money comes in unless the script says so.
    arrivals: async () => [],
    outcomes: unasked('outcomes'),
    lanePosition: unasked('lanePosition'),
    balances: unasked('balances'),
    estimateFees: unasked('estimateFees'),
    sandboxInstance: unasked('sandboxInstance'),
    ...script,
  }
}

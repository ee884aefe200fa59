import type { NetworkConfig } from '@florin/server/kernel/network-config.ts'
import { isExample, isLoopback } from './hosts.ts'
import type { Problem } from './problem.ts'

const PLACEHOLDER = /your.?key|your.?token|change.?me|<[^>]*>|%3C/i

/** What is wrong with the networks by themselves: no node is asked. */
export function networkProblems(networks: readonly NetworkConfig[]): readonly Problem[] {
  const unknown = networks.filter(({ testnet }) => testnet === undefined)
  const named = (testnet: boolean) =>
    networks.filter((network) => network.testnet === testnet).map(({ network }) => network)
  const problems: Problem[] = unknown.map(({ network }) => ({
    what: `It is not known whether ${network} is a main or a test network.`,
    next: `Say it in the networks file: "testnet": true or false.`,
  }))
  const [main, test] = [named(false), named(true)]
  if (main.length > 0 && test.length > 0) {
    problems.push({
      what: `Main networks (${main.join(', ')}) and test networks (${test.join(', ')}) are mixed: a payment in worthless tokens would look like one in real money.`,
      next: 'Run two installations, each with a database of its own.',
    })
  }
  return [...problems, ...networks.flatMap(nodeAddressProblems)]
}

function nodeAddressProblems(config: NetworkConfig): readonly Problem[] {
  return config.rpcUrls.flatMap((_, index) =>
    addressProblems(config, index + 1).map(({ what, next }) => ({
      what: `Node ${index + 1} of ${config.network} ${what}`,
      next,
    })),
  )
}

/** What is wrong with one node's address, by its place from 1; a sentence that the node begins. */
export function addressProblems(
  { rpcUrls }: Pick<NetworkConfig, 'rpcUrls'>,
  node: number,
): readonly Problem[] {
  const urls = rpcUrls.map((secret) => secret.reveal())
  const text = urls[node - 1] ?? ''
  const url = URL.parse(text)
  if (url === null) return []
  const problems: Problem[] = []
  const add = (what: string, next: string) => problems.push({ what, next })
  if (isExample(url.hostname) || PLACEHOLDER.test(text)) {
    add(
      'has the address of the example.',
      'Put in the address that your provider gave you, or that of your own node.',
    )
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    add(
      'is reached by plain HTTP over a network, where anybody on the way may answer in its place.',
      'Use https://, or a tunnel that ends on this machine.',
    )
  }
  const first = urls.indexOf(text) + 1
  if (first !== node) {
    add(`is the same as node ${first}.`, 'Leave it out: it is no second opinion.')
  }
  return problems
}

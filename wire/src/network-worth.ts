import type { NetworkId } from './network.ts'

/** Networks whose tokens are worth something. Sources: the chains' own documents; for those of x402's stock client the names that it gives them; CAIP-2 references of the Solana clusters. */
const MAIN = [
  'eip155:1',
  'eip155:10',
  'eip155:14',
  'eip155:25',
  'eip155:50',
  'eip155:56',
  'eip155:100',
  'eip155:130',
  'eip155:137',
  'eip155:143',
  'eip155:146',
  'eip155:324',
  'eip155:480',
  'eip155:988',
  'eip155:1329',
  'eip155:2741',
  'eip155:4326',
  'eip155:4689',
  'eip155:5042',
  'eip155:8453',
  'eip155:31612',
  'eip155:36900',
  'eip155:38833',
  'eip155:42161',
  'eip155:42220',
  'eip155:43114',
  'eip155:57073',
  'eip155:59144',
  'eip155:80094',
  'eip155:190415',
  'eip155:534352',
  'eip155:723487',
  'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
]

/** Public test networks, and the ids that developers' nodes come with. */
const TEST = [
  'eip155:5',
  'eip155:51',
  'eip155:97',
  'eip155:300',
  'eip155:338',
  'eip155:1301',
  'eip155:1328',
  'eip155:1337',
  'eip155:2201',
  'eip155:4801',
  'eip155:10143',
  'eip155:10200',
  'eip155:11124',
  'eip155:17000',
  'eip155:31337',
  'eip155:31611',
  'eip155:43113',
  'eip155:59141',
  'eip155:72344',
  'eip155:80002',
  'eip155:84532',
  'eip155:181228',
  'eip155:421614',
  'eip155:534351',
  'eip155:560048',
  'eip155:5042002',
  'eip155:11142220',
  'eip155:11155111',
  'eip155:11155420',
  'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
  'solana:4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z',
]

/** Whether a network is a test network; undefined when it is not known here, and then the operator has to say. */
export function isTestNetwork(network: NetworkId): boolean | undefined {
  if (TEST.includes(network)) return true
  return MAIN.includes(network) ? false : undefined
}

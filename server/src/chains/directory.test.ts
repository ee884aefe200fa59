import { parseNetworkId } from '@florin/wire/network.ts'
import { expect, test } from 'vitest'
import { systemClock } from '../kernel/clock.ts'
import { openLog } from '../kernel/log.ts'
import { openDirectory } from './directory.ts'
import { connectEvm } from './evm/connect.ts'
import { testNetwork } from './evm/test-network.ts'

const directory = openDirectory(
  ['eip155:84532', 'eip155:8453'].map((text) => {
    const network = parseNetworkId(text)
    if (network === undefined) throw new Error(`${text} is no network`)
    return connectEvm({
      config: testNetwork([], { network }),
      ...{ log: openLog('silent'), clock: systemClock },
    })
  }),
)

test('a network is found by its id, and by its name of x402 version 1', () => {
  for (const name of ['eip155:84532', 'base-sepolia']) {
    expect(directory.named(name).config.network).toBe('eip155:84532')
  }
})

test.each(['eip155:1', 'solana', 'Base', ''])(
  'of "%s" is said which networks there are',
  (name) => {
    const details = { network: 'one of eip155:84532, eip155:8453' }
    const refused = expect.objectContaining({ code: 'UNSUPPORTED_NETWORK', details })
    expect(() => directory.named(name)).toThrow(refused)
    const address = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'
    expect(() => directory.resolve({ network: name, address, field: 'address' })).toThrow(refused)
  },
)

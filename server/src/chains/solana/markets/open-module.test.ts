import { expect, test } from 'vitest'
import type { MarketConfig } from '../../../kernel/network-config.ts'
import { ALICE } from '../test-scene.ts'
import { testNetwork } from '../test-network.ts'
import type { ModuleTools, ProgramVenue, VenueModule } from '../venue-module.ts'
import { MODULE_TOOLS, openModules } from './open-module.ts'

const NAMED: readonly MarketConfig[] = [{ venue: 'module', name: 'curve' }]
const network = (markets: readonly MarketConfig[] = NAMED) => testNetwork([], { markets })
const { network: id } = network()
const venue: ProgramVenue = {
  dataBytes: 1,
  accounts: () => [],
  quote: () => ({ ok: false, refusal: 'no_market' }),
  trade: () => ({ program: ALICE, accounts: [], data: new Uint8Array() }),
  opens: () => [],
  read: () => undefined,
}

function moduleOf(networks: readonly string[], name = 'curve') {
  const given: ModuleTools[] = []
  const module: VenueModule = {
    api: 1,
    name,
    networks,
    program: ALICE,
    open: (tools) => {
      given.push(tools)
      return venue
    },
  }
  return { module, given }
}

test('a listed module is opened with the arithmetic of the chain, whether a market names it or not', () => {
  const { module, given } = moduleOf([id])
  const opened = [{ name: 'curve', program: ALICE, venue: { dataBytes: 1 } }]
  expect(openModules(network(), [module])).toMatchObject(opened)
  expect(openModules(network([]), [module])).toMatchObject(opened)
  expect(given).toEqual([MODULE_TOOLS, MODULE_TOOLS])
})

test('one for other networks is not opened', () => {
  const { module, given } = moduleOf(['solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'])
  expect(openModules(network([]), [module])).toEqual([])
  expect(given).toEqual([])
})

test('a market whose module is missing is no market', () => {
  const others = [moduleOf([id], 'other').module, moduleOf(['eip155:1']).module]
  expect(() => openModules(network(), others)).toThrow('no module curve')
  expect(() => openModules(network(), [])).toThrow('no module curve')
  expect(openModules(network(), undefined)).toEqual([])
})

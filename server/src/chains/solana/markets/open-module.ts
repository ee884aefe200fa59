import type { Log } from '../../../kernel/log.ts'
import type { NetworkConfig } from '../../../kernel/network-config.ts'
import { addressBytes, addressFromBytes, knownAddress } from '../account.ts'
import { derivedAddress } from '../program-address.ts'
import { associatedAccount } from '../token-account.ts'
import type { ModuleTools, OpenedModule, ProgramVenue, VenueModule } from '../venue-module.ts'
import { guarded } from './guarded-module.ts'
import type { OnModuleFailure } from './guarded-module.ts'

/** The chain's own arithmetic, for whoever brings none. */
export const MODULE_TOOLS: ModuleTools = {
  addressBytes,
  addressFromBytes,
  knownAddress,
  derived: (program, seeds) => derivedAddress(program, seeds).address,
  associated: (owner, mint) => associatedAccount(owner, mint.program, mint.address).address,
}

/**
 * The modules that are for a network, whether its markets name them or not: what was traded by one is followed as long as it is listed.
 * Where none were handed over at all, as to commands that trade nothing, there are none; throws where a market names one that is missing.
 */
export function openModules(
  { network, markets = [] }: NetworkConfig,
  modules: readonly VenueModule[] | undefined,
  log?: Log,
): readonly OpenedModule[] {
  if (modules === undefined) return []
  const opened = modules
    .filter(({ networks }) => networks.includes(network))
    .map((module) => ({
      name: module.name,
      program: knownAddress(module.program),
      venue: openGuarded(module, toldOnce(network, module.name, log)),
    }))
  for (const market of markets) {
    if (market.venue === 'module' && !opened.some(({ name }) => name === market.name)) {
      throw new Error(`no module ${market.name} for ${network}`)
    }
  }
  return opened
}

/** Throws whatever the module throws, and RangeError where what it opens is no venue. */
export function openGuarded(
  module: VenueModule,
  onFailure: OnModuleFailure = () => undefined,
): ProgramVenue {
  return guarded(module.open(MODULE_TOOLS), onFailure)
}

/** What a module cannot do it cannot do at every transaction: one line for each of its functions. */
function toldOnce(network: string, name: string, log: Log | undefined): OnModuleFailure {
  const told = new Set<string>()
  return (operation, reason) => {
    if (told.has(operation)) return
    told.add(operation)
    log?.warn({ network, part: name, operation, reason }, 'a venue from outside fails')
  }
}

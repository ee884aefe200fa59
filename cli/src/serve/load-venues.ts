import { isAbsolute } from 'node:path'
import { pathToFileURL } from 'node:url'
import { openGuarded } from '@florin/server/chains/solana/markets/open-module.ts'
import type { VenueModule } from '@florin/server/chains/solana/venue-module.ts'
import { readVenueModule } from '@florin/server/venue-modules.ts'
import type { Problem } from './problem.ts'

export interface LoadedVenues {
  readonly modules: readonly VenueModule[]
  readonly problems: readonly Problem[]
}

const next = 'docs/operating/makers.md says what FLORIN_VENUES may name.'

/** Loads the packages that FLORIN_VENUES lists, and nothing else. */
export async function loadVenues(names: readonly string[]): Promise<LoadedVenues> {
  const modules: VenueModule[] = []
  const problems: Problem[] = []
  for (const name of names) {
    const refuse = (what: string) =>
      problems.push({ what: `FLORIN_VENUES: ${name} ${what}.`, next })
    const loaded = await load(name)
    if (!loaded.ok) refuse(`cannot be loaded: ${loaded.reason}`)
    else {
      const read = readVenueModule(loaded.exported)
      if (!read.ok) refuse(read.problem)
      else if (modules.some((other) => other.name === read.module.name)) {
        refuse(`has the name "${read.module.name}", which another one has`)
      } else if (modules.some((other) => isSameProgram(other, read.module))) {
        refuse(`trades with the program ${read.module.program}, which another one does, too`)
      } else {
        const reason = whyClosed(read.module)
        if (reason === undefined) modules.push(read.module)
        else refuse(`cannot be opened: ${reason}`)
      }
    }
  }
  return { modules, problems }
}

type Loaded =
  | { readonly ok: true; readonly exported: unknown }
  | { readonly ok: false; readonly reason: string }

async function load(name: string): Promise<Loaded> {
  try {
    const exported: unknown = await import(isAbsolute(name) ? pathToFileURL(name).href : name)
    return { ok: true, exported }
  } catch (error) {
    return { ok: false, reason: reasonOf(error) }
  }
}

/** Two readers of one program would each say whose trade it is. */
function isSameProgram(one: VenueModule, other: VenueModule): boolean {
  return one.program === other.program && one.networks.some((each) => other.networks.includes(each))
}

/** Why a module cannot be opened; undefined when it can. */
function whyClosed(module: VenueModule): string | undefined {
  try {
    openGuarded(module)
    return undefined
  } catch (error) {
    return reasonOf(error)
  }
}

function reasonOf(error: unknown): string {
  const [reason = ''] = (error instanceof Error ? error.message : 'no reason').split('\n')
  return reason
}

import { bodyRules, queryRules } from '@florin/server/http/rules.ts'
import type { Check, Rules } from '@florin/server/http/rules.ts'
import { openSimulationDatabase } from './database.ts'
import type { SimulationDatabase } from './database.ts'

/** What worlds leave to the next one: an empty database and schemas that are compiled. */
export interface Premises {
  readonly database: SimulationDatabase
  readonly bodyRules: Rules
  readonly queryRules: Rules
  close(): Promise<void>
}

export async function openPremises(databaseUrl: string): Promise<Premises> {
  const database = await openSimulationDatabase(databaseUrl)
  return {
    database,
    bodyRules: remembering(bodyRules()),
    queryRules: remembering(queryRules()),
    close: () => database.close(),
  }
}

/** Compiling the schemas of a route takes 30 ms, and every life of every instance opens its routes. Kept as long as the premises. */
function remembering(rules: Rules): Rules {
  const compiled = new Map<string, Check<never>>()
  return (schema) => {
    const name = JSON.stringify(schema)
    const check = compiled.get(name) ?? rules(schema)
    compiled.set(name, check as Check<never>)
    return check
  }
}

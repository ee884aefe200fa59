import pg from 'pg'
import type { Secret } from '../kernel/secret.ts'
import { SERVICE_SETTINGS } from './postgres.ts'
import type { Tx } from './postgres.ts'

export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
}

/** The one statement that a step asks. */
export async function statementOf(step: (tx: Tx) => Promise<unknown>): Promise<Statement> {
  const asked: Statement[] = []
  const tx: Tx = {
    query: async (_name, text, values = []) => {
      asked.push({ text, values })
      return []
    },
  }
  await step(tx)
  const [only, ...others] = asked
  if (only === undefined || others.length > 0) throw new Error('a step is one statement')
  return only
}

interface PlanNode {
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Join Filter'?: number
  readonly Plans?: readonly PlanNode[]
}

/** Rows that a plan went through, those that a join or a filter left out among them. */
function rowsThrough(node: PlanNode): number {
  const own =
    node['Actual Rows'] +
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Join Filter'] ?? 0)
  const below = (node.Plans ?? []).reduce((sum, each) => sum + rowsThrough(each), 0)
  return own * node['Actual Loops'] + below
}

/** Executes a statement that was prepared under this name, and says how many rows it went through. */
export async function rowsThroughPrepared(
  client: pg.Client,
  name: string,
  values: readonly unknown[],
): Promise<number> {
  const literals = values.map((value) =>
    pg.escapeLiteral(
      Array.isArray(value)
        ? `{${value.map((each) => JSON.stringify(each)).join(',')}}`
        : value instanceof Date
          ? value.toISOString()
          : `${value}`,
    ),
  )
  const given = literals.length === 0 ? '' : `(${literals.join(', ')})`
  const { rows } = await client.query<{ 'QUERY PLAN': readonly [{ readonly Plan: PlanNode }] }>(
    `explain (analyze, timing off, format json) execute ${name}${given}`,
  )
  const plan = rows[0]?.['QUERY PLAN'][0].Plan
  if (plan === undefined) throw new Error('no plan')
  return rowsThrough(plan)
}

/** A connection as the service has it, whose statements are planned once and executed, and answer nothing but how many rows they went through. */
export interface CountingTx {
  readonly client: pg.Client
  /** Rows that all statements of a step went through. */
  rowsThrough(step: (tx: Tx) => Promise<unknown>): Promise<number>
}

/** Opens one on a test's database; the caller ends its client. */
export async function openCountingTx({
  ownerUrl,
}: {
  readonly ownerUrl: Secret
}): Promise<CountingTx> {
  const client = new pg.Client({
    connectionString: ownerUrl.reveal(),
    options: `${SERVICE_SETTINGS} -c role=florin_service`,
  })
  await client.connect()
  const prepared = new Set<string>()
  return {
    client,
    rowsThrough: async (step) => {
      let through = 0
      await step({
        query: async (name, text, values = []) => {
          if (!prepared.has(name)) await client.query(`prepare ${name} as ${text}`)
          prepared.add(name)
          through += await rowsThroughPrepared(client, name, values)
          return []
        },
      })
      return through
    },
  }
}

import { posix } from 'node:path'
import { isCode, isTest } from './source.ts'
import type { SourceFile } from './source.ts'
import { createdTables, droppedTables, statements, tablesOf } from './sql.ts'
import { SEES_EVERY_TABLE, TABLE_OWNERS } from './tables.ts'

const ownerOf = new Map(
  Object.entries(TABLE_OWNERS).flatMap(([room, tables]) => tables.map((table) => [table, room])),
)

/** SQL stands in store.ts, *-store.ts and *-sql.ts of a room; the store room itself is PostgreSQL as such. */
function mayHoldSql(path: string): boolean {
  return (
    /^server\/src\/[^/]+\/([\w-]+-)?(store|sql)\.ts$/.test(path) ||
    path.startsWith('server/src/store/') ||
    path in SEES_EVERY_TABLE
  )
}

function problemsOf({ path, text }: SourceFile): readonly string[] {
  const room = path.split('/')[2] ?? ''
  return statements(text).flatMap((sql) => {
    const at = `${path}:${sql.line}`
    if (!mayHoldSql(path))
      return [`${at}: SQL stands in store.ts, *-store.ts or *-sql.ts of a room`]
    if (path in SEES_EVERY_TABLE) {
      return /\b(insert|update|delete|truncate|merge)\b/i.test(sql.text)
        ? [`${at}: may only read`]
        : []
    }
    return [...tablesOf(sql.text)].flatMap((table) => {
      const owner = ownerOf.get(table)
      return owner === undefined || owner === room ? [] : [`${at}: ${table} belongs to ${owner}`]
    })
  })
}

/** SQL outside a store file, and SQL that names the table of another room. Tests may look anywhere. */
export function foreignTables(files: readonly SourceFile[]): readonly string[] {
  return files
    .filter((file) => isCode(file) && !isTest(file) && /^(server|cli|sandbox)\//.test(file.path))
    .flatMap(problemsOf)
}

/** It fills a database of before. */
const KNOWS_GONE_TABLES = 'server/src/store/migrate.test.ts'

/** Statements, those of tests and benches too, that name a table which a migration took away. */
export function goneTables(files: readonly SourceFile[]): readonly string[] {
  const gone = new Set(migrationsOf(files).flatMap(({ text }) => droppedTables(text)))
  const code = files.filter((file) => isCode(file) && file.path !== KNOWS_GONE_TABLES)
  return code.flatMap(({ path, text }) =>
    statements(text).flatMap((sql) =>
      [...tablesOf(sql.text)]
        .filter((table) => gone.has(table))
        .map((table) => `${path}:${sql.line}: ${table} is gone`),
    ),
  )
}

function migrationsOf(files: readonly SourceFile[]): readonly SourceFile[] {
  return files.filter(
    ({ path }) => posix.dirname(path) === 'server/migrations' && /\/\d+_\w+\.sql$/.test(path),
  )
}

/** Tables that a migration makes and nobody owns, and owned tables that no migration makes. */
export function ownerlessTables(files: readonly SourceFile[]): readonly string[] {
  const migrations = migrationsOf(files)
  const gone = new Set(migrations.flatMap(({ text }) => droppedTables(text)))
  const made = migrations
    .flatMap(({ text }) => createdTables(text))
    .filter((table) => !gone.has(table))
  const makes = new Set([...made, ...(TABLE_OWNERS['store'] ?? [])])
  return [
    ...[...makes].filter((table) => !ownerOf.has(table)).map((table) => `${table} has no owner`),
    ...[...ownerOf.keys()]
      .filter((table) => !makes.has(table))
      .map((table) => `no ${table} is made`),
  ]
}

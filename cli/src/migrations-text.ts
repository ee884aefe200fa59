/** How many migrations, with the first and the last: an empty database lacks dozens, which nobody reads. */
export function migrationsText(names: readonly string[]): string {
  const [first = '', last = ''] = [names[0], names.at(-1)]
  return names.length === 1
    ? `one migration: ${first}`
    : `${names.length} migrations: ${first} to ${last}`
}

import type { Store } from './postgres.ts'

/** A write of a test's own, in a transaction as the store wants it, in the role of its store. */
export async function write<Row extends object>(
  store: Pick<Store, 'inTransaction'>,
  name: string,
  text: string,
  values?: readonly unknown[],
): Promise<Row[]> {
  return await store.inTransaction('service', (tx) => tx.query<Row>(name, text, values))
}

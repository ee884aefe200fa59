import type { Log } from '@florin/server/kernel/log.ts'

/** What was opened, to be closed in the reverse order. */
export interface Closers {
  add(name: string, close: () => Promise<void>): void
  closeAll(): Promise<void>
}

/** A part that fails to close does not keep the others from closing. */
export function openClosers(log: Log): Closers {
  const closers: { readonly name: string; readonly close: () => Promise<void> }[] = []
  return {
    add: (name, close) => closers.push({ name, close }),
    closeAll: async () => {
      for (let next = closers.pop(); next !== undefined; next = closers.pop()) {
        const { name, close } = next
        await close().catch((error: unknown) =>
          log.warn({ part: name, reason: error }, 'did not stop cleanly'),
        )
      }
    },
  }
}

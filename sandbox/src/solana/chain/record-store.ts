import type { TransactionRecord } from './transaction-record.ts'

/** A transfer takes 1.2 KB here, so this many are 12 MB of the saved chain and about 60 MB of memory. */
const RECORDS_MAX = 10_000
const BYTES_MAX = 32 * 1024 * 1024

/** The newest transactions that landed, by signature and by address. The oldest are forgotten. */
export interface RecordStore {
  add(record: TransactionRecord): void
  remove(signature: string): void
  get(signature: string): TransactionRecord | undefined
  /** Slot of a transaction; cheaper than the whole. */
  slotOf(signature: string): number | undefined
  /** Signatures that name an address, oldest first. */
  ofAddress(address: string): readonly string[]
  /** Of all, oldest first. */
  signatures(): readonly string[]
  count(): number
  /** One line of JSON for each, oldest first. */
  lines(): readonly string[]
}

interface Entry {
  readonly slot: number
  /** Kept as text: a quarter of the memory, and saving needs it. */
  readonly line: string
}

export function openRecordStore(lines: readonly string[] = []): RecordStore {
  const entries = new Map<string, Entry>()
  const byAddress = new Map<string, Set<string>>()
  let bytes = 0

  const remove = (signature: string): void => {
    const entry = entries.get(signature)
    if (entry === undefined) return
    entries.delete(signature)
    bytes -= entry.line.length
    for (const key of readRecord(entry.line).keys) {
      const signatures = byAddress.get(key)
      signatures?.delete(signature)
      if (signatures?.size === 0) byAddress.delete(key)
    }
  }
  const insert = (record: TransactionRecord, line: string): void => {
    const { signature, slot, keys } = record
    entries.set(signature, { slot, line })
    bytes += line.length
    for (const key of keys) {
      const signatures = byAddress.get(key) ?? new Set()
      byAddress.set(key, signatures.add(signature))
    }
    for (const oldest of entries.keys()) {
      if (entries.size <= RECORDS_MAX && bytes <= BYTES_MAX) break
      remove(oldest)
    }
  }
  for (const line of lines) insert(readRecord(line), line)

  return {
    add: (record) => insert(record, JSON.stringify(record)),
    remove,
    get(signature) {
      const entry = entries.get(signature)
      return entry === undefined ? undefined : readRecord(entry.line)
    },
    slotOf: (signature) => entries.get(signature)?.slot,
    ofAddress: (address) => [...(byAddress.get(address) ?? [])],
    signatures: () => [...entries.keys()],
    count: () => entries.size,
    lines: () => Array.from(entries.values(), ({ line }) => line),
  }
}

/** The lines are our own: written here and, on disk, under a checksum. */
function readRecord(line: string): TransactionRecord {
  return JSON.parse(line) as TransactionRecord
}

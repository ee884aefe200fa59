import type { Json } from '../host/json.ts'
import { isJsonObject } from '../host/json.ts'

/** What the sandbox process asks its Solana process. */
export interface Order {
  readonly id: number
  readonly what: 'start' | 'fault' | 'clear' | 'state' | 'pay' | 'maker' | 'stop'
  readonly with: Json
}

/** What it is answered. `complaint`: something a person can act on. */
export type Reply =
  | { readonly id: number; readonly ok: true; readonly value: Json }
  | {
      readonly id: number
      readonly ok: false
      readonly complaint: boolean
      readonly message: string
    }

const WHATS = ['start', 'fault', 'clear', 'state', 'pay', 'maker', 'stop'] as const

export function readOrder(message: Json | undefined): Order | undefined {
  if (!isJsonObject(message)) return undefined
  const { id, what: name, with: value = null } = message
  const what = WHATS.find((known) => known === name)
  return typeof id === 'number' && what !== undefined ? { id, what, with: value } : undefined
}

export function readReply(message: Json | undefined): Reply | undefined {
  if (!isJsonObject(message)) return undefined
  const { id, ok, value = null, complaint, message: text } = message
  if (typeof id !== 'number') return undefined
  if (ok === true) return { id, ok, value }
  return typeof text === 'string'
    ? { id, ok: false, complaint: complaint === true, message: text }
    : undefined
}

import type { Json, JsonObject } from '../host/json.ts'
import { isJsonObject } from '../host/json.ts'

/** What the Solana process needs to begin. */
export interface StartOrder {
  readonly directory: string
  readonly instance: string
  readonly faults: boolean
  /** Must be free, with the next one. */
  readonly fixedPort: number | null
  /** Taken when free. */
  readonly rememberedPort: number | null
}

export function startOrderJson(order: StartOrder): JsonObject {
  return { ...order }
}

export function readStartOrder(value: Json): StartOrder {
  if (isJsonObject(value)) {
    const { directory, instance, faults, fixedPort, rememberedPort } = value
    if (typeof directory === 'string' && typeof instance === 'string') {
      return {
        directory,
        instance,
        faults: faults === true,
        fixedPort: typeof fixedPort === 'number' ? fixedPort : null,
        rememberedPort: typeof rememberedPort === 'number' ? rememberedPort : null,
      }
    }
  }
  throw new Error('a start order has a directory and an instance')
}

/** A part of a body as a handler wrote it, and the encoding of a text where it named one. */
export type Part = readonly [part: string | Uint8Array, encoding: string | undefined]

/** The whole answer of a handler that has not gone out. */
export interface HeldAnswer {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string | readonly string[]])[]
  readonly parts: readonly Part[]
  /** Of the body; of a text its characters. */
  readonly length: number
}

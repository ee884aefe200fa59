import { inspect } from 'node:util'

/** Text that must never be printed: passwords, keys, node URLs (a provider's key is often in the path). */
export class Secret {
  readonly #value: string
  constructor(value: string) {
    this.#value = value
  }
  /** The one way out; search for `.reveal(` to audit every use. */
  reveal(): string {
    return this.#value
  }
  toString(): string {
    return '[secret]'
  }
  toJSON(): string {
    return '[secret]'
  }
  [inspect.custom](): string {
    return '[secret]'
  }
}

/** Key bytes that must never be printed. `erase` overwrites them. */
export class SecretBytes {
  readonly #value: Uint8Array
  constructor(value: Uint8Array) {
    this.#value = value
  }
  /** The one way out; the caller must not keep it. */
  reveal(): Uint8Array {
    return this.#value
  }
  erase(): void {
    this.#value.fill(0)
  }
  toString(): string {
    return '[secret]'
  }
  toJSON(): string {
    return '[secret]'
  }
  [inspect.custom](): string {
    return '[secret]'
  }
}

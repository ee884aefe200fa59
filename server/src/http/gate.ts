import type { Endpoint } from '@florin/wire/endpoint.ts'
import type { Caller, Visitor } from '../kernel/caller.ts'

/** A request of an operation that needs a key, before anything but its headers was read. */
export interface Arrival {
  /** Every value of the Authorization header. */
  readonly authorization: readonly string[]
  /** The client's address, empty when its connection is gone. */
  readonly address: string
  readonly endpoint: Endpoint
  /** Every value of a header, by its name in small letters; left out where there are no others. */
  header?(name: string): readonly string[]
  /** Headers that the answer carries from now on, whatever it will be. */
  tell(headers: Readonly<Record<string, string>>): void
}

/** Who may come in. What is thrown is the answer. */
export interface Gate {
  /**
   * Says who is asking; a visitor without an account only where the operation needs none. At once where that is known, as it is for nearly
   * every request: a promise in each of its layers took a twentieth of a verification. Throws Refusal UNAUTHORIZED, FORBIDDEN or RATE_LIMIT, or
   * rejects with it.
   */
  admit(arrival: Arrival): Caller | Visitor | Promise<Caller | Visitor>
  /**
   * Who came with that arrival, if they would be let in by now as well: for what has taken longer than the word of an instance is good for, and
   * moves money. Nothing is counted against a window. Throws or rejects as `admit` does.
   */
  admitAgain(arrival: Arrival): Promise<Caller | Visitor>
  /** A request that no key opens: a keyless operation, or a path or method that there is not. Throws Refusal RATE_LIMIT. */
  admitStranger(address: string): void
  /** Somebody who reads a file of a page: one visit is some thirty of them. Throws Refusal RATE_LIMIT. */
  admitFileReader(address: string): void
}

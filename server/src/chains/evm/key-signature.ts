import { callV } from './eip3009.ts'
import type { Authorization } from './eip3009.ts'
import { hexDigits } from './hex.ts'
import type { RecoveredSigners } from './recovered-signers.ts'
import { isOneOfAKind } from './secp256k1.ts'

/** The node's word for nobody, and an address that nobody has a key of. */
const NOBODY = '0'.repeat(40)
const RS_BYTES = 64

/** Whether a payer's plain key signed an authorization. */
export interface KeySignature {
  /** Looked at here when it is asked for the first time, which costs a recovery, unless a node has shown it. */
  isGood(): boolean
  /** What was signed; two hashes, once. */
  digest(): Uint8Array
  /** Looks at it, where neither that was done nor a node was asked; says whether it did. */
  look(): boolean
  /**
   * What a node needs to tell who signed: digest, v, r and s, hex without 0x. Undefined where there is nothing to ask, because that is known or
   * the form is one that never counts.
   */
  question(): string | undefined
  /** The node's answer, 20 bytes of hex. Only that it was the payer is believed: whatever else it says is looked at here. */
  hear(signer: string): void
}

/** Opens the signature of an authorization. `digestOf` is called at most once. */
export function openKeySignature(
  authorization: Authorization,
  digestOf: () => Uint8Array,
  recovered: RecoveredSigners,
): KeySignature {
  return new Opened(authorization, digestOf, recovered)
}

/** The same signature, known to be good. */
export function knownGood(signature: KeySignature): KeySignature {
  return {
    isGood: () => true,
    digest: () => signature.digest(),
    look: () => false,
    question: () => undefined,
    hear: () => undefined,
  }
}

/** A class, since every verification opens one. */
class Opened implements KeySignature {
  readonly #authorization: Authorization
  readonly #digestOf: () => Uint8Array
  readonly #recovered: RecoveredSigners
  #digest: Uint8Array | undefined
  #isGood: boolean | undefined
  #isAsked = false

  constructor(
    authorization: Authorization,
    digestOf: () => Uint8Array,
    recovered: RecoveredSigners,
  ) {
    this.#authorization = authorization
    this.#digestOf = digestOf
    this.#recovered = recovered
  }

  isGood(): boolean {
    const { from, signature } = this.#authorization
    this.#isGood ??= this.#recovered.isSigned(from, signature, () => this.digest())
    return this.#isGood
  }

  digest(): Uint8Array {
    this.#digest ??= this.#digestOf()
    return this.#digest
  }

  look(): boolean {
    if (this.#isGood !== undefined || this.#isAsked) return false
    this.isGood()
    return true
  }

  question(): string | undefined {
    const { signature } = this.#authorization
    if (this.#isGood !== undefined || !isOneOfAKind(signature)) return undefined
    this.#isAsked = true
    const v = callV(signature).toString(16)
    return hexDigits(this.digest()) + v + hexDigits(signature.subarray(0, RS_BYTES))
  }

  hear(signer: string): void {
    if (signer === this.#authorization.from.slice(2).toLowerCase() && signer !== NOBODY) {
      this.#isGood = true
    }
  }
}

import { createRequire } from 'node:module'
import type { Curve } from './curve.ts'

interface Bindings {
  ecdsaSign(digest: Uint8Array, privateKey: Uint8Array): { signature: Uint8Array; recid: number }
  ecdsaRecover(
    signature: Uint8Array,
    recovery: number,
    digest: Uint8Array,
    compressed: false,
  ): Uint8Array
  publicKeyCreate(privateKey: Uint8Array, compressed: false): Uint8Array
}

function isBindings(loaded: unknown): loaded is Bindings {
  return (
    typeof loaded === 'object' &&
    loaded !== null &&
    ['ecdsaSign', 'ecdsaRecover', 'publicKeyCreate'].every(
      (name) => typeof Reflect.get(loaded, name) === 'function',
    )
  )
}

/**
 * libsecp256k1 through its Node-API prebuild, or undefined where this platform has none.
 * Loads `secp256k1/bindings`, never the package root: the root falls back silently to a JavaScript engine
 * that is 70 times slower and has open advisories.
 */
export function loadNativeCurve(): Curve | undefined {
  let loaded: unknown
  try {
    loaded = createRequire(import.meta.url)('secp256k1/bindings')
  } catch {
    return undefined
  }
  if (!isBindings(loaded)) return undefined
  const bindings = loaded
  return {
    sign: (digest, privateKey) => {
      const { signature, recid } = bindings.ecdsaSign(digest, privateKey)
      return { rs: signature, recovery: recid }
    },
    recover: (digest, rs, recovery) => {
      try {
        return bindings.ecdsaRecover(rs, recovery, digest, false)
      } catch {
        return undefined
      }
    },
    publicKey: (privateKey) => bindings.publicKeyCreate(privateKey, false),
  }
}

import type { Curve } from './curve.ts'

/** libsecp256k1 as WebAssembly, for platforms without a native build; a third of its speed. */
export async function loadWasmCurve(): Promise<Curve> {
  // Imported only here: the package takes 140 ms to load, which a machine with the native engine never pays.
  const { instantiateSecp256k1 } = await import('@bitauth/libauth')
  const engine = await instantiateSecp256k1()
  return {
    sign: (digest, privateKey) => {
      const signed = engine.signMessageHashRecoverableCompact(privateKey, digest)
      if (typeof signed === 'string') throw new Error('the private key is not valid')
      return { rs: signed.signature, recovery: signed.recoveryId }
    },
    recover: (digest, rs, recovery) => {
      const key = engine.recoverPublicKeyUncompressed(rs, recovery, digest)
      return typeof key === 'string' ? undefined : key
    },
    publicKey: (privateKey) => {
      const key = engine.derivePublicKeyUncompressed(privateKey)
      if (typeof key === 'string') throw new Error('the private key is not valid')
      return key
    },
  }
}

import { openRecent } from '../../kernel/recent.ts'
import { recoverAddress } from './secp256k1.ts'

/** At least half of them are kept. */
const RECOVERED_MAX = 20_000
const SIGNATURE_BYTES = 65

/** Who signed a digest; the settle that follows a verify finds the answer here. A fact that never changes, bounded in count. */
export function openRecoveredSigners(): {
  isSigned(from: string, signature: Uint8Array, digest: () => Uint8Array): boolean
} {
  const recovered = openRecent<string>(RECOVERED_MAX)
  return {
    isSigned: (from, signature, digest) => {
      if (signature.length !== SIGNATURE_BYTES) return false
      const signed = digest()
      const key = Buffer.concat([signed, signature]).toString('latin1')
      const known = recovered.get(key)
      if (known !== undefined) return known === from
      const signer = recoverAddress(signed, signature)
      if (signer === undefined) return false
      recovered.set(key, signer)
      return signer === from
    },
  }
}

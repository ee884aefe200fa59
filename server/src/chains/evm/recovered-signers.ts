import { openRecent } from '../../kernel/recent.ts'
import { hexDigits } from './hex.ts'
import { recoverSigner } from './secp256k1.ts'

/** At least half of them are kept. */
export const RECOVERED_MAX = 20_000
const SIGNATURE_BYTES = 65

/** Who signed a digest, as far as it was found here; whoever asks again, such as the settle that follows, has the answer. A fact that never changes, bounded in count. */
export interface RecoveredSigners {
  isSigned(from: string, signature: Uint8Array, digest: () => Uint8Array): boolean
}

export function openRecoveredSigners(): RecoveredSigners {
  const recovered = openRecent<string>(RECOVERED_MAX)
  return {
    isSigned: (from, signature, digest) => {
      if (signature.length !== SIGNATURE_BYTES) return false
      const signed = digest()
      const key = Buffer.concat([signed, signature]).toString('latin1')
      const payer = from.slice(2).toLowerCase()
      const known = recovered.get(key)
      if (known !== undefined) return known === payer
      const bytes = recoverSigner(signed, signature)
      if (bytes === undefined) return false
      const signer = hexDigits(bytes)
      recovered.set(key, signer)
      return signer === payer
    },
  }
}

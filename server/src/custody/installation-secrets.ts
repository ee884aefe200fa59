import type { Random } from '../kernel/random.ts'
import { SecretBytes } from '../kernel/secret.ts'
import type { Store } from '../store/postgres.ts'
import { boundFields } from './bound-fields.ts'
import { storeInstallationSecretOnce } from './installation-secret-store.ts'
import type { KeyWrapper } from './key-wrapper.ts'

const SECRET_BYTES = 32

/** Secrets that belong to the installation, not to a wallet: the peppers of API keys and passwords, and the key of transfer proofs. */
export type InstallationSecretName = 'key-pepper' | 'password-pepper' | 'proof-key'

/** 32 random bytes under this name, the same on every instance for ever; made on first use. */
export async function loadInstallationSecret(
  { store, wrapper, random }: { store: Store; wrapper: KeyWrapper; random: Random },
  name: InstallationSecretName,
): Promise<SecretBytes> {
  const additionalData = boundFields(['florin-installation-secret-v1', name])
  const sealed = await storeInstallationSecretOnce(store, name, async () => {
    const secret = new SecretBytes(random.bytes(SECRET_BYTES))
    try {
      return await wrapper.wrap(secret, additionalData)
    } finally {
      secret.erase()
    }
  })
  return wrapper.unwrap(sealed, additionalData)
}

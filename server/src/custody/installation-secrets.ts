import type { Random } from '../kernel/random.ts'
import { SecretBytes } from '../kernel/secret.ts'
import type { Store } from '../store/postgres.ts'
import { boundFields } from './bound-fields.ts'
import {
  KEY_ROW,
  listInstallationSecrets,
  replaceInstallationSecret,
  storeInstallationSecretOnce,
} from './installation-secret-store.ts'
import { requireCurrentKey } from './key-encryption-key.ts'
import type { KeyWrapper } from './key-wrapper.ts'
import { rewrap } from './reseal.ts'
import type { Reseal } from './reseal.ts'

const SECRET_BYTES = 32

/** Secrets that belong to the installation, not to a wallet: the peppers of API keys and passwords, and the key of transfer proofs. */
export type InstallationSecretName = 'key-pepper' | 'password-pepper' | 'proof-key'

/** 32 random bytes under this name, the same on every instance for ever; made on first use. */
export async function loadInstallationSecret(
  { store, wrapper, random }: { store: Store; wrapper: KeyWrapper; random: Random },
  name: InstallationSecretName,
): Promise<SecretBytes> {
  const make = async (): Promise<Uint8Array> => {
    const secret = new SecretBytes(random.bytes(SECRET_BYTES))
    try {
      return await wrapper.wrap(secret, boundTo(name))
    } finally {
      secret.erase()
    }
  }
  const sealed = await storeInstallationSecretOnce(store, name, make, (tx) =>
    requireCurrentKey(tx, wrapper),
  )
  return wrapper.unwrap(sealed, boundTo(name))
}

const boundTo = (name: string) => boundFields(['florin-installation-secret-v1', name])

/** Seals every secret of the installation under another key. Gives how many. Throws SealBroken. */
export const resealInstallationSecrets: Reseal = async (tx, keys) => {
  const secrets = (await listInstallationSecrets(tx)).filter(({ name }) => name !== KEY_ROW)
  for (const { name, sealed } of secrets) {
    await replaceInstallationSecret(tx, name, await rewrap(keys, sealed, boundTo(name)))
  }
  return secrets.length
}

import type { KeyWrapper } from '../custody/key-wrapper.ts'
import { boundFields } from '../custody/bound-fields.ts'
import { rewrap } from '../custody/reseal.ts'
import type { KeyChange } from '../custody/reseal.ts'
import type { AccountId, WebhookId } from '../kernel/id.ts'
import type { Random } from '../kernel/random.ts'
import { Secret, SecretBytes } from '../kernel/secret.ts'

const SECRET_BYTES = 32
const PREFIX = 'whsec_'

/** Whose secret it is: a sealed one that was moved to another row does not open. */
export interface SecretOwner {
  readonly webhookId: WebhookId
  readonly accountId: AccountId
}

const boundTo = ({ webhookId, accountId }: SecretOwner) =>
  boundFields(['florin-webhook-secret-v1', webhookId, accountId])

/** A new secret: its text, to be shown once, and what is kept of it. The key of the signature is the whole text in UTF-8. */
export async function newSecret(
  { wrapper, random }: { readonly wrapper: KeyWrapper; readonly random: Random },
  owner: SecretOwner,
): Promise<{ readonly text: Secret; readonly sealed: Uint8Array }> {
  const text = PREFIX + Buffer.from(random.bytes(SECRET_BYTES)).toString('base64url')
  const bytes = new SecretBytes(new TextEncoder().encode(text))
  try {
    return { text: new Secret(text), sealed: await wrapper.wrap(bytes, boundTo(owner)) }
  } finally {
    bytes.erase()
  }
}

/** Opens a kept secret; the caller erases it. Throws SealBroken when a byte or the owner differs. */
export async function openSecret(
  wrapper: KeyWrapper,
  owner: SecretOwner,
  sealed: Uint8Array,
): Promise<SecretBytes> {
  return await wrapper.unwrap(sealed, boundTo(owner))
}

/** A kept secret under another key-encryption key. Throws SealBroken when a byte or the owner differs. */
export async function rewrapSecret(
  keys: KeyChange,
  owner: SecretOwner,
  sealed: Uint8Array,
): Promise<Uint8Array> {
  return await rewrap(keys, sealed, boundTo(owner))
}

import { hmacSha256 } from '@florin/wire/sha256.ts'
import type { SecretBytes } from '../kernel/secret.ts'

const PURPOSE = new TextEncoder().encode('florin-installation-name-v1')
const NAME_BYTES = 16

/** What tells one installation from another in texts that people sign: 32 hex digits, the same on every instance for ever. */
export function installationName(secret: SecretBytes): string {
  const name = hmacSha256(secret.reveal(), PURPOSE).subarray(0, NAME_BYTES)
  return Buffer.from(name).toString('hex')
}

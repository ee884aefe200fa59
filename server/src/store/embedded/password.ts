import { join } from 'node:path'
import type { Random } from '../../kernel/random.ts'
import { Secret } from '../../kernel/secret.ts'
import { readIfThere, writeWhole } from './small-file.ts'

const PASSWORD_BYTES = 24

/** The owner's password, made at first use and kept readable for us alone. */
export async function ownerPassword(directory: string, random: Random): Promise<Secret> {
  const path = join(directory, 'password')
  const kept = await readIfThere(path)
  if (kept !== undefined && kept.trim() !== '') return new Secret(kept.trim())
  const fresh = Buffer.from(random.bytes(PASSWORD_BYTES)).toString('base64url')
  await writeWhole(path, `${fresh}\n`, 0o600)
  return new Secret(fresh)
}

import type { Config } from '@florin/server/config.ts'
import { keyFromText, KeyUnusable, readKeyFile } from '@florin/server/custody/key-file.ts'
import type { SecretBytes } from '@florin/server/kernel/secret.ts'
import { CommandFailed } from './usage-error.ts'

/**
 * The key-encryption key's text for a command beside the service: FLORIN_KEY, else that file. A missing file is not made here.
 * Throws CommandFailed.
 */
export async function readKeyText(
  { keyText }: Pick<Config, 'keyText'>,
  keyFile: string,
): Promise<SecretBytes> {
  try {
    const text = keyText === null ? await readKeyFile(keyFile) : keyFromText(keyText.reveal())
    if (text !== undefined) return text
  } catch (error) {
    if (error instanceof KeyUnusable) throw new CommandFailed(error.message, { cause: error })
    throw error
  }
  throw new CommandFailed(`${keyFile} is not there. Set FLORIN_KEY_FILE to the service's own.`)
}

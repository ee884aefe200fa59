import type { Config } from '@florin/server/config.ts'
import {
  keyFromText,
  KeyUnreadable,
  KeyUnusable,
  readKeyFile,
} from '@florin/server/custody/key-file.ts'
import type { SecretBytes } from '@florin/server/kernel/secret.ts'
import type { Problem } from './problem.ts'
import { weaknessOfKey } from './weak-secret.ts'

const MAKE_ONE = '(umask 077; openssl rand -hex 32 > FILE)'

export interface ProductionKey {
  /** Undefined when there are problems. */
  readonly text?: SecretBytes
  readonly problems: readonly Problem[]
}

/** The key-encryption key's text, or why it is not fit. A missing file is not made: two machines would make two keys. */
export async function readProductionKey({ keyText, keyFile }: Config): Promise<ProductionKey> {
  const name = keyText === null ? 'FLORIN_KEY_FILE' : 'FLORIN_KEY'
  try {
    const text = keyText === null ? await readKeyFile(keyFile) : keyFromText(keyText.reveal())
    if (text === undefined) {
      const what = `${name}: ${keyFile} is not there.`
      return { problems: [{ what, next: `Bring the key there, or make one: ${MAKE_ONE}` }] }
    }
    const weakness = weaknessOfKey(new TextDecoder().decode(text.reveal()))
    if (weakness === undefined) return { text, problems: [] }
    const next = `Make one: ${MAKE_ONE}. Where wallets are sealed with this one already, move their funds first.`
    return { problems: [{ what: `${name} is weak: ${weakness}.`, next }] }
  } catch (error) {
    if (!(error instanceof KeyUnusable)) throw error
    return {
      problems: [
        {
          what: `${name}: ${error.message}.`,
          next:
            error instanceof KeyUnreadable
              ? `It has to belong to the user that runs this, with mode 0600: ls -l ${keyFile}`
              : `Bring the key that sealed your wallets; without any wallets yet, make one: ${MAKE_ONE}`,
        },
      ],
    }
  }
}

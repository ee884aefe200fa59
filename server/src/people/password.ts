import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { Refusal } from '@florin/wire/errors.ts'
import { limits } from '../kernel/limits.ts'
import { openTurns } from '../kernel/turns.ts'
import type { Secret, SecretBytes } from '../kernel/secret.ts'

/** Turns passwords into what may be stored, and back into yes or no. */
export interface Passwords {
  /** @throws {Refusal} RATE_LIMIT when limits.passwordHashesWaitingMax others wait */
  hash(password: Secret): Promise<string>
  /** Whether the password is that of the hash. Undefined takes as long and is never right. @throws {Refusal} RATE_LIMIT likewise */
  verify(password: Secret, hash: string | undefined): Promise<boolean>
}

/** OWASP's first choice: 19 MiB, two passes, one lane. 48 ms on the machine on which this was written. */
const TERMS = { memory: 19_456, passes: 2, parallelism: 1 } as const
const SALT_BYTES = 16
const HASH_BYTES = 32
const FORM =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/

const derive = promisify(argon2)

/** Argon2id (RFC 9106) under a key of the installation, so that a stolen table is useless alone. */
export function openPasswords({ pepper }: { readonly pepper: SecretBytes }): Passwords {
  const inTurn = openTurns(limits.passwordHashesMax)
  let waiting = 0
  // Nobody's: what an unknown email address is compared with.
  const nobody = { ...TERMS, salt: randomBytes(SALT_BYTES), hash: randomBytes(HASH_BYTES) }

  async function digest(
    password: Secret,
    salt: Uint8Array,
    terms: { readonly memory: number; readonly passes: number; readonly parallelism: number },
  ): Promise<Buffer> {
    if (waiting >= limits.passwordHashesMax + limits.passwordHashesWaitingMax) {
      throw new Refusal('RATE_LIMIT', {
        message: 'Too many people sign in at this moment.',
        retryAfterSeconds: limits.retryAfterSeconds,
      })
    }
    waiting += 1
    try {
      return await inTurn(() =>
        derive('argon2id', {
          message: Buffer.from(password.reveal().normalize('NFC')),
          nonce: salt,
          secret: pepper.reveal(),
          tagLength: HASH_BYTES,
          ...terms,
        }),
      )
    } finally {
      waiting -= 1
    }
  }

  return {
    hash: async (password) => {
      const salt = randomBytes(SALT_BYTES)
      const hash = await digest(password, salt, TERMS)
      const { memory, passes, parallelism } = TERMS
      return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(hash)}`
    },
    verify: async (password, text) => {
      const stored = text === undefined ? undefined : parse(text)
      const { salt, hash, memory, passes, parallelism } = stored ?? nobody
      const made = await digest(password, salt, { memory, passes, parallelism })
      return timingSafeEqual(made, hash) && stored !== undefined
    },
  }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replaceAll('=', '')
}

/** Source of the form: the PHC string format. */
function parse(text: string) {
  const [, memory, passes, parallelism, salt = '', hash = ''] = FORM.exec(text) ?? []
  if (memory === undefined) throw new Error('a password hash has a form that nobody knows')
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  }
}

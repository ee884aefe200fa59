import { constants } from 'node:fs'
import { link, open, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Random } from '../kernel/random.ts'
import { SecretBytes } from '../kernel/secret.ts'

const KEY_BYTES = 32
const FILE_BYTES_MAX = 4_096
const OTHERS = 0o077
/** Half of a 256-bit key in hex: shorter text is a password, and scrypt does not make a password a key. */
const TEXT_BYTES_MIN = 32

/** A key that this installation cannot use, with the reason an operator needs. Never holds key text. */
export class KeyUnusable extends Error {
  override readonly name: string = 'KeyUnusable'
}

/** A key file that is there, and that this process may not or cannot read. */
export class KeyUnreadable extends KeyUnusable {
  override readonly name = 'KeyUnreadable'
}

/**
 * The secret text of a key file; a missing one is made: 32 random bytes as hex, mode 0600, durable and complete
 * before it has its name, so a crash or a second process never leaves or reads half a key.
 * Throws KeyUnusable for a file that others can read or that is too short or too long.
 */
export async function loadOrCreateKeyFile({
  path,
  random,
}: {
  path: string
  random: Random
}): Promise<SecretBytes> {
  const existing = await readKeyFile(path)
  if (existing) return existing
  const draft = `${path}.${Buffer.from(random.bytes(8)).toString('hex')}`
  const key = random.bytes(KEY_BYTES)
  const text = hexLine(key)
  key.fill(0)
  try {
    const file = await open(draft, 'wx', 0o600)
    try {
      await file.write(text)
      await file.sync()
    } finally {
      await file.close()
    }
    // A link, not a rename: it fails when another process was first, and then that one's key is the key.
    await link(draft, path).catch((error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error
    })
    await syncDirectory(dirname(path))
  } finally {
    text.fill(0)
    await unlink(draft).catch(() => undefined)
  }
  const made = await readKeyFile(path)
  if (!made) throw new KeyUnusable(`${path} vanished while it was made`)
  return made
}

/** Key text from the environment, under the same rule of length as a file's. */
export function keyFromText(text: string): SecretBytes {
  return secretText(new TextEncoder().encode(text), 'the key text')
}

/** The secret text of a key file, undefined when there is none. Throws KeyUnusable as `loadOrCreateKeyFile` does. */
export async function readKeyFile(path: string): Promise<SecretBytes | undefined> {
  let file
  try {
    file = await open(path, constants.O_RDONLY)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    const reason = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
    throw new KeyUnreadable(`${path} cannot be read${reason}`, { cause: error })
  }
  try {
    const facts = await file.stat()
    if (!facts.isFile() || facts.size > FILE_BYTES_MAX) throw new KeyUnusable(`${path} is no key`)
    if ((facts.mode & OTHERS) !== 0) {
      throw new KeyUnusable(`${path} can be read by others; run: chmod 600 ${path}`)
    }
    const bytes = new Uint8Array(facts.size)
    await file.read(bytes, 0, bytes.length, 0)
    return secretText(bytes, path)
  } finally {
    await file.close()
  }
}

/** Without the white space around it, so that a file and the same text in the environment are one key. */
function secretText(bytes: Uint8Array, name: string): SecretBytes {
  const isSpace = (byte: number | undefined) => byte !== undefined && byte <= 0x20
  let from = 0
  let to = bytes.length
  while (from < to && isSpace(bytes[from])) from += 1
  while (to > from && isSpace(bytes[to - 1])) to -= 1
  const text = bytes.slice(from, to)
  bytes.fill(0)
  if (text.length < TEXT_BYTES_MIN) {
    throw new KeyUnusable(`${name} holds fewer than ${TEXT_BYTES_MIN} characters of key`)
  }
  return new SecretBytes(text)
}

const HEX = new TextEncoder().encode('0123456789abcdef')

/** Bytes to bytes, because key text that was ever a string cannot be erased. */
function hexLine(key: Uint8Array): Uint8Array {
  const line = new Uint8Array(key.length * 2 + 1)
  key.forEach((byte, index) => {
    line[index * 2] = HEX[byte >> 4] ?? 0
    line[index * 2 + 1] = HEX[byte & 15] ?? 0
  })
  line[line.length - 1] = 0x0a
  return line
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, constants.O_RDONLY)
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

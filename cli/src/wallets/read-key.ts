import { readImportedKey } from '@florin/server/custody/imported-key.ts'
import type { ImportedKey } from '@florin/server/custody/imported-key.ts'
import { CommandFailed } from '../usage-error.ts'

/** The longest form is an array of 64 numbers, about 300 characters. */
const BYTES_MAX = 4_096

/** Where a key is read from: standard input, or a test's stand-in. */
export interface KeySource extends AsyncIterable<Uint8Array> {
  readonly isTTY?: boolean
}

/**
 * Reads a private key from standard input. A terminal is refused: it would show the key, and its scrollback would keep it.
 * Throws CommandFailed that holds nothing of what was read.
 */
export async function readKey(source: KeySource): Promise<ImportedKey & { readonly ok: true }> {
  if (source.isTTY === true) {
    throw new CommandFailed(
      'standard input is a terminal, which would show the key. Hand it over: florin wallets import < key.txt',
    )
  }
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of source) {
    bytes += piece.length
    if (bytes > BYTES_MAX) throw new CommandFailed('standard input is too long to be one key')
    pieces.push(piece)
  }
  const whole = Buffer.concat(pieces)
  const read = readImportedKey(whole.toString('utf8'))
  for (const piece of [whole, ...pieces]) piece.fill(0)
  if (bytes === 0) throw new CommandFailed('standard input is empty: no key was given')
  if (!read.ok) throw new CommandFailed(`standard input holds no private key: ${read.reason}`)
  return read
}

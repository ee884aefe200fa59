import { scrypt } from 'node:crypto'
import { Refusal } from '@florin/wire/errors.ts'
import type { Random } from '../kernel/random.ts'
import { SecretBytes } from '../kernel/secret.ts'
import type { Store, Tx } from '../store/postgres.ts'
import { boundFields } from './bound-fields.ts'
import {
  findInstallationSecret,
  holdKeyRow,
  KEY_ROW,
  storeInstallationSecretOnce,
} from './installation-secret-store.ts'
import { KeyUnusable } from './key-file.ts'
import type { KeyWrapper } from './key-wrapper.ts'
import { SealBroken, seal, unseal } from './seal.ts'

const LAYOUT_VERSION = 1
const SALT_BYTES = 16
const KEY_BYTES = 32
const SALT_AT = 4
const CHECK_AT = SALT_AT + SALT_BYTES
/** 2^15 with r = 8 takes 32 MB and 0.1 s, once per start; the text behind it has 32 characters or more. */
const COST_LOG2 = 15
const COST_LOG2_MAX = 20
const BLOCK_SIZE = 8
const PARALLELISM = 1
const ADDITIONAL_DATA = boundFields(['florin-key-encryption-key-check-v1'])
const NOT_THAT_KEY =
  "the key-encryption key is not the one that sealed this database's keys: set FLORIN_KEY_FILE to that key's file or FLORIN_KEY to " +
  'its text, or FLORIN_DATA_DIR to the directory that this database was made with'

/**
 * The key-encryption key of this installation: scrypt (RFC 7914) over secret text from a file or the environment.
 * Salt and parameters are stored beside what the key seals, with a sealed check, made once for all instances;
 * so text that is not this installation's is refused at start (KeyUnusable) and not at the first payment.
 */
export async function openKeyEncryptionKey({
  store,
  text,
  random,
}: {
  store: Store
  text: SecretBytes
  random: Random
}): Promise<SecretBytes> {
  const row = await storeInstallationSecretOnce(store, KEY_ROW, async () => {
    const made = await newKeyRow(text, random)
    made.key.erase()
    return made.row
  })
  return await openRow(text, row)
}

/** A key of this text with a salt of its own, and the row that tells it; nothing is stored. The caller erases the key. */
export async function newKeyRow(
  text: SecretBytes,
  random: Random,
): Promise<{ readonly key: SecretBytes; readonly row: Uint8Array }> {
  const derivation = new Uint8Array(CHECK_AT)
  derivation.set([LAYOUT_VERSION, COST_LOG2, BLOCK_SIZE, PARALLELISM])
  derivation.set(random.bytes(SALT_BYTES), SALT_AT)
  const key = await derive(text, derivation)
  const check = seal(key.reveal(), new Uint8Array(0), ADDITIONAL_DATA, random)
  return { key, row: Buffer.concat([derivation, check]) }
}

/**
 * Asked in every transaction that stores something sealed. `rekey` may have been run since this process derived its key: what it
 * seals would be lost with the key that was taken out of use. Holds the key's row until the transaction ends, so that `rekey` waits
 * for it; asked before the rows of wallets and webhooks are locked, which `rekey` takes behind it. Refuses NETWORK_ERROR; nothing is stored then. A wrapper that asks a KMS has no row, and nothing to ask.
 */
export async function requireCurrentKey(tx: Tx, wrapper: KeyWrapper): Promise<void> {
  const row = await holdKeyRow(tx, 'share')
  if (row === undefined) return
  try {
    const nothing = await wrapper.unwrap(row.subarray(CHECK_AT), ADDITIONAL_DATA)
    nothing.erase()
  } catch (error) {
    if (!(error instanceof SealBroken)) throw error
    throw new Refusal('NETWORK_ERROR', {
      message:
        'This instance has to be started anew before it makes keys: its key was exchanged meanwhile. Nothing was stored.',
    })
  }
}

/** Why this text does not open what a database holds; undefined when it does, or nothing is held yet. Stores nothing. */
export async function findKeyProblem({
  store,
  text,
}: {
  store: Store
  text: SecretBytes
}): Promise<KeyUnusable | undefined> {
  const row = await findInstallationSecret(store, KEY_ROW)
  if (row === undefined) return undefined
  try {
    const key = await openRow(text, row)
    key.erase()
    return undefined
  } catch (error) {
    if (error instanceof KeyUnusable) return error
    throw error
  }
}

/** The key of this text, if the row is its own. Throws KeyUnusable. The caller erases it. */
export async function openRow(text: SecretBytes, row: Uint8Array): Promise<SecretBytes> {
  const key = await derive(text, row)
  try {
    unseal(key.reveal(), row.subarray(CHECK_AT), ADDITIONAL_DATA)
  } catch (error) {
    key.erase()
    if (!(error instanceof SealBroken)) throw error
    throw new KeyUnusable(NOT_THAT_KEY)
  }
  return key
}

/** A row that asks for less work than we ever stored, or for more memory than we grant, was tampered with. */
async function derive(text: SecretBytes, row: Uint8Array): Promise<SecretBytes> {
  const [version, costLog2 = 0, blockSize, parallelism] = row
  if (
    row.length < CHECK_AT ||
    version !== LAYOUT_VERSION ||
    costLog2 < COST_LOG2 ||
    costLog2 > COST_LOG2_MAX ||
    blockSize !== BLOCK_SIZE ||
    parallelism !== PARALLELISM
  ) {
    throw new KeyUnusable('the stored derivation of the key-encryption key is not readable')
  }
  const salt = row.subarray(SALT_AT, CHECK_AT)
  const cost = 2 ** costLog2
  const options = { N: cost, r: blockSize, p: parallelism, maxmem: 256 * cost * blockSize }
  return new Promise((resolve, reject) => {
    scrypt(text.reveal(), salt, KEY_BYTES, options, (error, key) =>
      error ? reject(error) : resolve(new SecretBytes(key)),
    )
  })
}

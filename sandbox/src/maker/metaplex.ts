import { address, getAddressEncoder, getProgramDerivedAddress } from '@solana/kit'
import type { Address } from '@solana/kit'
import type { StoredAccount } from '../solana/chain/account.ts'

const PROGRAM = address('metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s')
/** `MetadataV1`. */
const KEY = 4
const [NAME_BYTES, SYMBOL_BYTES, URI_BYTES] = [32, 10, 200]
const SPACE = 679
const FUNGIBLE = 2

/** The account in which a mint of SPL Token has its name. Source: Metaplex token metadata, `Metadata`. */
export async function metaplexAccount({
  mint,
  authority,
  name,
  symbol,
}: {
  readonly mint: Address
  readonly authority: Address
  readonly name: string
  readonly symbol: string
}): Promise<{
  readonly place: Address
  readonly data: (rentOf: (bytes: number) => bigint) => StoredAccount
}> {
  const bytesOf = (each: Address): Uint8Array => Uint8Array.from(getAddressEncoder().encode(each))
  const [place] = await getProgramDerivedAddress({
    programAddress: PROGRAM,
    seeds: ['metadata', bytesOf(PROGRAM), bytesOf(mint)],
  })
  const data = Buffer.alloc(SPACE)
  Buffer.concat([
    Uint8Array.of(KEY),
    bytesOf(authority),
    bytesOf(mint),
    padded(name, NAME_BYTES),
    padded(symbol, SYMBOL_BYTES),
    padded('', URI_BYTES),
    // No royalty, no creators, not sold, may change, no edition, a fungible token, and nothing else.
    Uint8Array.of(0, 0, 0, 0, 1, 0, 1, FUNGIBLE, 0, 0),
  ]).copy(data)
  return {
    place,
    data: (rentOf) => ({ lamports: rentOf(SPACE), owner: PROGRAM, executable: false, data }),
  }
}

function padded(text: string, bytes: number): Buffer {
  const field = Buffer.alloc(4 + bytes)
  field.writeUInt32LE(bytes)
  field.write(text, 4)
  return field
}

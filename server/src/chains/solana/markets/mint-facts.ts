import type { Address } from '../../chain.ts'
import type { TokenFacts } from '../../token-reader.ts'
import { addressFromBytes } from '../account.ts'
import type { Account } from '../accounts.ts'
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../programs.ts'
import { metaplexName } from './metaplex.ts'
import { textFields } from './text-fields.ts'

/** Where the fields of a mint stand. Source: spl-token, `Mint`; spl-token-2022, `ExtensionType`. */
const MINT_BYTES = 82
const SUPPLY_AT = 36
const DECIMALS_AT = 44
const INITIALIZED_AT = 45
const FREEZE_AT = 46
const WORD_BYTES = 32
const KIND_AT = 165
const MINT_KIND = 1
const EXTENSIONS_AT = KIND_AT + 1
const HEADER_BYTES = 4
const METADATA_POINTER = 18
const TOKEN_METADATA = 19

/** By the number of the type; those of accounts are never on a mint. */
const EXTENSION_NAMES: Readonly<Record<number, string>> = {
  1: 'transferFeeConfig',
  3: 'mintCloseAuthority',
  4: 'confidentialTransferMint',
  6: 'defaultAccountState',
  9: 'nonTransferable',
  10: 'interestBearingConfig',
  12: 'permanentDelegate',
  14: 'transferHook',
  16: 'confidentialTransferFeeConfig',
  18: 'metadataPointer',
  19: 'tokenMetadata',
  20: 'groupPointer',
  21: 'tokenGroup',
  22: 'groupMemberPointer',
  23: 'tokenGroupMember',
  24: 'confidentialMintBurn',
  25: 'scaledUiAmountConfig',
  26: 'pausableConfig',
}

/** What a mint says of itself, and a Metaplex account of it; undefined when the first is no mint. */
export function mintFacts(
  mint: Address,
  account: Account | undefined,
  metaplex: Account | undefined,
): TokenFacts | undefined {
  if (account === undefined || !isMint(account)) return undefined
  const data = Buffer.from(account.data)
  const extensions = account.owner === TOKEN_2022_PROGRAM ? extensionsOf(data) : []
  const own = ownName(mint, extensions)
  const named = own ?? metaplexName(mint, metaplex)
  return {
    mint,
    name: named?.name ?? null,
    symbol: named?.symbol ?? null,
    decimals: data.readUInt8(DECIMALS_AT),
    supply: data.readBigUInt64LE(SUPPLY_AT),
    creator: named?.creator ?? null,
    // The chain would have to be searched for the mint's first transaction.
    createdAtMilliseconds: null,
    // Its metadata name a document that names the image; documents of others are not asked for.
    imageUrl: null,
    mintAuthority: optionalAddress(data, 0),
    freezeAuthority: optionalAddress(data, FREEZE_AT),
    extensions: extensions.map(({ type }) => EXTENSION_NAMES[type] ?? `type${type}`),
  }
}

function isMint({ owner, data, space }: Account): boolean {
  if (data.length < MINT_BYTES || data[INITIALIZED_AT] !== 1) return false
  if (space === BigInt(MINT_BYTES)) return owner === TOKEN_PROGRAM || owner === TOKEN_2022_PROGRAM
  return owner === TOKEN_2022_PROGRAM && data[KIND_AT] === MINT_KIND
}

function optionalAddress(data: Buffer, at: number): Address | null {
  return data.readUInt32LE(at) === 1 ? wordAt(data, at + 4) : null
}

function wordAt(data: Buffer, at: number): Address {
  return addressFromBytes(new Uint8Array(data.subarray(at, at + WORD_BYTES)))
}

interface Extension {
  readonly type: number
  readonly value: Buffer
}

/** In their order; one that is cut off ends the list, name and all. */
function extensionsOf(data: Buffer): readonly Extension[] {
  const found: Extension[] = []
  for (let at = EXTENSIONS_AT; at + HEADER_BYTES <= data.length;) {
    const type = data.readUInt16LE(at)
    const end = at + HEADER_BYTES + data.readUInt16LE(at + 2)
    if (type === 0) break
    found.push({ type, value: data.subarray(at + HEADER_BYTES, end) })
    at = end
  }
  return found
}

/** The name that a mint of Token-2022 carries itself, when it says that it does. Source: SPL token metadata interface. */
function ownName(mint: Address, extensions: readonly Extension[]) {
  const pointer = extensions.find(({ type }) => type === METADATA_POINTER)?.value
  const metadata = extensions.find(({ type }) => type === TOKEN_METADATA)?.value
  if (pointer?.length !== 2 * WORD_BYTES || metadata === undefined) return undefined
  if (wordAt(pointer, WORD_BYTES) !== mint) return undefined
  if (metadata.length < 2 * WORD_BYTES || wordAt(metadata, WORD_BYTES) !== mint) return undefined
  const texts = textFields(metadata.subarray(2 * WORD_BYTES), 2)
  if (texts === undefined) return undefined
  // Who may change the name is not who made the token.
  return { name: texts[0] ?? null, symbol: texts[1] ?? null, creator: null }
}

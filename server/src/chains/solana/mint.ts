import { NodeFailure } from '../chain.ts'
import type { Address } from '../chain.ts'
import type { Transport } from '../json-rpc/transport.ts'
import { accountRead } from './accounts.ts'
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './programs.ts'
import { TOKEN_ACCOUNT_BYTES } from './token-account.ts'

/** What has to be known of a mint to send its token. */
export interface Mint {
  readonly address: Address
  /** SPL Token or Token-2022. */
  readonly program: Address
  readonly decimals: number
  /** Bytes of a new token account of it. */
  readonly accountBytes: number
  /** The most that it keeps of a transfer, now or after an announced change. */
  feeOf(amount: bigint): bigint
  /** Its transfers may be refused for reasons that no account shows beforehand. */
  readonly mayRefuse: boolean
}

const DECIMALS_AT = 44
const INITIALIZED_AT = 45
const MINT_BYTES = 82
const EXTENSIONS_AT = TOKEN_ACCOUNT_BYTES + 1
const EXTENSION_HEADER_BYTES = 4

/** Extensions of a mint that matter here. Source: spl-token-2022, `ExtensionType`. */
const TRANSFER_FEE = 1
const DEFAULT_ACCOUNT_STATE = 6
const NON_TRANSFERABLE = 9
const TRANSFER_HOOK = 14
const PAUSABLE = 26
const REFUSING: ReadonlySet<number> = new Set([
  DEFAULT_ACCOUNT_STATE,
  NON_TRANSFERABLE,
  TRANSFER_HOOK,
  PAUSABLE,
])
/** Bytes that an extension of the mint adds to each of its accounts, header included. */
const ACCOUNT_EXTENSION_BYTES: ReadonlyMap<number, number> = new Map([
  [TRANSFER_FEE, EXTENSION_HEADER_BYTES + 8],
  [NON_TRANSFERABLE, EXTENSION_HEADER_BYTES],
  [TRANSFER_HOOK, EXTENSION_HEADER_BYTES + 1],
  [PAUSABLE, EXTENSION_HEADER_BYTES],
])
/** In the fee extension: two of {epoch, maximum fee, basis points} after two authorities and what is withheld. */
const FEES_AT = [72, 90] as const
const MAXIMUM_FEE_AT = 8
const BASIS_POINTS_AT = 16
const BASIS_POINTS = 10_000n

/** Reads a configured mint. Throws NodeFailure when the chain has no such mint: nothing is paid in it then. */
export async function readMint(transport: Transport, address: Address): Promise<Mint> {
  const account = await transport.read(accountRead(address))
  const program = account?.owner
  if (account === undefined || (program !== TOKEN_PROGRAM && program !== TOKEN_2022_PROGRAM)) {
    throw new NodeFailure(`${address} is not a mint of this network`)
  }
  return mintFrom(address, program, account.data)
}

/** Reads a mint's data. */
export function mintFrom(address: Address, program: Address, data: Uint8Array): Mint {
  const decimals = data[DECIMALS_AT]
  if (data.length < MINT_BYTES || data[INITIALIZED_AT] !== 1 || decimals === undefined) {
    throw new NodeFailure(`${address} is not a mint of this network`)
  }
  const extensions = program === TOKEN_2022_PROGRAM ? extensionsOf(data) : NO_EXTENSIONS
  return {
    address,
    program,
    decimals,
    accountBytes: accountBytes(program, extensions),
    feeOf: (amount) => transferFee(extensions.get(TRANSFER_FEE), amount),
    mayRefuse: [...extensions.keys()].some((type) => REFUSING.has(type)),
  }
}

const NO_EXTENSIONS: ReadonlyMap<number, Buffer> = new Map()

/** Type, length, value after the padding to a token account's size and one byte of kind. */
function extensionsOf(data: Uint8Array): ReadonlyMap<number, Buffer> {
  const bytes = Buffer.from(data)
  const extensions = new Map<number, Buffer>()
  let at = EXTENSIONS_AT
  while (at + EXTENSION_HEADER_BYTES <= bytes.length) {
    const type = bytes.readUInt16LE(at)
    const length = bytes.readUInt16LE(at + 2)
    if (type === 0) break
    at += EXTENSION_HEADER_BYTES
    extensions.set(type, bytes.subarray(at, at + length))
    at += length
  }
  return extensions
}

/** An account of Token-2022 that the Associated Token Account program makes never changes its owner, which takes an extension. */
function accountBytes(program: Address, extensions: ReadonlyMap<number, Buffer>): number {
  if (program === TOKEN_PROGRAM) return TOKEN_ACCOUNT_BYTES
  let bytes = EXTENSIONS_AT + EXTENSION_HEADER_BYTES
  for (const type of extensions.keys()) bytes += ACCOUNT_EXTENSION_BYTES.get(type) ?? 0
  return bytes
}

function transferFee(extension: Buffer | undefined, amount: bigint): bigint {
  if (extension === undefined) return 0n
  let most = 0n
  for (const at of FEES_AT) {
    if (extension.length < at + BASIS_POINTS_AT + 2) throw new NodeFailure('a mint is malformed')
    const maximum = extension.readBigUInt64LE(at + MAXIMUM_FEE_AT)
    const points = BigInt(extension.readUInt16LE(at + BASIS_POINTS_AT))
    const share = (amount * points + BASIS_POINTS - 1n) / BASIS_POINTS
    const fee = share < maximum ? share : maximum
    if (fee > most) most = fee
  }
  return most
}

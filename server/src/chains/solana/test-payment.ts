import { randomBytes } from 'node:crypto'
import { baseUnits } from '@florin/wire/amount.ts'
import type { Fields } from '@florin/wire/x402/fields.ts'
import type { Address } from '../chain.ts'
import type { ExactDemand, ExactRead } from '../exact.ts'
import { addressBytes, knownAddress } from './account.ts'
import { addressOfPrivateKey, signMessage } from './ed25519.ts'
import { readPayload } from './exact-read.ts'
import { compactLength } from './message.ts'
import { COMPUTE_BUDGET_PROGRAM, MEMO_PROGRAM, TOKEN_PROGRAM } from './programs.ts'
import { USDC } from './test-network.ts'
import { associatedAccount } from './token-account.ts'

export const LIGHTHOUSE = knownAddress('L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95')
export const MINT = knownAddress(USDC.asset)
/** Base units. */
export const PRICE = 250_000n

export interface Key {
  readonly address: Address
  readonly secret: Uint8Array
}

export function newKey(secret: Uint8Array = randomBytes(32)): Key {
  return { address: addressOfPrivateKey(secret), secret }
}

export interface Meta {
  readonly address: Address
  readonly signs?: boolean
  readonly writes?: boolean
}

/** One instruction, before it is compiled. */
export interface Step {
  readonly program: Address
  readonly accounts: readonly Meta[]
  readonly data: Uint8Array
}

export interface MessageOptions {
  readonly blockhash: Address
  readonly legacy?: boolean
  /** Lookup tables: an address, and which of its entries are loaded. */
  readonly tables?: readonly { readonly table: Address; readonly entries: readonly number[] }[]
}

/** Compiles any instructions at all, the senseless ones, too: no library compiles those. */
export function messageOf(
  feePayer: Address,
  steps: readonly Step[],
  { blockhash, legacy = false, tables = [] }: MessageOptions,
): Uint8Array {
  const metas = new Map<Address, { signs: boolean; writes: boolean }>()
  const note = ({ address, signs = false, writes = false }: Meta): void => {
    const known = metas.get(address)
    metas.set(address, {
      signs: signs || known?.signs === true,
      writes: writes || known?.writes === true,
    })
  }
  note({ address: feePayer, signs: true, writes: true })
  for (const { program, accounts } of steps) {
    for (const meta of accounts) note(meta)
    note({ address: program })
  }
  const rank = ({ signs, writes }: { signs: boolean; writes: boolean }): number =>
    (signs ? 0 : 2) + (writes ? 0 : 1)
  const sorted = [...metas].toSorted(([, one], [, other]) => rank(one) - rank(other))
  const count = (wanted: number): number =>
    sorted.filter(([, meta]) => rank(meta) === wanted).length
  const place = (address: Address): number => sorted.findIndex(([known]) => known === address)
  return Buffer.concat([
    legacy ? Buffer.alloc(0) : Uint8Array.of(0x80),
    Uint8Array.of(count(0) + count(1), count(1), count(3)),
    compactLength(sorted.length),
    ...sorted.map(([address]) => addressBytes(address)),
    addressBytes(blockhash),
    compactLength(steps.length),
    ...steps.flatMap(({ program, accounts, data }) => [
      Uint8Array.of(place(program)),
      compactLength(accounts.length),
      Uint8Array.from(accounts, ({ address }) => place(address)),
      compactLength(data.length),
      data,
    ]),
    ...(legacy ? [] : [compactLength(tables.length)]),
    ...(legacy ? [] : tables).flatMap(({ table, entries }) => [
      addressBytes(table),
      compactLength(entries.length),
      Uint8Array.from(entries),
      compactLength(0),
    ]),
  ])
}

/** A transaction with the places of its signers filled by those of whom there is a key. */
export function sealed(message: Uint8Array, keys: readonly Key[]): Uint8Array {
  const at = message[0] === 0x80 ? 1 : 0
  const signers = Array.from({ length: message[at] ?? 0 }, (_, index) => {
    const start = at + 4 + 32 * index
    return message.subarray(start, start + 32)
  })
  const signatures = signers.map((signer) => {
    const key = keys.find(({ address }) => Buffer.from(addressBytes(address)).equals(signer))
    return key === undefined ? new Uint8Array(64) : signMessage(message, key.secret)
  })
  return Buffer.concat([compactLength(signatures.length), ...signatures, message])
}

export function limit(units: number): Step {
  const data = Buffer.alloc(5)
  data.writeUInt8(2)
  data.writeUInt32LE(units, 1)
  return { program: COMPUTE_BUDGET_PROGRAM, accounts: [], data }
}

export function price(microlamports: bigint): Step {
  const data = Buffer.alloc(9)
  data.writeUInt8(3)
  data.writeBigUInt64LE(microlamports, 1)
  return { program: COMPUTE_BUDGET_PROGRAM, accounts: [], data }
}

export interface Paying {
  readonly from: Address
  readonly to: Address
  readonly amount?: bigint
  readonly decimals?: number
  readonly mint?: Address
  readonly program?: Address
  readonly destination?: Address
}

/** TransferChecked between the associated accounts of two owners. */
export function transfer(paying: Paying): Step {
  const { from, to, amount = PRICE, decimals = USDC.decimals, mint = MINT } = paying
  const { program = TOKEN_PROGRAM } = paying
  const accountOf = (owner: Address): Address => associatedAccount(owner, program, mint).address
  const data = Buffer.alloc(10)
  data.writeUInt8(12)
  data.writeBigUInt64LE(amount, 1)
  data.writeUInt8(decimals, 9)
  const accounts = [
    { address: accountOf(from), writes: true },
    { address: mint },
    { address: paying.destination ?? accountOf(to), writes: true },
    { address: from, signs: true },
  ]
  return { program, accounts, data }
}

export function memo(text: string | Uint8Array): Step {
  return { program: MEMO_PROGRAM, accounts: [], data: Buffer.from(text) }
}

/** An assertion as wallets add them; its bytes mean nothing here. */
export function assertion(...accounts: readonly Meta[]): Step {
  return { program: LIGHTHOUSE, accounts, data: Uint8Array.of(5, 0, 1, 2) }
}

/** Reads a payload without a node. */
export function readAlone(payload: Fields, demand: ExactDemand): ExactRead {
  const tokenAccount = (owner: Address, mint: { address: Address; program: Address }) =>
    associatedAccount(owner, mint.program, mint.address)
  return readPayload({ tokenAccount }, payload, demand)
}

/** A payer, a seller and two of our fee payers, known to no chain. */
export function paymentScene() {
  const [payer, seller, feePayer, otherSettler] = [newKey(), newKey(), newKey(), newKey()]
  const blockhash = newKey().address
  const demand = (change: Partial<ExactDemand> = {}): ExactDemand => ({
    asset: USDC,
    payTo: seller.address,
    amount: baseUnits(PRICE),
    extra: { feePayer: feePayer.address },
    settlers: new Set([feePayer.address, otherSettler.address]),
    ...change,
  })
  const paying = (change: Partial<Paying> = {}): Step =>
    transfer({ from: payer.address, to: seller.address, ...change })
  const payloadOf = (steps: readonly Step[], options: Partial<MessageOptions> = {}): Fields => {
    const message = messageOf(feePayer.address, steps, { blockhash, ...options })
    return { transaction: Buffer.from(sealed(message, [payer])).toString('base64') }
  }
  const said = (
    steps: readonly Step[],
    wanted: ExactDemand = demand(),
    options: Partial<MessageOptions> = {},
  ): string => {
    const read = readAlone(payloadOf(steps, options), wanted)
    return read.ok ? 'taken' : read.reason
  }
  /** What is kept of a payment that is taken. */
  const storedOf = (steps: readonly Step[]): Readonly<Record<string, string>> => {
    const read = readAlone(payloadOf(steps), demand())
    if (!read.ok) throw new Error(read.reason)
    return read.authorization.stored
  }
  return {
    payer,
    seller,
    feePayer,
    otherSettler,
    blockhash,
    demand,
    paying,
    payloadOf,
    said,
    storedOf,
  }
}

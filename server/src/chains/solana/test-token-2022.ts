import { createHash } from 'node:crypto'
import { baseUnits } from '@florin/wire/amount.ts'
import type { AssetProfile } from '../../kernel/network-config.ts'
import type { Address } from '../chain.ts'
import type { ExactAuthorization } from '../exact.ts'
import { addressBytes, addressFromBytes } from './account.ts'
import { addressOfPrivateKey } from './ed25519.ts'
import type { Instruction } from './message.ts'
import { ASSOCIATED_TOKEN_PROGRAM, SYSTEM_PROGRAM, TOKEN_2022_PROGRAM } from './programs.ts'
import type { TestChain, TestWallet } from './test-chain.ts'
import { limit, messageOf, newKey, price, sealed, transfer } from './test-payment.ts'
import { associatedAccount } from './token-account.ts'

export const DECIMALS = 6
export const AMOUNT = 1_000_000n
export const SELLER = addressOfPrivateKey(new Uint8Array(32).fill(0x5e))
/** The first wallet of a test chain; mints are at addresses made from it, so that they can be configured before they exist. */
const SECRET = new Uint8Array(createHash('sha256').update('test 1').digest())
export const OWNER = addressOfPrivateKey(SECRET)

export const seeded = (seed: string): Address => {
  const hash = createHash('sha256')
  for (const part of [addressBytes(OWNER), Buffer.from(seed), addressBytes(TOKEN_2022_PROGRAM)]) {
    hash.update(part)
  }
  return addressFromBytes(new Uint8Array(hash.digest()))
}
export const mintProfile = (symbol: string): AssetProfile => ({
  symbol,
  asset: seeded(symbol),
  decimals: DECIMALS,
  takesCommitment: true,
})

export const u64 = (value: bigint): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(value)
  return bytes
}
const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
export const u16 = (value: number): Buffer => Buffer.from([value & 0xff, value >> 8])
export const writable = (address: Address) => ({ address, isWritable: true })
export const readonly = (address: Address) => ({ address, isWritable: false })
export const token = (
  accounts: Instruction['accounts'],
  ...data: readonly Buffer[]
): Instruction => ({ program: TOKEN_2022_PROGRAM, accounts, data: Buffer.concat(data) })

export const accountOf = (owner: Address, symbol: string): Address =>
  associatedAccount(owner, TOKEN_2022_PROGRAM, seeded(symbol)).address

/** Opens somebody's account of a mint, at the cost of the first wallet. */
export const openAccount = (owner: Address, symbol: string): Instruction => ({
  program: ASSOCIATED_TOKEN_PROGRAM,
  accounts: [
    writable(OWNER),
    writable(accountOf(owner, symbol)),
    readonly(owner),
    readonly(seeded(symbol)),
    readonly(SYSTEM_PROGRAM),
    readonly(TOKEN_2022_PROGRAM),
  ],
  data: Buffer.from([1]),
})

/** What a mint has beside its tokens: the bytes of its value, and the instruction that begins it. Source: spl-token-2022. */
export interface MintExtension {
  readonly bytes: number
  readonly begin: Buffer
}

const EXTENSIONS_AT = 166
const HEADER_BYTES = 4
const PLAIN_BYTES = 82

/** Makes a mint, which its maker may freeze, with a million tokens for the first wallet. `thaws`: accounts of it begin frozen. */
export async function makeMint(
  world: TestChain,
  sender: TestWallet,
  symbol: string,
  {
    extension,
    thaws = false,
  }: { readonly extension?: MintExtension; readonly thaws?: boolean } = {},
): Promise<void> {
  const mint = seeded(symbol)
  const seed = Buffer.from(symbol)
  const space =
    extension === undefined ? PLAIN_BYTES : EXTENSIONS_AT + HEADER_BYTES + extension.bytes
  const create: Instruction = {
    program: SYSTEM_PROGRAM,
    accounts: [writable(OWNER), writable(mint)],
    data: Buffer.concat([
      u32(3),
      addressBytes(OWNER),
      u64(BigInt(seed.length)),
      seed,
      u64(10n ** 7n),
      u64(BigInt(space)),
      addressBytes(TOKEN_2022_PROGRAM),
    ]),
  }
  const own = accountOf(OWNER, symbol)
  const owner = Buffer.from(addressBytes(OWNER))
  const begin = token([writable(mint)], Buffer.from([20, DECIMALS]), owner, Buffer.from([1]), owner)
  const give = token(
    [writable(mint), writable(own), readonly(OWNER)],
    Buffer.from([7]),
    u64(10n ** 12n),
  )
  await world.run(sender, [
    create,
    ...(extension === undefined ? [] : [token([writable(mint)], extension.begin)]),
    begin,
    openAccount(OWNER, symbol),
    ...(thaws ? [thaw(OWNER, symbol)] : []),
    give,
  ])
}

const thaw = (owner: Address, symbol: string): Instruction =>
  token(
    [writable(accountOf(owner, symbol)), readonly(seeded(symbol)), readonly(OWNER)],
    Buffer.from([11]),
  )

/** A payment by `exact`, read from bytes that the first wallet, who is the payer, has signed; the seller's account is there. */
export async function paymentIn(
  world: TestChain,
  sender: TestWallet,
  settler: TestWallet,
  symbol: string,
): Promise<ExactAuthorization> {
  await world.run(sender, [openAccount(SELLER, symbol)])
  const paying = {
    from: OWNER,
    to: SELLER,
    amount: AMOUNT,
    decimals: DECIMALS,
    mint: seeded(symbol),
  }
  const steps = [limit(60_000), price(1n), transfer({ ...paying, program: TOKEN_2022_PROGRAM })]
  const message = messageOf(settler.address, steps, { blockhash: await world.latestBlockhash() })
  const read = world.chain.exact?.read(
    { transaction: Buffer.from(sealed(message, [newKey(SECRET)])).toString('base64') },
    {
      asset: mintProfile(symbol),
      payTo: SELLER,
      amount: baseUnits(AMOUNT),
      extra: { feePayer: settler.address },
      settlers: new Set([settler.address]),
    },
  )
  if (read?.ok !== true) throw new Error(read?.reason)
  return read.authorization
}

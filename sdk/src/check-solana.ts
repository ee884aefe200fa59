import type { Asked } from './asked.ts'
import { associatedAccount } from './associated-account.ts'
import { addressBytes } from './base58.ts'
import { fromBase64 } from './base64.ts'
import { baseUnitsOf } from './base-units.ts'
import { buildDiffers } from './build-differs.ts'
import type { BuildTransactionAnswer } from './contract/build-transaction.ts'
import { readSolana } from './read-solana.ts'
import type { SolanaBytes, SolanaInstruction } from './read-solana.ts'

/** The programs that a payment calls. */
export const PROGRAMS = {
  system: '11111111111111111111111111111111',
  budget: 'ComputeBudget111111111111111111111111111111',
  token: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  token2022: 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  associated: 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  memo: 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
} as const
type Program = keyof typeof PROGRAMS

const UNIT_LIMIT = 2
const UNIT_PRICE = 3
const SYSTEM_TRANSFER = 2
const CREATE_IDEMPOTENT = 1
export const TRANSFER_CHECKED = 12
/** What the chain takes for one signature. */
const SIGNATURE_LAMPORTS = 5_000n
/** Prices are in millionths of a lamport. */
const MICRO = 1_000_000n
const MEMO = /^florin1:[0-9a-f]{64}$/

/**
 * The bytes to sign, read to the last one: limit and price of computing, a token account of the recipient where one is made, one
 * transfer of what was asked for, the memo with the commitment, and nothing else.
 * @throws {FlorinError} BUILD_DIFFERS
 */
export async function checkSolana(
  build: BuildTransactionAnswer,
  asked: Asked,
): Promise<SolanaBytes> {
  const read = solanaBytesOf(build.transaction)
  if (read === undefined) {
    throw buildDiffers('transaction', 'one of version 0 with one signer', 'none that can be read')
  }
  const { walletAddress } = asked.order
  if (!isKey(read.payer, walletAddress)) throw other('fee payer', walletAddress)
  const rest = [...read.instructions]
  checkFee(rest, asked)
  if (asked.asset === 'native') checkLamports(rest.shift(), asked)
  else await checkTokens(rest, asked)
  checkMemo(rest.shift())
  if (rest.length > 0) throw buildDiffers('list of instructions', 'one payment', 'longer')
  return read
}

/** The bytes of a transaction with so many signers; undefined for anything else. */
export function solanaBytesOf(text: string, signers = 1): SolanaBytes | undefined {
  try {
    return readSolana(fromBase64(text), signers)
  } catch {
    return undefined
  }
}

/** Takes the limit and the price off the list. */
export function checkFee(
  rest: SolanaInstruction[],
  { feeMax, feeMaxText }: Pick<Asked, 'feeMax' | 'feeMaxText'>,
  signers = 1n,
): void {
  const limit = rest.shift()
  const units = limit?.data.length === 5 ? numberAt(limit.data, 1, 4) : undefined
  if (!isOf(limit, 'budget', UNIT_LIMIT) || units === undefined) {
    throw other('first instruction', 'the limit of compute units')
  }
  let price = 0n
  if (isOf(rest[0], 'budget', UNIT_PRICE) && rest[0].data.length === 9) {
    price = numberAt(rest[0].data, 1, 8)
    rest.shift()
  }
  const fee = SIGNATURE_LAMPORTS * signers + (units * price + MICRO - 1n) / MICRO
  if (fee <= feeMax) return
  throw buildDiffers('fee', `at most ${feeMaxText} (maxFee)`, `up to ${fee} lamports`)
}

function checkLamports(move: SolanaInstruction | undefined, { order, decimals }: Asked): void {
  if (!isOf(move, 'system', SYSTEM_TRANSFER) || move.data.length !== 12) {
    throw other('transfer', 'a plain transfer of lamports')
  }
  if (numberAt(move.data, 0, 4) !== BigInt(SYSTEM_TRANSFER) || move.accounts.length !== 2) {
    throw other('transfer', 'a plain transfer of lamports')
  }
  const [from, to] = move.accounts
  if (!isKey(from, order.walletAddress)) throw other('payer', order.walletAddress)
  if (!isKey(to, order.recipientAddress)) throw other('recipient', order.recipientAddress)
  checkAmount(order.amount, decimals, numberAt(move.data, 4, 8))
}

/** Takes the account that is made, if one is, and the transfer off the list. */
async function checkTokens(rest: SolanaInstruction[], { order, asset }: Asked): Promise<void> {
  const { walletAddress, recipientAddress } = order
  const made = isOf(rest[0], 'associated', CREATE_IDEMPOTENT) ? rest.shift() : undefined
  const move = rest.shift()
  const program = isOf(move, 'token2022', TRANSFER_CHECKED) ? 'token2022' : 'token'
  if (!isOf(move, program, TRANSFER_CHECKED) || move.data.length !== 10) {
    throw other('transfer', 'a checked transfer of the token')
  }
  const [from, mint, to, authority] = move.accounts
  if (move.accounts.length !== 4) throw other('transfer', 'a transfer by one owner')
  if (!isKey(mint, asset)) throw other('asset', asset)
  if (!isKey(authority, walletAddress)) throw other('payer', walletAddress)
  if (!isSame(from, await tokenAccount(walletAddress, program, asset))) {
    throw other('token account that pays', `the one of ${walletAddress}`)
  }
  if (!isSame(to, await tokenAccount(recipientAddress, program, asset))) {
    throw other('recipient', `the token account of ${recipientAddress}`)
  }
  checkAmount(order.amount, move.data[9] ?? 0, numberAt(move.data, 1, 8))
  if (made === undefined) return
  const [payer, account, owner, itsMint, system, tokens] = made.accounts
  const isRight =
    made.data.length === 1 &&
    made.accounts.length === 6 &&
    isKey(payer, walletAddress) &&
    isSame(account, to) &&
    isKey(owner, recipientAddress) &&
    isKey(itsMint, asset) &&
    isKey(system, PROGRAMS.system) &&
    isKey(tokens, PROGRAMS[program])
  if (!isRight) throw other('token account that is made', `the one of ${recipientAddress}`)
}

/** The associated token account. */
export async function tokenAccount(
  owner: string,
  program: Program,
  mint: string,
): Promise<Uint8Array | undefined> {
  const [wallet, tokens, token] = [owner, PROGRAMS[program], mint].map(addressBytes)
  const maker = addressBytes(PROGRAMS.associated)
  if (!wallet || !tokens || !token || !maker) return undefined
  return await associatedAccount(wallet, tokens, token, maker)
}

function checkMemo(memo: SolanaInstruction | undefined): void {
  const isOurs =
    memo !== undefined &&
    isKey(memo.program, PROGRAMS.memo) &&
    memo.accounts.length === 0 &&
    MEMO.test(String.fromCharCode(...memo.data))
  if (!isOurs) throw other('memo', 'a commitment')
}

/** @throws {FlorinError} BUILD_DIFFERS */
export function checkAmount(asked: string | number, decimals: number, built: bigint): void {
  const amount = baseUnitsOf(asked, decimals)
  if (amount === built) return
  throw buildDiffers('amount', `${asked}`, `${built} with ${decimals} fraction digits`)
}

/** Whether an instruction is of that kind. */
export function isOf(
  instruction: SolanaInstruction | undefined,
  program: Program,
  kind: number,
): instruction is SolanaInstruction {
  return (
    instruction !== undefined &&
    isKey(instruction.program, PROGRAMS[program]) &&
    instruction.data[0] === kind
  )
}

/** Whether a key is the address. */
export function isKey(key: Uint8Array | undefined, address: string): boolean {
  return isSame(key, addressBytes(address))
}

/** Whether both are there, byte by byte the same. */
export function isSame(left: Uint8Array | undefined, right: Uint8Array | undefined): boolean {
  return left !== undefined && right !== undefined && String(left) === String(right)
}

/** Low bytes first. */
export function numberAt(data: Uint8Array, from: number, size: number): bigint {
  return data
    .subarray(from, from + size)
    .reduceRight((value, byte) => value * 256n + BigInt(byte), 0n)
}

/** What is there instead is not worth showing. */
export function other(differs: string, asked: string) {
  return buildDiffers(differs, asked, 'another one')
}

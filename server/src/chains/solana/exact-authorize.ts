import type { Address } from '../chain.ts'
import type { AuthorizeOutcome, PayOrder, PreparedAuthorization } from '../exact.ts'
import type { Transport } from '../json-rpc/transport.ts'
import { addressBytes, knownAddress, parseAddress } from './account.ts'
import { accountsRead } from './accounts.ts'
import { decodeBase58 } from './base58.ts'
import { lifetimeRead } from './blocks.ts'
import { readPayload } from './exact-read.ts'
import type { Facts } from './facts.ts'
import { compactLength } from './message.ts'
import { COMPUTE_BUDGET_PROGRAM, MEMO_PROGRAM } from './programs.ts'
import { NO_SIGNATURE } from './sign.ts'
import { readTokenAccount } from './token-account.ts'

/** First byte of a message of version 0. */
const VERSION_0 = 0x80
const BLOCKHASH_BYTES = 32
/** What clients of x402 ask for; a transfer with a memo takes less. */
const COMPUTE_UNITS = 20_000
const MICROLAMPORTS_PER_UNIT = 1n
const SET_COMPUTE_UNIT_LIMIT = 2
const SET_COMPUTE_UNIT_PRICE = 3
const TRANSFER_CHECKED = 12
const MEMO_BYTES_MAX = 256

/**
 * A transaction that pays the seller from the payer's own token account, for the fee payer that the seller names to sign. Nothing of it can
 * touch any other account of the payer's. Source: x402 `exact` on SVM, static path.
 */
export async function prepareAuthorization(
  { transport, facts }: { readonly transport: Transport; readonly facts: Facts },
  order: PayOrder,
): Promise<AuthorizeOutcome> {
  const { asset, payer, payTo, amount, extra } = order
  if (asset.asset === 'native') return { ok: false, reason: 'asset' }
  if (order.scheme === 'upto') return { ok: false, reason: 'method' }
  const { feePayer: named } = extra
  const feePayer = typeof named === 'string' ? parseAddress(named) : undefined
  // A payer that pays its own fee would be charged beside what the seller asks for.
  if (feePayer === undefined || feePayer === payer) return { ok: false, reason: 'fee_payer' }
  const memo = memoOf(order)
  if (memo === undefined) return { ok: false, reason: 'memo' }
  const mint = await facts.mint(knownAddress(asset.asset))
  if (mint.decimals !== asset.decimals || mint.feeOf(amount) !== 0n) {
    return { ok: false, reason: 'asset' }
  }
  const source = facts.tokenAccount(payer, mint).address
  const destination = facts.tokenAccount(payTo, mint).address
  // Whoever signs for the fee may stand nowhere else.
  const others = [source, destination, mint.address, mint.program, payTo]
  if ([...others, COMPUTE_BUDGET_PROGRAM, MEMO_PROGRAM].includes(feePayer)) {
    return { ok: false, reason: 'fee_payer' }
  }
  const [lifetime, { accounts }] = await Promise.all([
    transport.read(lifetimeRead),
    transport.read(accountsRead([destination])),
  ])
  const receiving = readTokenAccount(accounts[0]?.data ?? new Uint8Array())
  if (receiving === undefined || receiving.isFrozen) return { ok: false, reason: 'receiver' }
  const message = paymentMessage({
    feePayer,
    payer,
    source,
    destination,
    mint: mint.address,
    program: mint.program,
    amount,
    decimals: mint.decimals,
    memo,
    blockhash: lifetime.blockhash,
  })
  const sign: PreparedAuthorization['sign'] = async (signer) => {
    const signature = await signer.sign(message)
    const signed = Buffer.concat([compactLength(2), NO_SIGNATURE, signature, message])
    const payload = { transaction: signed.toString('base64') }
    const settlers = new Set([feePayer])
    const read = readPayload(facts, payload, { asset, payTo, amount, extra, settlers })
    if (!read.ok || read.authorization.payer !== payer) {
      throw new Error('the signer did not sign for the payer')
    }
    const { lastValidBlockHeight } = lifetime
    return { payload, authorization: read.authorization, lastValidBlockHeight }
  }
  return { ok: true, prepared: { sign } }
}

/** The seller's own memo, or one that makes two equal payments of one moment two transactions. */
function memoOf({ extra: { memo }, salt }: PayOrder): Uint8Array | undefined {
  if (memo === undefined || memo === null || memo === '') {
    return Buffer.from(Buffer.from(salt).toString('hex'), 'ascii')
  }
  if (typeof memo !== 'string') return undefined
  const bytes = Buffer.from(memo, 'utf8')
  return bytes.length <= MEMO_BYTES_MAX && memo.isWellFormed() ? bytes : undefined
}

interface PaymentParts {
  readonly feePayer: Address
  readonly payer: Address
  readonly source: Address
  readonly destination: Address
  readonly mint: Address
  readonly program: Address
  readonly amount: bigint
  readonly decimals: number
  readonly memo: Uint8Array
  readonly blockhash: string
}

/** Limit, price, transfer, memo: two signers, of which the second moves the money. Source: docs.anza.xyz, "Versioned Transactions". */
function paymentMessage(parts: PaymentParts): Uint8Array {
  const { feePayer, payer, source, destination, mint, program } = parts
  const addresses = [feePayer, payer, source, destination, mint, program]
  const accounts = [...addresses, COMPUTE_BUDGET_PROGRAM, MEMO_PROGRAM]
  if (new Set(accounts).size !== accounts.length) throw new RangeError('an account twice')
  const at = (address: Address) => accounts.indexOf(address)
  const readonlyOthers = accounts.length - 4
  const limit = Buffer.alloc(5)
  limit.writeUInt8(SET_COMPUTE_UNIT_LIMIT)
  limit.writeUInt32LE(COMPUTE_UNITS, 1)
  const price = Buffer.alloc(9)
  price.writeUInt8(SET_COMPUTE_UNIT_PRICE)
  price.writeBigUInt64LE(MICROLAMPORTS_PER_UNIT, 1)
  const transfer = Buffer.alloc(10)
  transfer.writeUInt8(TRANSFER_CHECKED)
  transfer.writeBigUInt64LE(parts.amount, 1)
  transfer.writeUInt8(parts.decimals, 9)
  const call = (of: Address, data: Uint8Array, named: readonly Address[] = []) => [
    Uint8Array.of(at(of)),
    compactLength(named.length),
    Uint8Array.from(named, at),
    compactLength(data.length),
    data,
  ]
  const calls = [
    call(COMPUTE_BUDGET_PROGRAM, limit),
    call(COMPUTE_BUDGET_PROGRAM, price),
    call(program, transfer, [source, mint, destination, payer]),
    call(MEMO_PROGRAM, parts.memo),
  ]
  const recent = decodeBase58(parts.blockhash, BLOCKHASH_BYTES)
  if (recent === undefined) throw new RangeError('a blockhash is 32 bytes in base58')
  return new Uint8Array(
    Buffer.concat([
      Uint8Array.of(VERSION_0, 2, 1, readonlyOthers),
      compactLength(accounts.length),
      ...accounts.map(addressBytes),
      recent,
      compactLength(calls.length),
      ...calls.flat(),
      compactLength(0),
    ]),
  )
}

import { addressBytes } from './base58.ts'
import { fromBase64, toBase64 } from './base64.ts'
import type { BuildTransactionAnswer } from './contract/build-transaction.ts'
import { FlorinError } from './florin-error.ts'
import type { EvmWallet, OwnWallet, SolanaWallet } from './own-wallet.ts'

const SIGNATURE_BYTES = 64
const KEY_BYTES = 32
/** A length of one byte, as every count in a transaction of ordinary size has. */
const ONE_BYTE_MAX = 0x7f

type Build = Pick<BuildTransactionAnswer, 'transaction' | 'unsigned' | 'format'>

/**
 * What was built with the wallet's signature, in base64. The key stays where it is.
 * @throws {FlorinError} INVALID_SETTING when the wallet is not of that family, or not one that the transaction waits for.
 */
export async function signBuild(build: Build, wallet: OwnWallet): Promise<string> {
  const isSolana = 'signTransactions' in wallet
  if (isSolana !== (build.format === 'solana-v0')) {
    throw unusable(`a ${build.format} transaction is not for this kind of wallet`)
  }
  return isSolana ? await signSolana(build, wallet) : await signEvm(build, wallet)
}

async function signEvm({ unsigned }: Build, wallet: EvmWallet): Promise<string> {
  if (unsigned === undefined) throw unusable('the build has no fields to sign')
  const { chainId, nonce, to, value, data, gas, maxFeePerGas, maxPriorityFeePerGas } = unsigned
  const signed = await wallet.signTransaction({
    type: 'eip1559',
    chainId,
    nonce,
    to: hexOf(to),
    value: BigInt(value),
    data: hexOf(data),
    gas: BigInt(gas),
    maxFeePerGas: BigInt(maxFeePerGas),
    maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas),
  })
  const digits = hexOf(signed).slice(2)
  return toBase64(
    Uint8Array.from({ length: digits.length / 2 }, (_, index) =>
      Number.parseInt(digits.slice(index * 2, index * 2 + 2), 16),
    ),
  )
}

async function signSolana({ transaction }: Build, wallet: SolanaWallet): Promise<string> {
  const { address } = wallet
  const bytes = fromBase64(transaction)
  const count = bytes[0] ?? 0
  const messageBytes = bytes.subarray(1 + count * SIGNATURE_BYTES)
  const place = signerPlace(messageBytes, count, address)
  const [signatures] = await wallet.signTransactions([
    { messageBytes, signatures: { [address]: null } },
  ])
  const signature = signatures?.[address]
  if (signature?.length !== SIGNATURE_BYTES) {
    throw unusable(`the wallet gave no signature of ${address}`)
  }
  const signed = bytes.slice()
  signed.set(signature, 1 + place * SIGNATURE_BYTES)
  return toBase64(signed)
}

/** Which of the signatures is the wallet's. A message: its version, three counts, how many accounts, and these, signers first. */
function signerPlace(message: Uint8Array, count: number, address: string): number {
  const [keysAt, accounts = 0] = [5, message[4]]
  const own = addressBytes(address)
  for (let place = 0; place < count && accounts <= ONE_BYTE_MAX; place += 1) {
    const key = message.subarray(keysAt + place * KEY_BYTES, keysAt + (place + 1) * KEY_BYTES)
    if (own?.every((byte, index) => byte === key[index]) === true) return place
  }
  throw unusable(`the transaction does not wait for a signature of ${address}`)
}

function hexOf(text: string): `0x${string}` {
  if (!/^0x(?:[0-9a-fA-F]{2})*$/.test(text)) throw unusable('the wallet gave no hex')
  return `0x${text.slice(2)}`
}

function unusable(message: string): FlorinError {
  return new FlorinError({ code: 'INVALID_SETTING', message })
}

import { toBase64 } from './base64.ts'
import { buildDiffers } from './build-differs.ts'
import type { Checked } from './check-build.ts'
import { FlorinError } from './florin-error.ts'
import { fromHex } from './hex.ts'
import type { EvmTransaction, EvmWallet, OwnWallet, SolanaWallet } from './own-wallet.ts'
import type { SolanaBytes } from './read-solana.ts'

const SIGNATURE_BYTES = 64

/**
 * What was checked with the signature of the wallet that it is for, in base64. The key stays where it is.
 * @throws {FlorinError} INVALID_SETTING for a wallet of the other family, BUILD_DIFFERS for one that it was not built for.
 */
export async function signBuild(
  checked: Checked,
  sender: string,
  wallet: OwnWallet,
): Promise<string> {
  if ('signTransactions' in wallet) {
    if (checked.family !== 'solana') throw unusable('an EVM transaction is not for this wallet')
    if (wallet.address !== sender) throw buildDiffers('wallet', wallet.address, sender)
    return await signSolana(checked.bytes, wallet)
  }
  if (checked.family !== 'evm') throw unusable('a Solana transaction is not for this wallet')
  if (wallet.address.toLowerCase() !== sender.toLowerCase()) {
    throw buildDiffers('wallet', wallet.address, sender)
  }
  return await signEvm(checked.transaction, wallet)
}

async function signEvm(transaction: EvmTransaction, wallet: EvmWallet): Promise<string> {
  const signed = fromHex(await wallet.signTransaction(transaction))
  if (signed === undefined) throw unusable('the wallet gave no hex')
  return toBase64(signed)
}

async function signSolana(
  { message: messageBytes, others }: SolanaBytes,
  wallet: SolanaWallet,
): Promise<string> {
  const { address } = wallet
  const [signatures] = await wallet.signTransactions([
    { messageBytes: messageBytes.slice(), signatures: { [address]: null } },
  ])
  const signature = signatures?.[address]
  if (signature?.length !== SIGNATURE_BYTES) {
    throw unusable(`the wallet gave no signature of ${address}`)
  }
  const signers = 1 + others.length / SIGNATURE_BYTES
  return toBase64(Uint8Array.from([signers, ...signature, ...others, ...messageBytes]))
}

function unusable(message: string): FlorinError {
  return new FlorinError({ code: 'INVALID_SETTING', message })
}

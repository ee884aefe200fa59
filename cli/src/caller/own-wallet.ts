import type { EvmTransaction, OwnWallet } from '@florin/sdk'
import type { Address } from '@florin/server/chains/chain.ts'
import { parseAddress } from '@florin/server/chains/evm/account.ts'
import {
  addressOfPrivateKey as evmAddress,
  signDigest,
} from '@florin/server/chains/evm/secp256k1.ts'
import { signTerms } from '@florin/server/chains/evm/sign.ts'
import {
  addressOfPrivateKey as solanaAddress,
  signMessage,
} from '@florin/server/chains/solana/ed25519.ts'
import { readImportedKey } from '@florin/server/custody/imported-key.ts'
import { KeyUnusable, readKeyFile } from '@florin/server/custody/key-file.ts'
import type { SecretBytes } from '@florin/server/kernel/secret.ts'
import { baseUnits } from '@florin/wire/amount.ts'
import { CommandFailed } from '../usage-error.ts'

/** A wallet whose private key is in a file that its owner alone can read. */
export interface OwnKey {
  readonly wallet: OwnWallet
  erase(): void
}

/** Reads a key file. Throws CommandFailed that holds nothing of the key. */
export async function openOwnKey(path: string): Promise<OwnKey> {
  const text = await readText(path)
  const key = readImportedKey(Buffer.from(text.reveal()).toString('utf8'))
  text.erase()
  if (!key.ok) throw new CommandFailed(`${path} holds no private key: ${key.reason}`)
  const { family, privateKey } = key
  const secret = () => privateKey.reveal()
  const wallet = family === 'evm' ? evmWallet(secret) : solanaWallet(secret)
  return { wallet, erase: () => privateKey.erase() }
}

/** Throws CommandFailed, also when others can read it. */
async function readText(path: string): Promise<SecretBytes> {
  try {
    const text = await readKeyFile(path)
    if (text !== undefined) return text
  } catch (error) {
    if (error instanceof KeyUnusable) throw new CommandFailed(error.message, { cause: error })
    throw error
  }
  throw new CommandFailed(`${path} is not there`)
}

function evmWallet(secret: () => Uint8Array): OwnWallet {
  const address = evmAddress(secret())
  return {
    address,
    signTransaction: async (transaction) => {
      const terms = termsOf(transaction, address)
      const sign = async (digest: Uint8Array) => signDigest(digest, secret())
      const { raw } = await signTerms(terms, BigInt(transaction.nonce), { address, sign })
      return `0x${Buffer.from(raw).toString('hex')}`
    },
  }
}

function termsOf(transaction: EvmTransaction, sender: Address) {
  const { chainId, gas, value, maxFeePerGas, maxPriorityFeePerGas } = transaction
  const to = parseAddress(transaction.to)
  if (to === undefined) throw new CommandFailed('the transaction calls an address that is none')
  return {
    chainId: BigInt(chainId),
    sender,
    call: { to, value, data: Buffer.from(transaction.data.slice(2), 'hex') },
    gas,
    fees: { maxFeePerGas, maxPriorityFeePerGas },
    dataFeeMax: baseUnits(0n),
  }
}

function solanaWallet(secret: () => Uint8Array): OwnWallet {
  const address = solanaAddress(secret())
  return {
    address,
    signTransactions: async (transactions) =>
      transactions.map(({ messageBytes }) => ({
        [address]: signMessage(Uint8Array.from(messageBytes), secret()),
      })),
  }
}

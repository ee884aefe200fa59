import {
  AccountRole,
  address,
  appendTransactionMessageInstruction,
  compileTransaction,
  createKeyPairSignerFromPrivateKeyBytes,
  createSolanaRpc,
  decompileTransactionMessage,
  getBase64EncodedWireTransaction,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  partiallySignTransaction,
} from '@solana/kit'
import type { Base64EncodedWireTransaction } from '@solana/kit'
import type { Family } from '@florin/wire/network.ts'
import { createPublicClient, http, parseTransaction, toHex } from 'viem'
import type { TransactionSerializableEIP1559 } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import type { Client, Reply } from './client.ts'
import type { SandboxHandle } from './sandbox.ts'

/** Somebody who holds a key of its own and lets the service build. */
export interface SelfCustodian {
  readonly family: Family
  readonly address: string
  /** Signs built bytes with a stock library; base64 as a node takes it. */
  sign(transaction: string): Promise<string>
  /** Hands signed bytes to its own node; gives the transaction's id. */
  broadcast(signed: string): Promise<string>
}

export interface SolanaCustodian extends SelfCustodian {
  /** Signs what was built with an instruction more that pays a lamport to somebody. */
  signWithMore(transaction: string, recipient: string): Promise<string>
}

export interface EvmCustodian extends SelfCustodian {
  /** Signs what was built after the given change of its fields. */
  signEdited(transaction: string, change: Partial<TransactionSerializableEIP1559>): Promise<string>
}

const SECRET_BYTES = 32

/** A holder of a fresh EVM key with 10 of the coin and 100 USDC. */
export async function evmCustodian(
  sandbox: Pick<SandboxHandle, 'rpcUrl' | 'fund'>,
): Promise<EvmCustodian> {
  const account = privateKeyToAccount(generatePrivateKey())
  const chain = createPublicClient({ transport: http(sandbox.rpcUrl) })
  await sandbox.fund(account.address, 'native', '10')
  await sandbox.fund(account.address, 'USDC', '100')
  const signEdited: EvmCustodian['signEdited'] = async (transaction, change) => {
    const unsigned = parseTransaction(toHex(Buffer.from(transaction, 'base64')))
    if (unsigned.type !== 'eip1559') throw new Error('not an EIP-1559 transaction')
    const signed = await account.signTransaction({ ...unsigned, ...change, type: 'eip1559' })
    return Buffer.from(signed.slice(2), 'hex').toString('base64')
  }
  return {
    family: 'evm',
    address: account.address,
    signEdited,
    sign: (transaction) => signEdited(transaction, {}),
    broadcast: (signed) =>
      chain.sendRawTransaction({ serializedTransaction: toHex(Buffer.from(signed, 'base64')) }),
  }
}

/** A holder of a fresh Solana key with 10 of the coin and 100 USDC. */
export async function solanaCustodian(sandbox: SandboxHandle): Promise<SolanaCustodian> {
  const secret = crypto.getRandomValues(new Uint8Array(SECRET_BYTES))
  const signer = await createKeyPairSignerFromPrivateKeyBytes(secret)
  const rpc = createSolanaRpc(sandbox.solana.rpcUrl)
  await sandbox.fund(signer.address, 'native', '10')
  await sandbox.fund(signer.address, 'USDC', '100')
  return {
    family: 'solana',
    address: signer.address,
    sign: async (transaction) => {
      const decoded = getTransactionDecoder().decode(Buffer.from(transaction, 'base64'))
      return getBase64EncodedWireTransaction(
        await partiallySignTransaction([signer.keyPair], decoded),
      )
    },
    signWithMore: async (transaction, recipient) => {
      const { messageBytes } = getTransactionDecoder().decode(Buffer.from(transaction, 'base64'))
      const built = decompileTransactionMessage(
        getCompiledTransactionMessageDecoder().decode(messageBytes),
      )
      const data = new Uint8Array(12)
      data[0] = 2
      data[4] = 1
      const more = appendTransactionMessageInstruction(
        {
          programAddress: address('11111111111111111111111111111111'),
          accounts: [
            { address: signer.address, role: AccountRole.WRITABLE_SIGNER },
            { address: address(recipient), role: AccountRole.WRITABLE },
          ],
          data,
        },
        built,
      )
      const signed = await partiallySignTransaction([signer.keyPair], compileTransaction(more))
      return getBase64EncodedWireTransaction(signed)
    },
    broadcast: (signed) =>
      rpc
        .sendTransaction(signed as Base64EncodedWireTransaction, {
          encoding: 'base64',
          preflightCommitment: 'confirmed',
        })
        .send(),
  }
}

/** POST /transaction/send from a wallet of its own. */
export function build(
  client: Client,
  { address }: SelfCustodian,
  recipientAddress: string,
  fields: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Reply> {
  const body = { walletAddress: address, recipientAddress, amount: '0.01', ...fields }
  return client.post('/transaction/send', body, headers)
}

/** The base64 of what was built. */
export function transactionOf({ body }: Reply): string {
  if (typeof body['transaction'] !== 'string') throw new Error(JSON.stringify(body))
  return body['transaction']
}

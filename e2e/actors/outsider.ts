import { createHash } from 'node:crypto'
import type { Address, TransactionHash } from '@florin/server/chains/chain.ts'
import { encodeBase58 } from '@florin/server/chains/solana/base58.ts'
import { addressOfPrivateKey, signMessage } from '@florin/server/chains/solana/ed25519.ts'
import { compileMessage } from '@florin/server/chains/solana/message.ts'
import { SYSTEM_PROGRAM } from '@florin/server/chains/solana/programs.ts'
import { withSignature } from '@florin/server/chains/solana/sign.ts'
import type { Family } from '@florin/wire/network.ts'
import { getAddress, keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { SandboxHandle } from './sandbox.ts'

/** Signed bytes of somebody who is no customer; the same bytes may be sent again. */
export interface ForeignPayment {
  readonly hash: TransactionHash
  send(): Promise<void>
}

/** Somebody outside who pays coin on one chain. */
export interface Outsider {
  readonly address: string
  /** Signs a payment for the next place of the chain's state; nothing is sent. */
  sign(recipient: string, amount: bigint): Promise<ForeignPayment>
}

/** An outsider with 10 of the chain's coin. */
export async function openOutsider(sandbox: SandboxHandle, family: Family): Promise<Outsider> {
  const outsider = family === 'evm' ? evmOutsider(sandbox) : solanaOutsider(sandbox)
  await sandbox.fund(outsider.address, 'native', '10')
  return outsider
}

const KEY = createHash('sha256').update('an outsider').digest()
const CHAIN_ID = 84_532
const FEES = { maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n }
const LAMPORTS_AT = 4

async function call(url: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(url, { method: 'POST', headers, body })
  const said = (await answer.json()) as { result?: unknown; error?: unknown }
  if (said.error !== undefined) throw new Error(JSON.stringify(said.error))
  return said.result
}

function evmOutsider({ rpcUrl }: SandboxHandle): Outsider {
  const account = privateKeyToAccount(`0x${KEY.toString('hex')}`)
  return {
    address: account.address,
    sign: async (recipient, value) => {
      const used = await call(rpcUrl, 'eth_getTransactionCount', [account.address, 'latest'])
      const raw = await account.signTransaction({
        type: 'eip1559',
        chainId: CHAIN_ID,
        nonce: Number(used),
        gas: 21_000n,
        to: getAddress(recipient),
        value,
        ...FEES,
      })
      return {
        hash: keccak256(raw) as string as TransactionHash,
        send: async () => void (await call(rpcUrl, 'eth_sendRawTransaction', [raw])),
      }
    },
  }
}

function solanaOutsider({ solana }: SandboxHandle): Outsider {
  const address = addressOfPrivateKey(KEY)
  return {
    address,
    sign: async (recipient, lamports) => {
      const { value } = (await call(solana.rpcUrl, 'getLatestBlockhash', [
        { commitment: 'confirmed' },
      ])) as { value: { blockhash: string } }
      const data = Buffer.alloc(12)
      data.writeUInt32LE(2)
      data.writeBigUInt64LE(lamports, LAMPORTS_AT)
      const accounts = [address, recipient as Address].map((each) => ({
        address: each,
        isWritable: true,
      }))
      const message = compileMessage(
        address,
        [{ program: SYSTEM_PROGRAM, accounts, data }],
        value.blockhash,
      )
      const signature = signMessage(message, KEY)
      const raw = Buffer.from(withSignature(signature, message)).toString('base64')
      const options = { encoding: 'base64', preflightCommitment: 'confirmed' }
      return {
        hash: encodeBase58(signature) as TransactionHash,
        send: async () => void (await call(solana.rpcUrl, 'sendTransaction', [raw, options])),
      }
    },
  }
}

import { createKeyPairSignerFromPrivateKeyBytes, getTransactionDecoder } from '@solana/kit'
import { parseTransaction, recoverTransactionAddress, serializeTransaction } from 'viem'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, describe, expect, test } from 'vitest'
import { FlorinError } from './florin.ts'
import { answer, openTestService } from './test-service.ts'
import type { Step } from './test-service.ts'

const account = privateKeyToAccount(`0x${'11'.repeat(32)}`)
const RECIPIENT = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'

let service: Awaited<ReturnType<typeof openTestService>>
afterEach(() => service.close())
const serve = async (...script: Step[]) => (service = await openTestService(script))

const DATA: Hex = `0x9fde4014${'c5'.repeat(32)}`
const unsigned = {
  ...{ to: RECIPIENT, value: '2500000000000000000', data: DATA },
  ...{ nonce: 7, gas: '23000', maxFeePerGas: '158000000', maxPriorityFeePerGas: '86000000' },
  chainId: 84_532,
} as const

const transaction = serializeTransaction({
  type: 'eip1559',
  chainId: unsigned.chainId,
  nonce: unsigned.nonce,
  to: RECIPIENT,
  value: BigInt(unsigned.value),
  data: unsigned.data,
  gas: BigInt(unsigned.gas),
  maxFeePerGas: BigInt(unsigned.maxFeePerGas),
  maxPriorityFeePerGas: BigInt(unsigned.maxPriorityFeePerGas),
})

const build = (more: object = {}) =>
  answer(200, {
    ...{ success: true, paymentId: 'pay_1', status: 'pending', format: 'eip1559-rlp', unsigned },
    transaction: Buffer.from(transaction.slice(2), 'hex').toString('base64'),
    ...{ network: 'eip155:84532', lastValidBlockHeight: 9, expiresAt: 60_000, fee: 0.1 },
    ...{ expiryEnforcedByChain: false, priorityFee: 0.01, accountRent: 0, paymentProof: null },
    summary: { feePayer: null, transfers: [], commitments: [], createsAccounts: [], others: [] },
    ...{ estimatedConfirmation: '2 seconds', timestamp: 1, ...more },
  })

const submitted = (more: object = {}) =>
  answer(200, {
    ...{ success: true, paymentId: 'pay_1', signature: '0xabc', network: 'eip155:84532' },
    ...{ status: 'pending', accepted: true, reason: null, timestamp: 1, ...more },
  })

const abandoned = answer(200, {
  ...{ success: true, paymentId: 'pay_1', abandoned: true, status: 'pending', timestamp: 1 },
})

const order = { recipientAddress: RECIPIENT, amount: '2.5' }
const sentTransaction = (index: number): string => {
  const body: unknown = JSON.parse(service.seen[index]?.body ?? '{}')
  return String(Object(body)['transaction'])
}

describe('sign and send', () => {
  test('signs with a stock account of viem exactly what was built, and sends that', async () => {
    await serve(build(), submitted())
    const sent = await service.client().transactions.signAndSend(order, account)
    expect(sent).toMatchObject({ signature: '0xabc', build: { fee: '0.1', paymentId: 'pay_1' } })
    expect(service.seen.map(({ url }) => url)).toEqual(['/transaction/send', '/transaction/submit'])
    expect(JSON.parse(service.seen[0]?.body ?? '')).toEqual({
      ...order,
      walletAddress: account.address,
    })
    const raw = `0x02${Buffer.from(sentTransaction(1), 'base64').toString('hex').slice(2)}` as const
    expect(await recoverTransactionAddress({ serializedTransaction: raw })).toBe(account.address)
    expect(parseTransaction(raw)).toMatchObject(parseTransaction(transaction))
  })

  test('sends the same bytes again while nobody can say whether a node took them', async () => {
    await serve(build(), submitted({ accepted: null }), submitted())
    await service.client().transactions.signAndSend(order, account)
    expect(service.seen).toHaveLength(3)
    expect(sentTransaction(2)).toBe(sentTransaction(1))
  })

  test('throws NOT_ACCEPTED when every node refused it', async () => {
    await serve(build(), submitted({ accepted: false, reason: 'insufficient_funds' }))
    const error: unknown = await service
      .client()
      .transactions.signAndSend(order, account)
      .catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(FlorinError)
    expect(error).toMatchObject({
      code: 'NOT_ACCEPTED',
      details: { paymentId: 'pay_1', reason: 'insufficient_funds' },
    })
  })

  test('signs nothing that a review does not like, and gives the build up', async () => {
    await serve(build(), abandoned)
    const signed: unknown[] = []
    const wallet = {
      address: account.address,
      signTransaction: async (asked: unknown) => {
        signed.push(asked)
        return '0x'
      },
    }
    const review = ({ fee }: { fee: string }) => {
      throw new Error(`too dear: ${fee}`)
    }
    await expect(
      service.client().transactions.signAndSend(order, wallet, { review }),
    ).rejects.toThrow('too dear: 0.1')
    expect(signed).toEqual([])
    expect(service.seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /transaction/send',
      'DELETE /transaction/pay_1',
    ])
  })
})

describe('signing for Solana', () => {
  /** A transaction of version 0 with one instruction, as another library would make it. */
  const solana = async () => {
    const signer = await createKeyPairSignerFromPrivateKeyBytes(new Uint8Array(32).fill(7))
    const key = new Uint8Array(await crypto.subtle.exportKey('raw', signer.keyPair.publicKey))
    const message = Buffer.concat([
      Uint8Array.of(0x80, 1, 0, 1, 2),
      key,
      Buffer.alloc(32, 9),
      Buffer.alloc(32, 3),
      Uint8Array.of(1, 1, 0, 0, 0),
    ])
    const bytes = Buffer.concat([Uint8Array.of(1), Buffer.alloc(64), message])
    return {
      signer,
      built: { transaction: bytes.toString('base64'), format: 'solana-v0' as const },
    }
  }

  test('puts the signature of a stock signer of kit where it belongs', async () => {
    await serve(abandoned)
    const { signer, built } = await solana()
    const made = { ...(await emptyBuild()), ...built }
    const text = await service.client().transactions.sign(made, signer)
    const decoded = getTransactionDecoder().decode(Buffer.from(text, 'base64'))
    const signature = decoded.signatures[signer.address]
    expect(signature).toHaveLength(64)
    const verified = await crypto.subtle.verify(
      'Ed25519',
      signer.keyPair.publicKey,
      new Uint8Array(signature ?? []),
      new Uint8Array(decoded.messageBytes),
    )
    expect(verified).toBe(true)
  })

  test('refuses a wallet of the other family, and one that is not waited for', async () => {
    await serve(abandoned)
    const { built } = await solana()
    const other = await createKeyPairSignerFromPrivateKeyBytes(new Uint8Array(32).fill(8))
    const made = { ...(await emptyBuild()), ...built }
    const { transactions } = service.client()
    await expect(transactions.sign(made, account)).rejects.toThrow('not for this kind of wallet')
    await expect(transactions.sign(made, other)).rejects.toThrow('does not wait for a signature')
  })

  async function emptyBuild() {
    const other = await openTestService([build({ unsigned: undefined })])
    const made = await other.client().transactions.build({ ...order, walletAddress: 'a' })
    await other.close()
    return made
  }
})

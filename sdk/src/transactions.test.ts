import { createKeyPairSignerFromPrivateKeyBytes, getTransactionDecoder } from '@solana/kit'
import { parseTransaction, recoverTransactionAddress, serializeTransaction } from 'viem'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, describe, expect, test } from 'vitest'
import { FlorinError } from './florin.ts'
import { solanaBytes } from './test-build.ts'
import { answer, lost, openTestService } from './test-service.ts'
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
  const SOLANA = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1'
  const signerOf = (fill: number) =>
    createKeyPairSignerFromPrivateKeyBytes(new Uint8Array(32).fill(fill))
  const solana = async () => {
    const signer = await signerOf(7)
    const { address: recipientAddress } = await signerOf(9)
    const built = build({
      transaction: solanaBytes({ sender: signer.address, recipient: recipientAddress }),
      ...{ format: 'solana-v0', network: SOLANA, unsigned: undefined },
    })
    await serve(built)
    const { transactions } = service.client()
    const order = { walletAddress: signer.address, recipientAddress, amount: '2.5' }
    return { signer, transactions, made: await transactions.build(order) }
  }

  test('puts the signature of a stock signer of kit where it belongs', async () => {
    const { signer, transactions, made } = await solana()
    const text = await transactions.sign(made, signer)
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
    expect(text.slice(88)).toBe(made.transaction.slice(88))
  })

  test('refuses a wallet of the other family, and one that it is not for', async () => {
    const { transactions, made } = await solana()
    await expect(transactions.sign(made, account)).rejects.toThrow('not for this wallet')
    const other = await signerOf(8)
    await expect(transactions.sign(made, other)).rejects.toMatchObject({ code: 'BUILD_DIFFERS' })
  })
})

test('signs for no other wallet than the one of the order, and without an order not at all', async () => {
  await serve(build())
  const { transactions } = service.client()
  const made = await transactions.build({ ...order, walletAddress: account.address })
  const other = privateKeyToAccount(`0x${'22'.repeat(32)}`)
  await expect(transactions.sign(made, other)).rejects.toMatchObject({
    ...{ code: 'BUILD_DIFFERS', details: { differs: 'wallet', asked: other.address } },
  })
  const copy = structuredClone(made)
  await expect(transactions.sign(copy, account)).rejects.toThrow('name the order')
  const named = { order: { ...order, walletAddress: account.address } }
  expect(await transactions.sign(copy, account, named)).toBe(await transactions.sign(made, account))
})

test('asks the wallet for nothing that was not ordered, and gives the build up', async () => {
  const thief = `0x${'66'.repeat(20)}`
  const other = { ...unsigned, chainId: 1, to: thief, value: '9000000000000000000' }
  for (const more of [{ unsigned: other, transaction: 'AA==' }, { unsigned: other }]) {
    await serve(build(more), abandoned)
    const signed: unknown[] = []
    const wallet = {
      address: account.address,
      signTransaction: async (wanted: unknown) => {
        signed.push(wanted)
        return '0x'
      },
    }
    const asked = { ...order, network: 'eip155:84532' }
    const sending = service.client().transactions.signAndSend(asked, wallet)
    await expect(sending).rejects.toMatchObject({ code: 'BUILD_DIFFERS' })
    expect(signed).toEqual([])
    expect(service.seen.map(({ url }) => url)).toEqual(['/transaction/send', '/transaction/pay_1'])
    if ('transaction' in more) await service.close()
  }
})

describe('a no is no proof', () => {
  const refused = submitted({ accepted: false, reason: 'insufficient_funds' })
  const send = async (...answers: Step[]) => {
    await serve(build(), ...answers)
    return await service.client().transactions.signAndSend(order, account)
  }

  test.each([
    ['nobody could say what a node did', submitted({ accepted: null, reason: 'unknown' })],
    ['an answer was lost', lost],
  ])('after %s', async (_, first) => {
    await expect(send(first, refused)).rejects.toMatchObject({
      ...{ code: 'NO_ANSWER', outcomeUnknown: true, details: { paymentId: 'pay_1' } },
    })
  })

  test.each(['nonce_too_low', 'replacement_underpriced'])('of %s', async (reason) => {
    expect(await send(submitted({ accepted: null, reason }))).toMatchObject({ accepted: null })
    expect(service.seen).toHaveLength(2)
  })
})

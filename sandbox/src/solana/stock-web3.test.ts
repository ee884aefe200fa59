import {
  AddressLookupTableProgram,
  ComputeBudgetProgram,
  Connection,
  Keypair,
  LAMPORTS_PER_SOL,
  PublicKey,
  sendAndConfirmTransaction,
  SystemProgram,
  Transaction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSandbox } from '../../../e2e/actors/sandbox.ts'
import type { SandboxHandle } from '../../../e2e/actors/sandbox.ts'

let sandbox: SandboxHandle
let connection: Connection
const payer = Keypair.generate()

beforeAll(async () => {
  sandbox = await startSandbox()
  // No address for WebSockets: the library looks at the next port by itself.
  connection = new Connection(sandbox.solana.rpcUrl, 'confirmed')
  await sandbox.fund(payer.publicKey.toBase58())
})
afterAll(async () => {
  await sandbox.stop()
})

describe('@solana/web3.js 1.x', () => {
  test('takes an airdrop and confirms it by subscription', async () => {
    const to = Keypair.generate().publicKey
    const signature = await connection.requestAirdrop(to, LAMPORTS_PER_SOL)
    const latest = await connection.getLatestBlockhash()
    const { value } = await connection.confirmTransaction({ signature, ...latest })
    expect(value.err).toBeNull()
    expect(await connection.getBalance(to)).toBe(LAMPORTS_PER_SOL)
  })

  test('sends a legacy transaction and reads it back in words', async () => {
    const to = Keypair.generate().publicKey
    const draft = new Transaction().add(
      SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: to, lamports: 2_000_000 }),
    )
    const signature = await sendAndConfirmTransaction(connection, draft, [payer])
    const parsed = await connection.getParsedTransaction(signature, 'confirmed')
    expect(parsed?.meta?.err).toBeNull()
    expect(parsed?.transaction.message.instructions[0]).toMatchObject({
      program: 'system',
      parsed: { type: 'transfer', info: { destination: to.toBase58(), lamports: 2_000_000 } },
    })
    const block = await connection.getBlock(parsed?.slot ?? 0, { commitment: 'confirmed' })
    expect(block?.transactions.map(({ transaction }) => transaction.signatures[0])).toContain(
      signature,
    )
  })

  test('sends a version 0 transaction, simulated first', async () => {
    const to = Keypair.generate().publicKey
    const latest = await connection.getLatestBlockhash()
    const message = new TransactionMessage({
      payerKey: payer.publicKey,
      recentBlockhash: latest.blockhash,
      instructions: [
        SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: to, lamports: 3_000_000 }),
      ],
    }).compileToV0Message()
    const transaction = new VersionedTransaction(message)
    const rehearsal = await connection.simulateTransaction(transaction, {
      replaceRecentBlockhash: true,
    })
    expect(rehearsal.value).toMatchObject({ err: null, unitsConsumed: 150 })
    expect((await connection.getFeeForMessage(message)).value).toBe(5_000)
    transaction.sign([payer])
    const signature = await connection.sendTransaction(transaction)
    await connection.confirmTransaction({ signature, ...latest }, 'finalized')
    expect(await connection.getBalance(to, 'finalized')).toBe(3_000_000)
    const [newest] = await connection.getSignaturesForAddress(to)
    expect(newest).toMatchObject({ signature, err: null, confirmationStatus: 'finalized' })
  })

  test('makes a lookup table and sends through it', async () => {
    const to = Keypair.generate().publicKey
    const recentSlot = await connection.getSlot('finalized')
    const [create, lookupTable] = AddressLookupTableProgram.createLookupTable({
      authority: payer.publicKey,
      payer: payer.publicKey,
      recentSlot,
    })
    const extend = AddressLookupTableProgram.extendLookupTable({
      lookupTable,
      authority: payer.publicKey,
      payer: payer.publicKey,
      addresses: [to],
    })
    await sendAndConfirmTransaction(connection, new Transaction().add(create, extend), [payer])
    const table = (await connection.getAddressLookupTable(lookupTable)).value
    if (table === null) throw new Error('no table')
    const { blockhash } = await connection.getLatestBlockhash()
    const message = new TransactionMessage({
      payerKey: payer.publicKey,
      recentBlockhash: blockhash,
      instructions: [
        SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: to, lamports: 4_000_000 }),
      ],
    }).compileToV0Message([table])
    const transaction = new VersionedTransaction(message)
    transaction.sign([payer])
    const signature = await connection.sendTransaction(transaction)
    await connection.confirmTransaction(signature)
    expect(await connection.getBalance(to)).toBe(4_000_000)
    const read = await connection.getParsedTransaction(signature, {
      commitment: 'confirmed',
      maxSupportedTransactionVersion: 0,
    })
    expect(read?.transaction.message.accountKeys).toContainEqual({
      pubkey: to,
      signer: false,
      writable: true,
      source: 'lookupTable',
    })
  })

  test('a priority fee is charged as it was told', async () => {
    const { blockhash } = await connection.getLatestBlockhash()
    const message = new TransactionMessage({
      payerKey: payer.publicKey,
      recentBlockhash: blockhash,
      instructions: [
        ComputeBudgetProgram.setComputeUnitLimit({ units: 1_001 }),
        ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1_500_000 }),
        SystemProgram.transfer({
          fromPubkey: payer.publicKey,
          toPubkey: payer.publicKey,
          lamports: 1,
        }),
      ],
    }).compileToV0Message()
    const fee = (await connection.getFeeForMessage(message)).value
    expect(fee).toBe(5_000 + 1_502)
    const before = await connection.getBalance(payer.publicKey)
    const transaction = new VersionedTransaction(message)
    transaction.sign([payer])
    const signature = await connection.sendTransaction(transaction)
    await connection.confirmTransaction(signature)
    expect(before - (await connection.getBalance(payer.publicKey))).toBe(fee)
    const read = await connection.getTransaction(signature, {
      commitment: 'confirmed',
      maxSupportedTransactionVersion: 0,
    })
    expect(read?.meta?.fee).toBe(fee)
  })

  test('a send that must fail is refused with its logs', async () => {
    const draft = new Transaction().add(
      SystemProgram.transfer({
        fromPubkey: payer.publicKey,
        toPubkey: PublicKey.default,
        lamports: 1e15,
      }),
    )
    await expect(sendAndConfirmTransaction(connection, draft, [payer])).rejects.toThrow(
      /insufficient lamports/,
    )
  })
})

import { getTransferSolInstruction } from '@solana-program/system'
import {
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstruction,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token'
import {
  address,
  assertIsTransactionWithBlockhashLifetime,
  getBase64EncodedWireTransaction,
} from '@solana/kit'
import type { Instruction, KeyPairSigner } from '@solana/kit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startSandbox } from '../../../e2e/actors/sandbox.ts'
import type { SandboxHandle } from '../../../e2e/actors/sandbox.ts'
import { ROOM, signV1 } from '../../../e2e/actors/version-one.ts'
import { COMPUTE_BUDGET_PROGRAM, MEMO_PROGRAM } from './chain/program-addresses.ts'
import { testClient } from './test-client.ts'

const CONFIRMED = { commitment: 'confirmed' } as const
const SIGNATURE_FEE = 5_000n

let sandbox: SandboxHandle
let client: ReturnType<typeof testClient>
let payer: KeyPairSigner
beforeAll(async () => {
  sandbox = await startSandbox()
  client = testClient(sandbox)
  payer = await client.newKey()
  await sandbox.fund(payer.address)
  await sandbox.fund(payer.address, 'USDC')
})
afterAll(async () => {
  await sandbox.stop()
})

const solTo = async (amount = 1_000_000n) =>
  getTransferSolInstruction({
    source: payer,
    destination: (await client.newKey()).address,
    amount,
  })
const memo = (text: string): Instruction => ({
  programAddress: address(MEMO_PROGRAM),
  data: new TextEncoder().encode(text),
})
async function sign(
  instructions: readonly Instruction[],
  config: Parameters<typeof signV1>[3] = ROOM,
) {
  return await signV1(payer, instructions, await client.lifetime(), config)
}
async function confirm(
  instructions: readonly Instruction[],
  config: Parameters<typeof signV1>[3] = ROOM,
) {
  const { signed, signature } = await sign(instructions, config)
  assertIsTransactionWithBlockhashLifetime(signed)
  await client.sendAndConfirm(signed, CONFIRMED)
  return signature
}
async function shown(signature: string, config: object) {
  return await client.raw('getTransaction', [signature, { ...CONFIRMED, ...config }])
}

test('kit sends SOL, USDC and a memo by a transaction of version 1', async () => {
  const owner = (await client.newKey()).address
  const mint = address(sandbox.solana.usdc)
  const tokenProgram = TOKEN_PROGRAM_ADDRESS
  const [from] = await findAssociatedTokenPda({ owner: payer.address, mint, tokenProgram })
  const [to] = await findAssociatedTokenPda({ owner, mint, tokenProgram })
  const signature = await confirm([
    getTransferSolInstruction({ source: payer, destination: owner, amount: 1_000_000n }),
    getCreateAssociatedTokenIdempotentInstruction({ payer, ata: to, owner, mint }),
    getTransferCheckedInstruction({
      source: from,
      mint,
      destination: to,
      authority: payer,
      amount: 1_250_000n,
      decimals: 6,
    }),
    memo('invoice 7'),
  ])
  expect((await client.rpc.getBalance(owner, CONFIRMED).send()).value).toBe(1_000_000n)
  const { value } = await client.rpc.getTokenAccountBalance(to, CONFIRMED).send()
  expect(value.amount).toBe('1250000')
  const history = await client.raw('getSignaturesForAddress', [owner, CONFIRMED])
  expect(history.result).toMatchObject([{ signature, memo: '[9] invoice 7' }])
  const parsed = await client.rpc
    .getTransaction(signature, {
      ...CONFIRMED,
      encoding: 'jsonParsed',
      maxSupportedTransactionVersion: 1,
    })
    .send()
  expect(parsed?.transaction.message.instructions[2]).toMatchObject({
    parsed: { type: 'transferChecked', info: { tokenAmount: { amount: '1250000' } } },
  })
})

test('is told with its configuration, and only to who asks for the version', async () => {
  const signature = await confirm([await solTo()], { ...ROOM, priorityFeeLamports: 777n })
  const told = await shown(signature, { encoding: 'json', maxSupportedTransactionVersion: 1 })
  expect(told.result).toMatchObject({
    version: 1,
    meta: { err: null, fee: 5_777, loadedAddresses: { writable: [], readonly: [] } },
    transaction: {
      signatures: [signature],
      message: {
        instructions: [{ programIdIndex: 2, accounts: [0, 1], stackHeight: 1 }],
        transactionConfig: {
          priorityFee: 777,
          computeUnitLimit: ROOM.computeUnitLimit,
          loadedAccountsDataSizeLimit: ROOM.loadedAccountsDataSizeLimit,
          heapSize: null,
        },
      },
    },
  })
  expect(told.result).not.toHaveProperty('transaction.message.addressTableLookups')
  for (const config of [{}, { maxSupportedTransactionVersion: 0 }]) {
    expect((await shown(signature, config)).error?.code).toBe(-32_015)
  }
  const { slot } = (await client.status(signature)) ?? {}
  const block = async (config: object) =>
    await client.raw('getBlock', [Number(slot), { ...CONFIRMED, ...config }])
  const accounts = { transactionDetails: 'accounts', maxSupportedTransactionVersion: 0 }
  expect((await block(accounts)).error?.code).toBe(-32_015)
  expect((await block({ ...accounts, maxSupportedTransactionVersion: 1 })).result).toMatchObject({
    transactions: [{ version: 1, transaction: { signatures: [signature] } }],
  })
  // Nobody reads the version where only signatures are told.
  const bare = { transactionDetails: 'signatures', maxSupportedTransactionVersion: 0 }
  expect((await block(bare)).result).toMatchObject({ signatures: [signature] })
  const old = { encoding: 'base58', maxSupportedTransactionVersion: 1 }
  expect((await shown(signature, old)).error).toEqual({
    code: -32_602,
    message: 'base58 encoding is not supported with maxSupportedTransactionVersion >= 1',
  })
})

test('costs its priority, whatever its instructions say of the compute budget', async () => {
  const price = Buffer.alloc(9)
  price.writeUInt8(3)
  price.writeBigUInt64LE(1_000_000n, 1)
  const budget = { programAddress: address(COMPUTE_BUDGET_PROGRAM), data: Uint8Array.from(price) }
  const { wire, signed } = await sign([budget, await solTo()], {
    ...ROOM,
    priorityFeeLamports: 1_234n,
  })
  const message = Buffer.from(Uint8Array.from(signed.messageBytes)).toString('base64')
  const fee = await client.raw('getFeeForMessage', [message, CONFIRMED])
  expect(fee.result).toMatchObject({ value: Number(SIGNATURE_FEE) + 1_234 })
  const rehearsal = await client.raw('simulateTransaction', [
    wire,
    { ...CONFIRMED, encoding: 'base64' },
  ])
  expect(rehearsal.result).toMatchObject({ value: { err: null, fee: 6_234 } })
})

test('may be longer than the packets of earlier versions, which stay as short as they were', async () => {
  const refusal = async (wire: string) => {
    const { error } = await client.raw('sendTransaction', [wire, { encoding: 'base64' }])
    return error
  }
  const long = await sign([memo('x'.repeat(3_000))])
  expect(Buffer.from(long.wire, 'base64').length).toBeGreaterThan(3_000)
  await client.send(long.wire)
  const tooLong = await sign([memo('x'.repeat(4_000))])
  expect(await refusal(tooLong.wire)).toMatchObject({
    code: -32_602,
    message: expect.stringContaining('too large: 5576 bytes (max: encoded/raw 5464/4096)'),
  })
  const old = await client.sign(payer, [memo('x'.repeat(1_300))])
  expect(await refusal(getBase64EncodedWireTransaction(old))).toMatchObject({
    code: -32_602,
    message: expect.stringContaining('(max: 1232 bytes)'),
  })
})

test('loads nothing where it asks for no room', async () => {
  const { wire } = await sign([await solTo()], {})
  const config = { encoding: 'base64', preflightCommitment: 'confirmed' }
  const refused = await client.raw('sendTransaction', [wire, config])
  expect(refused.error).toMatchObject({
    code: -32_002,
    data: { err: 'MaxLoadedAccountsDataSizeExceeded' },
  })
})

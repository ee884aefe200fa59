import { getCreateAccountInstruction, getTransferSolInstruction } from '@solana-program/system'
import {
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstruction,
  getInitializeMint2Instruction,
  getMintSize,
  getMintToInstruction,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token'
import {
  address,
  airdropFactory,
  assertIsTransactionWithBlockhashLifetime,
  blockhash,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  isSolanaError,
  lamports,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE as PREFLIGHT,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_SIGNATURE_VERIFICATION_FAILURE as SIGNATURE_FAILURE,
  SOLANA_ERROR__TRANSACTION_ERROR__ACCOUNT_NOT_FOUND as ACCOUNT_NOT_FOUND,
  SOLANA_ERROR__TRANSACTION_ERROR__ALREADY_PROCESSED as ALREADY_PROCESSED,
  SOLANA_ERROR__TRANSACTION_ERROR__BLOCKHASH_NOT_FOUND as BLOCKHASH_NOT_FOUND,
  SOLANA_ERROR__TRANSACTION_ERROR__INSUFFICIENT_FUNDS_FOR_FEE as INSUFFICIENT_FUNDS_FOR_FEE,
} from '@solana/kit'
import type { KeyPairSigner } from '@solana/kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSandbox } from '../../../e2e/actors/sandbox.ts'
import type { SandboxHandle } from '../../../e2e/actors/sandbox.ts'
import { COMPUTE_BUDGET_PROGRAM, TOKEN_2022_PROGRAM } from './chain/program-addresses.ts'
import { testClient } from './test-client.ts'

const SOL = 1_000_000_000n
/** SetComputeUnitPrice of 2^56 - 1. */
const SET_UNIT_PRICE_MAX = Uint8Array.from([3, 255, 255, 255, 255, 255, 255, 255, 0])

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

async function confirm(
  instructions: Parameters<typeof client.sign>[1],
  commitment: 'processed' | 'confirmed' | 'finalized' = 'confirmed',
): Promise<ReturnType<typeof getSignatureFromTransaction>> {
  const signed = await client.sign(payer, instructions)
  assertIsTransactionWithBlockhashLifetime(signed)
  await client.sendAndConfirm(signed, { commitment })
  return getSignatureFromTransaction(signed)
}

describe('@solana/kit', () => {
  test('sees the sandbox, not devnet', async () => {
    const genesis = await client.rpc.getGenesisHash().send()
    expect(genesis).not.toBe('EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG')
    expect((await client.raw('florin_sandbox')).result).toEqual({
      instance: sandbox.instance,
      family: 'solana',
    })
  })

  test.each(['processed', 'confirmed', 'finalized'] as const)(
    'sends SOL and waits until it is %s',
    async (commitment) => {
      const to = await client.newKey()
      const signature = await confirm(
        [getTransferSolInstruction({ source: payer, destination: to.address, amount: SOL })],
        commitment,
      )
      expect((await client.rpc.getBalance(to.address, { commitment }).send()).value).toBe(SOL)
      const status = await client.status(signature)
      expect(status?.err).toBeNull()
      const order = ['processed', 'confirmed', 'finalized']
      expect(order.indexOf(status?.confirmationStatus ?? '')).toBeGreaterThanOrEqual(
        order.indexOf(commitment),
      )
    },
  )

  test('takes an airdrop', async () => {
    const to = await client.newKey()
    const airdrop = airdropFactory({ rpc: client.rpc, rpcSubscriptions: client.subscriptions })
    await airdrop({
      commitment: 'confirmed',
      recipientAddress: to.address,
      lamports: lamports(2n * SOL),
    })
    const { value } = await client.rpc.getBalance(to.address, { commitment: 'confirmed' }).send()
    expect(value).toBe(2n * SOL)
  })

  test('reads lamports that no double holds', async () => {
    const { value } = await client.rpc.getSupply({ excludeNonCirculatingAccountsList: true }).send()
    expect(value.total % 10n).not.toBe(0n)
    expect(value.total).toBeGreaterThan(2n ** 53n)
  })

  test('sends USDC to a token account made in the same transaction', async () => {
    const owner = (await client.newKey()).address
    const mint = address(sandbox.solana.usdc)
    const tokenProgram = TOKEN_PROGRAM_ADDRESS
    const [from] = await findAssociatedTokenPda({ owner: payer.address, mint, tokenProgram })
    const [to] = await findAssociatedTokenPda({ owner, mint, tokenProgram })
    const signature = await confirm([
      getCreateAssociatedTokenIdempotentInstruction({ payer, ata: to, owner, mint }),
      getTransferCheckedInstruction({
        source: from,
        mint,
        destination: to,
        authority: payer,
        amount: 1_234_567n,
        decimals: 6,
      }),
    ])
    const { value } = await client.rpc
      .getTokenAccountBalance(to, { commitment: 'confirmed' })
      .send()
    expect(value).toEqual({
      amount: '1234567',
      decimals: 6,
      uiAmount: 1.234567,
      uiAmountString: '1.234567',
    })
    const owned = await client.rpc
      .getTokenAccountsByOwner(owner, { mint }, { encoding: 'jsonParsed', commitment: 'confirmed' })
      .send()
    expect(owned.value).toHaveLength(1)
    expect(owned.value[0]?.account.data.parsed.info).toMatchObject({
      owner,
      mint,
      state: 'initialized',
    })
    const transaction = await client.rpc
      .getTransaction(signature, {
        commitment: 'confirmed',
        encoding: 'jsonParsed',
        maxSupportedTransactionVersion: 0,
      })
      .send()
    expect(transaction?.meta?.postTokenBalances).toContainEqual(
      expect.objectContaining({ owner, mint }),
    )
    expect(transaction?.transaction.message.instructions[1]).toMatchObject({
      program: 'spl-token',
      parsed: { type: 'transferChecked', info: { tokenAmount: { amount: '1234567' } } },
    })
  })

  test('makes a Token-2022 mint and mints', async () => {
    const mint = await client.newKey()
    const owner = (await client.newKey()).address
    const space = BigInt(getMintSize())
    const rent = await client.rpc.getMinimumBalanceForRentExemption(space).send()
    const programAddress = TOKEN_2022_PROGRAM
    const [account] = await findAssociatedTokenPda({
      owner,
      mint: mint.address,
      tokenProgram: programAddress,
    })
    await confirm([
      getCreateAccountInstruction({
        payer,
        newAccount: mint,
        lamports: rent,
        space,
        programAddress,
      }),
      getInitializeMint2Instruction(
        { mint: mint.address, decimals: 2, mintAuthority: payer.address },
        { programAddress },
      ),
      getCreateAssociatedTokenIdempotentInstruction({
        payer,
        ata: account,
        owner,
        mint: mint.address,
        tokenProgram: programAddress,
      }),
      getMintToInstruction(
        { mint: mint.address, token: account, mintAuthority: payer, amount: 150n },
        { programAddress },
      ),
    ])
    const read = { commitment: 'confirmed', encoding: 'jsonParsed' } as const
    const { value } = await client.rpc.getAccountInfo(account, read).send()
    expect(value?.data).toMatchObject({
      program: 'spl-token-2022',
      parsed: {
        type: 'account',
        info: {
          tokenAmount: { uiAmountString: '1.5' },
          extensions: [{ extension: 'immutableOwner' }],
        },
      },
    })
    const supply = await client.rpc.getTokenSupply(mint.address, { commitment: 'confirmed' }).send()
    expect(supply.value.uiAmountString).toBe('1.5')
  })

  test('gets typed errors for an unknown blockhash, a duplicate and a fee that nobody can pay', async () => {
    const to = (await client.newKey()).address
    const causeOf = async (wire: Parameters<typeof client.send>[0]): Promise<unknown> => {
      const refused: unknown = await client.send(wire).catch((error: unknown) => error)
      expect(isSolanaError(refused, PREFLIGHT)).toBe(true)
      return (refused as Error).cause
    }
    const within = await client.lifetime()
    const unknown = await client.transfer(payer, to, SOL, {
      ...within,
      blockhash: blockhash(await client.rpc.getGenesisHash().send()),
    })
    expect(isSolanaError(await causeOf(unknown.wire), BLOCKHASH_NOT_FOUND)).toBe(true)

    const once = await client.transfer(payer, to, SOL / 1_000n, within)
    await client.send(once.wire)
    expect(isSolanaError(await causeOf(once.wire), ALREADY_PROCESSED)).toBe(true)

    const poor = await client.newKey()
    await sandbox.fund(poor.address, 'native', '0.001')
    const dear = await client.sign(poor, [
      { programAddress: COMPUTE_BUDGET_PROGRAM, data: SET_UNIT_PRICE_MAX },
      getTransferSolInstruction({ source: poor, destination: to, amount: 1n }),
    ])
    const cause = await causeOf(getBase64EncodedWireTransaction(dear))
    expect(isSolanaError(cause, INSUFFICIENT_FUNDS_FOR_FEE)).toBe(true)

    const stranger = await client.transfer(await client.newKey(), to, 1n)
    expect(isSolanaError(await causeOf(stranger.wire), ACCOUNT_NOT_FOUND)).toBe(true)
  })

  test('gets a signature failure for bytes that were changed', async () => {
    const to = (await client.newKey()).address
    const { wire } = await client.transfer(payer, to, SOL)
    const bytes = Buffer.from(wire, 'base64')
    bytes[10] = (bytes[10] ?? 0) ^ 1
    const broken = bytes.toString('base64') as typeof wire
    const refused: unknown = await client.send(broken).catch((error: unknown) => error)
    expect(isSolanaError(refused, SIGNATURE_FAILURE)).toBe(true)
    // Without the rehearsal nobody looks, and it never lands.
    const signature = await client.send(broken, { skipPreflight: true })
    expect(await client.status(signature)).toBeNull()
  })
})

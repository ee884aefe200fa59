import {
  getCreateAssociatedTokenIdempotentInstruction,
  getRecoverNestedAssociatedTokenInstructionAsync,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token'
import {
  address,
  appendTransactionMessageInstructions,
  assertIsTransactionWithBlockhashLifetime,
  createNoopSigner,
  createTransactionMessage,
  getBase58Encoder,
  getBase64EncodedWireTransaction,
  partiallySignTransactionMessageWithSigners,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit'
import type { Instruction } from '@solana/kit'
import {
  AddressLookupTableProgram,
  Connection,
  Keypair,
  sendAndConfirmTransaction,
  Transaction,
} from '@solana/web3.js'
import { SettlementCache } from '@x402/svm'
import { ExactSvmScheme as ExactFacilitator } from '@x402/svm/exact/facilitator'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSandbox } from '../../../e2e/actors/sandbox.ts'
import type { SandboxHandle } from '../../../e2e/actors/sandbox.ts'
import { ASSOCIATED_TOKEN_PROGRAM } from './chain/program-addresses.ts'
import { AMOUNT, NETWORK, openX402Shop } from './test-x402.ts'

const TOKEN_ACCOUNT_BYTES = 165n
const OWNER_OFFSET = 32n

let sandbox: SandboxHandle
let shop: Awaited<ReturnType<typeof openX402Shop>>
beforeAll(async () => {
  sandbox = await startSandbox()
  shop = await openX402Shop(sandbox)
})
afterAll(async () => {
  await sandbox.stop()
})

describe('the facilitator signer of @x402/svm', () => {
  test('finds a payment that a program made among the inner instructions', async () => {
    const owner = await shop.client.newKey()
    const mint = address(sandbox.solana.usdc)
    const outer = await shop.tokenAccountOf(owner.address)
    const nested = await shop.tokenAccountOf(outer)
    await sandbox.fund(owner.address, 'USDC', '1')
    const filled = await shop.client.sign(shop.feePayer, [
      getCreateAssociatedTokenIdempotentInstruction({
        payer: shop.feePayer,
        ata: nested,
        owner: outer,
        mint,
      }),
      getTransferCheckedInstruction({
        source: await shop.tokenAccountOf(shop.buyer.address),
        mint,
        destination: nested,
        authority: shop.buyer,
        amount: AMOUNT,
        decimals: 6,
      }),
    ])
    assertIsTransactionWithBlockhashLifetime(filled)
    await shop.client.sendAndConfirm(filled, { commitment: 'confirmed' })
    // The program moves all that is there, by a call on the authority of an address without a key.
    const recovery = await getRecoverNestedAssociatedTokenInstructionAsync({
      walletAddress: owner,
      ownerTokenMintAddress: mint,
      nestedTokenMintAddress: mint,
    })
    const accepted = shop.requirements({ payTo: owner.address })
    const payment = {
      x402Version: 2,
      accepted,
      payload: { transaction: await cosigned([recovery]) },
    }
    const scheme = new ExactFacilitator(shop.facilitatorSigner(), new SettlementCache(), {
      enableSmartWalletVerification: true,
      smartWalletAllowedPrograms: [ASSOCIATED_TOKEN_PROGRAM],
    })
    expect(await scheme.verify(payment, accepted)).toMatchObject({ isValid: true, payer: outer })
    expect(await scheme.settle(payment, accepted)).toMatchObject({ success: true })
    expect(await shop.usdcOf(owner.address)).toBe(1_000_000n + AMOUNT)
  })

  test('reads accounts, slots, blockhashes and token balances', async () => {
    const signer = shop.facilitatorSigner()
    const account = await shop.tokenAccountOf(shop.seller.address)
    expect(await signer.getTokenAccountBalance?.(account, NETWORK)).toBe(
      await shop.usdcOf(shop.seller.address),
    )
    expect(await signer.getTokenAccountBalance?.(shop.feePayer.address, NETWORK)).toBeNull()
    expect(await signer.getAccountInfo?.(account, NETWORK)).toMatchObject({
      owner: TOKEN_PROGRAM_ADDRESS,
      data: [expect.any(String), 'base64'],
    })
    const none = (await shop.client.newKey()).address
    expect(await signer.getAccountInfo?.(none, NETWORK)).toBeNull()
    const latest = await signer.getLatestBlockhash?.(NETWORK)
    expect(getBase58Encoder().encode(latest?.blockhash ?? '')).toHaveLength(32)
    const height = await shop.client.rpc.getBlockHeight({ commitment: 'processed' }).send()
    expect(latest?.lastValidBlockHeight).toBeGreaterThan(height)
    expect(await signer.getSlot?.(NETWORK)).toBeGreaterThan(0n)
    const found = await signer.getProgramAccounts?.(NETWORK, TOKEN_PROGRAM_ADDRESS, {
      filters: [
        { dataSize: TOKEN_ACCOUNT_BYTES },
        { memcmp: { offset: OWNER_OFFSET, bytes: shop.seller.address, encoding: 'base58' } },
      ],
    })
    expect(found?.map(({ pubkey }) => pubkey)).toEqual([account])
  })

  test('resolves lookup tables', async () => {
    const connection = new Connection(shop.rpcUrl, 'confirmed')
    const payer = Keypair.generate()
    await sandbox.fund(payer.publicKey.toBase58())
    const authority = { payer: payer.publicKey, authority: payer.publicKey }
    const [create, lookupTable] = AddressLookupTableProgram.createLookupTable({
      ...authority,
      recentSlot: await connection.getSlot('finalized'),
    })
    const addresses = [Keypair.generate().publicKey, payer.publicKey]
    const extend = AddressLookupTableProgram.extendLookupTable({
      ...authority,
      lookupTable,
      addresses,
    })
    await sendAndConfirmTransaction(connection, new Transaction().add(create, extend), [payer])
    const table = lookupTable.toBase58()
    expect(await shop.facilitatorSigner().fetchAddressLookupTables?.([table], NETWORK)).toEqual({
      [table]: addresses.map((one) => one.toBase58()),
    })
  })
})

/** A transaction that waits for the facilitator's signature, as a smart wallet makes one. */
async function cosigned(instructions: readonly Instruction[]): Promise<string> {
  const within = await shop.client.lifetime()
  return getBase64EncodedWireTransaction(
    await partiallySignTransactionMessageWithSigners(
      pipe(
        createTransactionMessage({ version: 0 }),
        (draft) =>
          setTransactionMessageFeePayerSigner(createNoopSigner(shop.feePayer.address), draft),
        (draft) => setTransactionMessageLifetimeUsingBlockhash(within, draft),
        (draft) => appendTransactionMessageInstructions(instructions, draft),
      ),
    ),
  )
}

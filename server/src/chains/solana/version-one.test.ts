import {
  AccountRole,
  address,
  appendTransactionMessageInstructions,
  blockhash,
  createKeyPairSignerFromPrivateKeyBytes,
  createTransactionMessage,
  getTransactionEncoder,
  partiallySignTransactionMessageWithSigners,
  pipe,
  setTransactionMessageConfig,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit'
import type { Instruction } from '@solana/kit'
import { expect, test } from 'vitest'
import { inspectBytes } from './inspect.ts'
import { limit, paymentScene, price, readAlone } from './test-payment.ts'
import type { Meta, Step } from './test-payment.ts'
import { associatedAccount } from './token-account.ts'

const scene = paymentScene()

/** What a wallet signs that makes a payment as a message of version 1: all that the layout of `exact` asks for, and a priority in the message. */
async function versionOne(steps: readonly Step[], priorityFeeLamports: bigint) {
  const payer = await createKeyPairSignerFromPrivateKeyBytes(scene.payer.secret)
  const roleOf = ({ signs = false, writes = false }: Meta) =>
    signs ? AccountRole.READONLY_SIGNER : writes ? AccountRole.WRITABLE : AccountRole.READONLY
  const instructions = steps.map(({ program, accounts, data }): Instruction => ({
    programAddress: address(program),
    data,
    accounts: accounts.map((meta) => ({
      address: address(meta.address),
      role: roleOf(meta),
      ...(meta.address === scene.payer.address ? { signer: payer } : {}),
    })),
  }))
  const within = { blockhash: blockhash(scene.blockhash), lastValidBlockHeight: 1n }
  const signed = await partiallySignTransactionMessageWithSigners(
    pipe(
      createTransactionMessage({ version: 1 }),
      (draft) => setTransactionMessageFeePayer(address(scene.feePayer.address), draft),
      (draft) => setTransactionMessageLifetimeUsingBlockhash(within, draft),
      (draft) =>
        setTransactionMessageConfig(
          { priorityFeeLamports, computeUnitLimit: 20_000, loadedAccountsDataSizeLimit: 1_000_000 },
          draft,
        ),
      (draft) => appendTransactionMessageInstructions(instructions, draft),
    ),
  )
  return Uint8Array.from(getTransactionEncoder().encode(signed))
}

const steps = [limit(20_000), price(1n), scene.paying()]

test('a payment by it is refused: its fee payer would give what the message names, whatever the instructions say', async () => {
  expect(scene.said(steps)).toBe('taken')
  const bytes = await versionOne(steps, 5_000_000_000n)
  const payload = { transaction: Buffer.from(bytes).toString('base64') }
  expect(readAlone(payload, scene.demand())).toEqual({
    ok: false,
    reason: 'invalid_exact_svm_payload_transaction_could_not_be_decoded',
    payer: null,
  })
})

test('who has one looked at hears what it is', async () => {
  const tokenAccount: Parameters<typeof inspectBytes>[0]['facts']['tokenAccount'] = (owner, mint) =>
    associatedAccount(owner, mint.program, mint.address)
  const bytes = await versionOne(steps, 0n)
  expect(inspectBytes({ facts: { tokenAccount } }, bytes)).toEqual({
    ok: false,
    reason: 'it is of version 1, and only those of version 0 are read',
  })
})

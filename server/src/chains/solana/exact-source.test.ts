import { baseUnits } from '@florin/wire/amount.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Address } from '../chain.ts'
import type { ExactAuthorization } from '../exact.ts'
import { TOKEN_PROGRAM } from './programs.ts'
import { startTestChain } from './test-chain.ts'
import type { TestChain, TestWallet } from './test-chain.ts'
import { USDC } from './test-network.ts'
import { limit, messageOf, MINT, newKey, PRICE, price, sealed, transfer } from './test-payment.ts'
import type { Key } from './test-payment.ts'
import { associatedAccount } from './token-account.ts'

let world: TestChain
let owner: TestWallet
let seller: TestWallet
let settler: TestWallet
let delegate: Key
beforeAll(async () => {
  world = await startTestChain()
  owner = await world.wallet(['native', '1'], ['USDC', '10'])
  seller = await world.wallet(['USDC', '1'])
  settler = await world.wallet(['native', '2'])
  delegate = newKey()
})
afterAll(async () => {
  await world.sandbox.stop()
})

const accountOf = (of: Address) => associatedAccount(of, TOKEN_PROGRAM, MINT).address

/** The owner lets the delegate move so many base units. */
async function approve(amount: bigint): Promise<void> {
  const data = Buffer.alloc(9)
  data.writeUInt8(4)
  data.writeBigUInt64LE(amount, 1)
  const accounts = [
    { address: accountOf(owner.address), isSigner: false, isWritable: true },
    { address: delegate.address, isSigner: false, isWritable: false },
    { address: owner.address, isSigner: true, isWritable: false },
  ]
  await world.run(owner, [{ program: TOKEN_PROGRAM, accounts, data }])
}

/** A payment that the delegate signs, out of the owner's account. */
async function byDelegate(): Promise<ExactAuthorization> {
  const { accounts, ...moving } = transfer({ from: delegate.address, to: seller.address })
  const [, ...others] = accounts
  const source = { address: accountOf(owner.address), writes: true }
  const blockhash = await world.latestBlockhash()
  const steps = [limit(30_000), price(1n), { ...moving, accounts: [source, ...others] }]
  const message = messageOf(settler.address, steps, { blockhash })
  const transaction = Buffer.from(sealed(message, [delegate])).toString('base64')
  const read = world.chain.exact?.read(
    { transaction },
    {
      asset: USDC,
      payTo: seller.address,
      amount: baseUnits(PRICE),
      extra: { feePayer: settler.address },
      settlers: new Set([settler.address]),
    },
  )
  if (read?.ok !== true) throw new Error(read?.reason)
  return read.authorization
}

test('a payment out of an account that its payer does not own is refused: nobody here could tell its effect', async () => {
  await approve(PRICE)
  const authorization = await byDelegate()
  const refusal = {
    ok: false,
    reason: 'invalid_exact_svm_transaction_simulation_failed',
    message: 'The payer does not own the account that it pays from.',
  }
  expect(await world.chain.exact?.check(authorization)).toEqual(refusal)
  expect(await world.chain.exact?.draft(authorization, settler.address)).toEqual(refusal)
})

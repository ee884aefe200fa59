import { baseUnits } from '@florin/wire/amount.ts'
import { expect, test } from 'vitest'
import { readPaymentTerms } from './payment-terms.ts'
import { TOKEN_PROGRAM } from './programs.ts'
import { NETWORK, USDC } from './test-network.ts'
import { limit, messageOf, newKey, PRICE, price, sealed, transfer } from './test-payment.ts'
import { account, chainWith, HASH, MINT, nodeWith, tokenAccount, WORLD } from './test-scene.ts'
import { associatedAccount } from './token-account.ts'

const BLOCKHASH_BLOCKS = 150n

/** When a payment's bytes count as over, where its simulation is of one slot and the newest blockhash of another. */
async function draftedAt(slots: { readonly simulated: number; readonly newest: number }) {
  const [payer, seller, settler] = [newKey(), newKey(), newKey()]
  const accountOf = (key: typeof payer) =>
    associatedAccount(key.address, TOKEN_PROGRAM, MINT).address
  const accounts = {
    ...WORLD,
    [settler.address]: account({}),
    [accountOf(payer)]: tokenAccount(payer.address),
    [accountOf(seller)]: tokenAccount(seller.address),
  }
  const lines = nodeWith(accounts, {
    simulateTransaction: {
      context: { slot: slots.simulated },
      value: { err: null, logs: [], unitsConsumed: 2_000 },
    },
    getLatestBlockhash: {
      context: { slot: slots.newest },
      // No slot of this chain is empty: heights are slots.
      value: { blockhash: HASH, lastValidBlockHeight: slots.newest + Number(BLOCKHASH_BLOCKS) },
    },
  })
  const { exact, renewal } = (await chainWith(lines)).chain
  const moving = transfer({ from: payer.address, to: seller.address })
  const message = messageOf(settler.address, [limit(30_000), price(1n), moving], {
    blockhash: HASH,
  })
  const read = exact?.read(
    { transaction: Buffer.from(sealed(message, [payer])).toString('base64') },
    {
      asset: USDC,
      payTo: seller.address,
      amount: baseUnits(PRICE),
      extra: { feePayer: settler.address },
      settlers: new Set([settler.address]),
    },
  )
  if (read?.ok !== true) throw new Error(read?.reason)
  const drafted = await exact?.draft(read.authorization, settler.address)
  if (drafted?.ok !== true) throw new Error(drafted?.reason)
  return { terms: drafted.draft.terms, renewal }
}

async function endOf(slots: Parameters<typeof draftedAt>[0]): Promise<bigint> {
  const { terms } = await draftedAt(slots)
  return readPaymentTerms(terms, NETWORK ?? '').lastValidBlockHeight
}

test('a payment is over when the newest blockhash of its node is', async () => {
  expect(await endOf({ simulated: 500, newest: 500 })).toBe(500n + BLOCKHASH_BLOCKS)
  expect(await endOf({ simulated: 499, newest: 500 })).toBe(500n + BLOCKHASH_BLOCKS)
})

test('a payment is not over before what was valid where it was simulated, though another node told the end', async () => {
  // Its blockhash may be that of slot 500, which the machine that told the newest one did not know yet.
  expect(await endOf({ simulated: 500, newest: 400 })).toBeGreaterThanOrEqual(
    500n + BLOCKHASH_BLOCKS,
  )
})

test('a payment tells after which block it was made', async () => {
  const { terms, renewal } = await draftedAt({ simulated: 500, newest: 500 })
  expect(renewal.kind === 'lifetime' && renewal.madeAfter?.(terms)).toBe(HASH)
})

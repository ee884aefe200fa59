import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { keccak256, serializeTransaction, toHex } from 'viem'
import type { TransactionSerializableEIP1559 } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import type { Built } from '../../self-custody.ts'
import type { TradedToken } from '../../venue.ts'
import { requireAddress } from '../account.ts'
import { transactionHashFrom } from '../answer.ts'
import { ETHER, startTestChain } from '../test-chain.ts'
import type { TestChain } from '../test-chain.ts'
import { openTestMarket } from './test-market.ts'
import type { TestMarket } from './test-market.ts'

const COMMITMENT = '07'.repeat(32)
let scene: TestChain
let market: TestMarket
let token: TradedToken

beforeAll(async () => {
  scene = await startTestChain()
  const [first] = scene.sandbox.tokens
  if (first === undefined) throw new Error('nothing is traded here')
  token = { ...first, mint: requireAddress(first.mint) }
  market = openTestMarket(scene, 'uniswap-v2', token)
})
afterAll(async () => {
  await scene.sandbox.stop()
})

const account = privateKeyToAccount(generatePrivateKey())
const wallet = requireAddress(account.address)

/** What a wallet of somebody else does with the bytes. */
async function signElsewhere({ unsigned, transaction }: Built): Promise<Uint8Array> {
  if (unsigned === null) throw new Error('no fields')
  const { to, value, data, nonce, gas, maxFeePerGas, maxPriorityFeePerGas, chainId } = unsigned
  const fields: TransactionSerializableEIP1559 = {
    ...{ type: 'eip1559', to: `0x${to.slice(2)}`, data: `0x${data.slice(2)}` },
    ...{ value, gas, maxFeePerGas, maxPriorityFeePerGas },
    ...{ nonce: Number(nonce), chainId: Number(chainId) },
  }
  expect(serializeTransaction(fields)).toBe(toHex(transaction))
  return Buffer.from((await account.signTransaction(fields)).slice(2), 'hex')
}

async function sighted(raw: Uint8Array) {
  await scene.chain.broadcast([raw])
  const hash = transactionHashFrom(keccak256(raw), 'hash')
  const { height } = await market.mined(hash)
  const seen = await scene.chain.selfCustody?.sightings(
    await scene.chain.blocks(height, 1),
    async ({ senders }) =>
      await Promise.resolve({ senders: new Set(senders), commitments: new Set<string>() }),
  )
  return seen?.find(({ transactionHash }) => transactionHash === hash)
}

describe('a swap for a wallet of others', () => {
  test('is signed by a stock client, says what it does, lands, and is told by what goes in', async () => {
    await scene.sandbox.fund(wallet, 'native', '5')
    const quote = await market.quoted('buy', ETHER)
    const order = market.order(wallet, quote)
    const prepared = await market.venue.prepare(order)
    if (!prepared.ok) throw new Error(prepared.refusal)
    expect(prepared.allowance).toBeNull()
    expect(prepared.counterparty).toBe(scene.sandbox.market.router)
    const built = prepared.preparation.build([])
    const { transfers, commitments, others } = built.summary
    expect(transfers).toEqual([
      { asset: 'native', from: wallet, to: scene.sandbox.market.router, amount: ETHER },
    ])
    expect(commitments).toEqual([COMMITMENT])
    expect(others).toHaveLength(1)
    expect(others[0]).toContain(`buys at least ${order.minimumOut} base units of ${token.mint}`)
    expect(others[0]).toContain(wallet)
    const seen = await sighted(await signElsewhere(built))
    expect(seen).toMatchObject({ succeeded: true, isPlain: true, commitments: [COMMITMENT] })
    expect(seen?.transfers).toContainEqual(
      expect.objectContaining({ asset: 'native', amount: ETHER, to: prepared.counterparty }),
    )
    const came = seen?.transfers.find(({ asset, to }) => asset === token.mint && to === wallet)
    expect(came?.amount).toBe(quote.amountOut)
  })

  test('takes the place behind its allowance, which lets the router take exactly the amount', async () => {
    await scene.sandbox.fund(wallet, 'native', '5')
    const amount = (await market.quoted('buy', ETHER / 10n)).amountOut
    const buying = await market.venue.prepare(
      market.order(wallet, await market.quoted('buy', ETHER)),
    )
    if (!buying.ok) throw new Error(buying.refusal)
    await sighted(await signElsewhere(buying.preparation.build([])))

    const quote = await market.quoted('sell', amount)
    const prepared = await market.venue.prepare(market.order(wallet, quote))
    if (!prepared.ok || prepared.allowance === null) throw new Error('an allowance was needed')
    const allowance = prepared.allowance.build([])
    const swap = prepared.preparation.build([allowance.nonce ?? 0n])
    expect(swap.nonce).toBe((allowance.nonce ?? 0n) + 1n)
    expect(allowance.summary.others).toEqual([
      `lets ${scene.sandbox.market.router}, the router of uniswap-v2, take ${amount} base units of ${token.mint}`,
    ])
    expect(swap.summary.others[0]).toContain(`sells ${amount} base units of ${token.mint}`)
    await scene.chain.broadcast([await signElsewhere(allowance)])
    const seen = await sighted(await signElsewhere(swap))
    expect(seen).toMatchObject({ succeeded: true, isPlain: true })
    expect(seen?.transfers).toContainEqual(
      expect.objectContaining({
        ...{ asset: token.mint, from: wallet, to: prepared.counterparty, amount },
      }),
    )
  })

  test('of which a byte was changed is not said to be one', async () => {
    const quote = await market.quoted('buy', ETHER)
    const prepared = await market.venue.prepare(market.order(wallet, quote))
    if (!prepared.ok) throw new Error(prepared.refusal)
    const { transaction } = prepared.preparation.build([])
    const text = Buffer.from(transaction).toString('hex').replace('b6f9de95', 'b6f9de96')
    const read = scene.chain.selfCustody?.inspect(Buffer.from(text, 'hex'))
    expect(read).toMatchObject({ ok: true })
    if (read?.ok === true) expect(read.summary.others[0]).toContain('not known here')
  })
})

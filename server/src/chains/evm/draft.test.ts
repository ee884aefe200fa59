import { baseUnits } from '@florin/wire/amount.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../kernel/until.ts'
import type { Address, Outcome, SignedTransaction } from '../chain.ts'
import { ZERO_ADDRESS, addressFromBytes } from './account.ts'
import { MULTICALL } from './multicall.ts'
import { readTerms } from './terms.ts'
import { COMMITMENT, ETHER, order, startTestChain } from './test-chain.ts'
import type { TestChain } from './test-chain.ts'
import { NATIVE, USDC } from './test-network.ts'
import { COMMITMENT_TAG } from './transfer.ts'

const CHAIN_ID = 84_532n
const ANYBODY = addressFromBytes(new Uint8Array(20).fill(0x99))
const TAIL = Buffer.concat([COMMITMENT_TAG, COMMITMENT]).toString('hex')
/** Runtime code: reverts when it is called with data; reverts always; burns all gas when called with data. */
const REFUSES_DATA = '0x36156008575f5ffd5b00'
const REFUSES_ALL = '0x5f5ffd'
const BURNS_ON_DATA = '0x3615600657fe5b00'

let world: TestChain
beforeAll(async () => {
  world = await startTestChain()
})
afterAll(async () => {
  await world.sandbox.stop()
})

async function mined({ hash }: SignedTransaction): Promise<Extract<Outcome, { state: 'mined' }>> {
  return until(
    'the transaction is mined',
    async () => {
      const [outcome] = await world.chain.outcomes([hash])
      return outcome?.state === 'mined' ? outcome : undefined
    },
    { seconds: 30 },
  )
}

async function dataOf({ hash }: SignedTransaction): Promise<string> {
  return String(Object(await world.rpc('eth_getTransactionByHash', hash))['input'])
}

describe('a draft', () => {
  test('of a native transfer takes one round trip, exact gas, and carries the commitment', async () => {
    const sender = await world.wallet(['native', '2'])
    const recipient = await world.wallet()
    await world.chain.head()
    world.requests()
    const drafted = await world.draft(order(sender, recipient.address, ETHER))
    expect(world.requests()).toBe(1)
    expect(drafted).toMatchObject({ carriesCommitment: true, laneLatest: 0n })
    expect(drafted.balances).toMatchObject({ native: 2n * ETHER, asset: 2n * ETHER })
    const { gas, fees } = readTerms(drafted.terms, CHAIN_ID)
    expect(gas).toBe(21_000n + 36n * 40n)
    expect(drafted.feeCeiling).toBe(gas * fees.maxFeePerGas * 4n)

    const transaction = await world.chain.sign(drafted.terms, 0n, sender.signer)
    expect(await world.chain.broadcast([transaction.raw])).toEqual([{ kind: 'accepted' }])
    const outcome = await mined(transaction)
    expect(outcome).toMatchObject({ succeeded: true, transfers: [] })
    expect(outcome.feePaid).toBeLessThanOrEqual(drafted.feeCeiling)
    expect(await dataOf(transaction)).toBe(`0x${TAIL}`)
    expect(await world.balanceOf(recipient.address)).toBe(ETHER)
    expect(await world.balanceOf(sender.address)).toBe(ETHER - outcome.feePaid)
  })

  test('of a token transfer carries the commitment after the arguments, and the log shows it', async () => {
    const sender = await world.wallet(['native', '1'], ['USDC', '50'])
    const recipient = await world.wallet()
    const drafted = await world.draft(order(sender, recipient.address, 1_500_000n, USDC))
    expect(drafted.balances.asset).toBe(50_000_000n)
    const transaction = await world.chain.sign(drafted.terms, 0n, sender.signer)
    await world.chain.broadcast([transaction.raw])
    const outcome = await mined(transaction)
    expect(outcome.transfers).toMatchObject([
      { asset: USDC.asset, from: sender.address, to: recipient.address, amount: 1_500_000n },
    ])
    expect(await dataOf(transaction)).toMatch(new RegExp(`${TAIL}$`))
    const { amounts } = await world.chain.balances(recipient.address, [USDC, NATIVE])
    expect(amounts).toEqual([1_500_000n, 0n])
  })

  test('carries none for a token that does not take it', async () => {
    const sender = await world.wallet(['native', '1'], ['USDC', '50'])
    const strict = { ...USDC, takesCommitment: false }
    const drafted = await world.draft(order(sender, ANYBODY, 1n, strict))
    expect(drafted.carriesCommitment).toBe(false)
    expect(readTerms(drafted.terms, CHAIN_ID).call.data).toHaveLength(68)
  })

  test.each([
    ['reverts', REFUSES_DATA],
    ['burns all gas', BURNS_ON_DATA],
  ])('carries none to code that %s on call data, and says so', async (_, code) => {
    const sender = await world.wallet(['native', '2'])
    const recipient = await world.contract(code)
    world.requests()
    const drafted = await world.draft(order(sender, recipient, ETHER))
    expect(world.requests()).toBe(2)
    expect(drafted.carriesCommitment).toBe(false)
    const transaction = await world.chain.sign(drafted.terms, 0n, sender.signer)
    await world.chain.broadcast([transaction.raw])
    expect(await mined(transaction)).toMatchObject({ succeeded: true })
    expect(await world.balanceOf(recipient)).toBe(ETHER)
  })

  test('is refused for a recipient that takes nothing, and for nobody and the tokens themselves', async () => {
    const sender = await world.wallet(['native', '2'], ['USDC', '5'])
    const refusal = async (to: Address, asset = NATIVE): Promise<unknown> =>
      world.chain.draft(order(sender, to, 1n, asset))
    const token = world.chain.parseAddress(USDC.asset) ?? ZERO_ADDRESS
    const multicall = world.chain.parseAddress(MULTICALL) ?? ZERO_ADDRESS
    expect(await refusal(await world.contract(REFUSES_ALL))).toEqual({
      ok: false,
      refusal: 'recipient_refuses',
    })
    expect(await refusal(ZERO_ADDRESS)).toEqual({ ok: false, refusal: 'recipient_is_zero' })
    expect(await refusal(token, USDC)).toEqual({ ok: false, refusal: 'recipient_is_asset' })
    expect(await refusal(token)).toEqual({ ok: false, refusal: 'recipient_is_asset' })
    expect(await refusal(multicall)).toEqual({ ok: false, refusal: 'recipient_is_asset' })
  })

  test('is made even when the balance is short, so that the caller can say what is missing', async () => {
    const poor = await world.wallet()
    const native = await world.draft(order(poor, ANYBODY, ETHER))
    const { gas, fees } = readTerms(native.terms, CHAIN_ID)
    expect(native.priorityFee).toBe(gas * fees.maxPriorityFeePerGas)
    expect(native.balances).toMatchObject({ native: 0n, asset: 0n })
    expect(native.feeCeiling).toBeGreaterThan(0n)
    expect(readTerms(native.terms, CHAIN_ID).gas).toBe(21_000n + 36n * 40n)
    const token = await world.draft(order(poor, ANYBODY, 1_000_000n, USDC))
    expect(token.balances).toMatchObject({ native: 0n, asset: 0n })
    const gasless = await world.wallet(['USDC', '5'])
    const drafted = await world.draft(order(gasless, ANYBODY, 1_000_000n, USDC))
    expect(drafted.balances).toMatchObject({ native: 0n, asset: 5_000_000n })
  })

  test('with a priority fee pays it, and never more', async () => {
    const sender = await world.wallet(['native', '2'])
    const priorityFee = baseUnits(10n ** 15n)
    const drafted = await world.draft({ ...order(sender, ANYBODY, 1n), priorityFee })
    const { gas, fees } = readTerms(drafted.terms, CHAIN_ID)
    expect(fees.maxPriorityFeePerGas).toBe(priorityFee / gas)
    const transaction = await world.chain.sign(drafted.terms, 0n, sender.signer)
    await world.chain.broadcast([transaction.raw])
    const { feePaid, height } = await mined(transaction)
    const block = Object(await world.rpc('eth_getBlockByNumber', `0x${height.toString(16)}`, false))
    const tip = feePaid - gas * BigInt(block['baseFeePerGas'])
    expect(tip).toBe((priorityFee / gas) * gas)
    expect(tip).toBeLessThanOrEqual(priorityFee)
  })

  test('of many orders at once shares few round trips', async () => {
    const sender = await world.wallet(['native', '2'])
    world.requests()
    await Promise.all(
      Array.from({ length: 64 }, (_, index) =>
        world.draft(order(sender, ANYBODY, BigInt(index + 1))),
      ),
    )
    expect(world.requests()).toBe(1)
  })
})

import { randomBytes } from 'node:crypto'
import { getAddress } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testPayer } from '@florin/server/chains/evm/test-payer.ts'
import type { Address } from '@florin/server/chains/chain.ts'
import { codeOf } from './actors/client.ts'
import type { Reply } from './actors/client.ts'
import { deployHostileTokens } from './actors/hostile-token.ts'
import type { HostileToken, Trick } from './actors/hostile-token.ts'
import { encoded, receive } from './actors/receiver.ts'
import { EVM, PRICE } from './actors/seller.ts'
import type { World } from './actors/world.ts'
import { openWorld } from './actors/world.ts'

let world: World
let tokens: readonly HostileToken[]
beforeAll(async () => {
  // What a silent token leaves open stays open for longer than a test may wait.
  world = await openWorld({ unsound: true })
  tokens = await deployHostileTokens(world, (trick) => ({
    to: payer.address,
    amount: trick === 'lies about balances' ? 1n : 10n * PRICE,
  }))
}, 240_000)
afterAll(() => world.stop(), 240_000)

/** It has more than the price of every token, but of the one that only says so. */
const payer = testPayer()

/** It pays a new address, and the seller asks for the success twice. */
async function sell(token: HostileToken) {
  const payTo = getAddress(`0x${randomBytes(20).toString('hex')}`) as string as Address
  const { asset } = token
  const payload = await payer.authorize({ asset, to: payTo, amount: PRICE })
  const accepted = {
    ...{ scheme: 'exact', network: EVM, asset: asset.asset, amount: `${PRICE}`, payTo },
    ...{ maxTimeoutSeconds: 60, extra: asset.domain },
  }
  const ask = () =>
    receive(world.client(), {
      walletAddress: payTo,
      paymentProof: encoded({ x402Version: 2, accepted, payload }),
      expectedAmount: 0.01,
      timeout: 4,
    })
  const first = await ask()
  const received = await token.balanceOf(payTo)
  return { first, again: await ask(), received, later: await token.balanceOf(payTo) }
}

const verdict = (reply: Reply) =>
  reply.status === 200 ? '200' : `${reply.status} ${String(codeOf(reply))}`
/** What may be said of the first call: only a token that moved the money gives a success. */
const SAID: Record<Trick, readonly string[]> = {
  none: ['200'],
  'moves twice': ['200'],
  forgets: ['200'],
  refuses: ['400 PAYMENT_VERIFICATION_FAILED', '503 SETTLEMENT_PENDING'],
  'burns gas': ['400 PAYMENT_VERIFICATION_FAILED', '503 SETTLEMENT_PENDING'],
  'lies about balances': ['400 PAYMENT_VERIFICATION_FAILED'],
  'keeps a part': ['400 INVALID_PAYMENT_PROOF', '503 SETTLEMENT_PENDING'],
  silent: ['400 INVALID_PAYMENT_PROOF', '503 SETTLEMENT_PENDING'],
  'pays another': ['400 INVALID_PAYMENT_PROOF', '503 SETTLEMENT_PENDING'],
  'logs another amount': ['400 INVALID_PAYMENT_PROOF', '503 SETTLEMENT_PENDING'],
}

test('a token that is not listed is refused before anything is asked', async () => {
  for (const token of tokens) {
    const { first } = await sell(token)
    expect(verdict(first)).toBe('400 UNSUPPORTED_ASSET')
  }
})

test(
  'a listed token that behaves in every simulation and not on chain gives no success for what it did not move, and none twice',
  { timeout: 240_000 },
  async () => {
    const native = { symbol: 'ETH', asset: 'native', decimals: 18, takesCommitment: true }
    const assets = [native, ...tokens.map(({ asset }) => asset)]
    const service = await world.start({ network: { assets } })
    const gas = async () => {
      const balances = service.settlers
        .filter(({ family }) => family === 'evm')
        .map(({ address }) => world.balanceOf(address))
      return (await Promise.all(balances)).reduce((sum, each) => sum + each, 0n)
    }
    const before = await gas()
    const sold = await Promise.all(
      tokens.map(async (token) => ({ trick: token.trick, ...(await sell(token)) })),
    )
    for (const { trick, first, again, received, later } of sold) {
      expect(SAID[trick], trick).toContain(verdict(first))
      expect(verdict(again), trick).not.toBe('200')
      if (first.status === 200) expect(received, trick).toBeGreaterThanOrEqual(PRICE)
      expect(later, trick).toBe(received)
    }
    // Nothing that a token does costs more than the limit of a settlement's gas, twenty times 300,000 at 100 gwei.
    expect(before - (await gas())).toBeLessThan(20n * 300_000n * 100_000_000_000n)
  },
)

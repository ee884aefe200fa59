import {
  createKeyPairFromPrivateKeyBytes,
  getBase58Decoder,
  getTransactionDecoder,
  getTransactionEncoder,
  partiallySignTransaction,
} from '@solana/kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Address, TransactionHash } from '../../chain.ts'
import type { Quote, SwapOrder } from '../../venue.ts'
import { addressOfPrivateKey } from '../ed25519.ts'
import { SOL, startTestChain } from '../test-chain.ts'
import type { TestChain, TestWallet } from '../test-chain.ts'
import { USDC } from '../test-network.ts'
import { openTrader } from './test-trader.ts'
import type { Trader } from './test-trader.ts'

let world: TestChain
let trader: Trader
beforeAll(async () => {
  world = await startTestChain()
  trader = openTrader(world)
})
afterAll(async () => {
  await world.sandbox.stop()
})

async function held(address: Address, asset: string): Promise<bigint> {
  const profile = { symbol: 'T', asset, decimals: 0, takesCommitment: true }
  if (asset === 'native') {
    return (await world.chain.balances(address, [{ ...profile, decimals: 9 }])).amounts[0] ?? 0n
  }
  const { tokens } = (await world.chain.tokens?.holdings(address, [])) ?? { tokens: [] }
  return tokens.find(({ mint }) => mint === asset)?.amount ?? 0n
}

const refusalOf = async (order: SwapOrder): Promise<string> => {
  const outcome = await trader.venue.draft(order)
  return outcome.ok ? 'none' : outcome.refusal
}

describe('a swap with the maker', () => {
  test.each(['ACORN', 'CEDAR'])(
    'of %s, there and back, is exact to the base unit',
    async (name) => {
      const wallet = await world.wallet(['native', '20'])
      const { mint } = trader.token(name)
      const before = await held(wallet.address, 'native')
      const buy = await trader.trade(wallet, await trader.quoted('buy', name, SOL))
      const bought = await held(wallet.address, mint)
      expect(bought).toBeGreaterThan(0n)
      expect(buy.received).toBe(bought)
      const between = await held(wallet.address, 'native')
      expect(before - between).toBe(SOL + buy.mined.feePaid)
      expect(buy.mined.feePaid).toBeLessThanOrEqual(buy.draft.feeCeiling)
      expect(buy.draft.carriesCommitment).toBe(true)

      const sell = await trader.trade(wallet, await trader.quoted('sell', name, bought))
      expect(await held(wallet.address, mint)).toBe(0n)
      const gained = (await held(wallet.address, 'native')) - between
      expect(gained).toBe((sell.received ?? 0n) - sell.mined.feePaid)
      // Two fees of 0.3 percent, and rounding against the taker.
      expect(sell.received).toBeLessThan(SOL)
      expect(sell.received).toBeGreaterThan((SOL * 99n) / 100n)
      expect(sell.mined.feePaid).toBeLessThanOrEqual(sell.draft.feeCeiling)
    },
  )

  test('says what it received by its transfers, too, where nobody tells of balances', async () => {
    const wallet = await world.wallet(['native', '20'])
    const quote = await trader.quoted('buy', 'ACORN', SOL)
    const { mined, received } = await trader.trade(wallet, quote)
    const { transfers } = mined
    const swap = { wallet: wallet.address, quote, transfers, senderChanges: undefined }
    expect(trader.venue.received(swap)).toBe(received)
    expect(trader.venue.received({ ...swap, transfers: [] })).toBeNull()
  })

  test('is not renewed: only the maker could sign it anew', async () => {
    const wallet = await world.wallet(['native', '20'])
    const outcome = await trader.venue.draft(
      trader.order(wallet, await trader.quoted('buy', 'ACORN', SOL)),
    )
    const { renewal } = world.chain
    if (!outcome.ok || renewal.kind !== 'lifetime') throw new Error('drafted, and with a lifetime')
    expect(renewal.isRenewable?.(outcome.draft.terms)).toBe(false)
    const head = await world.chain.head()
    expect(renewal.lifetimeOf(outcome.draft.terms)).toBeLessThan(head.height + 200n)
  })
})

describe('a swap for somebody else to sign', () => {
  test.each(['buy', 'sell'] as const)('lands as a stock client signs it: %s', async (side) => {
    const secret = crypto.getRandomValues(new Uint8Array(32))
    const address = addressOfPrivateKey(secret)
    await world.sandbox.fund(address, 'native', '20')
    await world.sandbox.fund(address, 'USDC', '1000')
    const wallet: TestWallet = { address, signer: { address, sign: () => Promise.reject(secret) } }
    const token = { mint: USDC.asset as Address, decimals: 6, symbol: 'USDC' }
    const amountIn = side === 'buy' ? SOL : 100_000_000n
    const quoted = await trader.venue.quote({ side, token, amountIn })
    if (!quoted.ok) throw new Error(quoted.refusal)
    const order = trader.order(wallet, quoted.quote)
    const outcome = await trader.venue.prepare(order)
    if (!outcome.ok) throw new Error(outcome.refusal)
    const built = outcome.preparation.build([])
    const native = { asset: 'native', from: address, to: trader.maker, amount: SOL }
    const gone = side === 'buy' ? native : { ...native, asset: token.mint, amount: amountIn }
    expect(built).toMatchObject({
      format: 'solana-v0',
      expiryEnforcedByChain: true,
      summary: {
        feePayer: address,
        others: [],
        commitments: [Buffer.from(order.commitment).toString('hex')],
      },
    })
    expect(built.summary.transfers).toHaveLength(2)
    expect(built.summary.transfers).toContainEqual(gone)
    expect(outcome.counterparty).toBe(trader.maker)

    const keys = await createKeyPairFromPrivateKeyBytes(secret)
    const unsigned = getTransactionDecoder().decode(built.transaction)
    const signed = await partiallySignTransaction([keys], unsigned)
    const before = await held(address, side === 'buy' ? token.mint : 'native')
    await world.chain.broadcast([Uint8Array.from(getTransactionEncoder().encode(signed))])
    const [signature] = Object.values(signed.signatures)
    const hash = getBase58Decoder().decode(signature ?? new Uint8Array()) as TransactionHash
    const mined = await world.mined(hash)
    expect(mined.succeeded).toBe(true)
    const gained = (await held(address, side === 'buy' ? token.mint : 'native')) - before
    expect(gained).toBe(quoted.quote.amountOut - (side === 'buy' ? 0n : mined.feePaid))
    expect(mined.feePaid).toBeLessThanOrEqual(built.fee.max)
  })

  test('is built for a wallet that has nothing yet, and refused by the chain alone', async () => {
    const wallet = await world.wallet()
    const order = trader.order(wallet, await trader.quoted('buy', 'ACORN', SOL))
    const outcome = await trader.venue.prepare(order)
    expect(outcome).toMatchObject({
      ok: true,
      preparation: { balances: { native: 0n, asset: 0n } },
    })
  })

  test('whose bytes the taker changes is not the maker’s any more', async () => {
    const wallet = await world.wallet(['native', '20'])
    const order = trader.order(wallet, await trader.quoted('buy', 'ACORN', SOL))
    const outcome = await trader.venue.prepare(order)
    if (!outcome.ok) throw new Error(outcome.refusal)
    const { transaction } = outcome.preparation.build([])
    const at = Buffer.from(transaction).indexOf(lamportBytes(SOL))
    const cheaper = Buffer.from(transaction)
    cheaper.writeBigUInt64LE(1n, at)
    expect(at).toBeGreaterThan(0)
    expect(world.chain.selfCustody?.inspect(cheaper)).toMatchObject({ ok: false })
  })
})

const lamportBytes = (amount: bigint): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(amount)
  return bytes
}

describe('a swap is refused before anybody signs', () => {
  test('where the wallet has not what goes in, or not what the network takes', async () => {
    const poor = await world.wallet(['native', '1'])
    expect(await refusalOf(trader.order(poor, await trader.quoted('buy', 'ACORN', SOL)))).toBe(
      'insufficient_funds',
    )
    expect(await refusalOf(trader.order(poor, await trader.quoted('sell', 'ACORN', 1_000n)))).toBe(
      'insufficient_funds',
    )
  })

  test('where the price moved beyond the minimum since the quote', async () => {
    const [first, second] = [
      await world.wallet(['native', '20']),
      await world.wallet(['native', '20']),
    ]
    const quote = await trader.quoted('buy', 'BRIAR', SOL)
    await trader.trade(second, await trader.quoted('buy', 'BRIAR', SOL))
    expect(await refusalOf(trader.order(first, quote))).toBe('less_than_quoted')
    const change = { minimumOut: (quote.amountOut * 9n) / 10n }
    const outcome = await trader.venue.draft(trader.order(first, quote, change))
    expect(outcome.ok).toBe(true)
  })

  test('where nobody trades the token, or not so much of it', async () => {
    const wallet = await world.wallet(['native', '1'])
    const token = { ...trader.token('ACORN'), mint: wallet.address }
    const order = { side: 'buy', token, amountIn: SOL } as const
    expect(await trader.venue.quote(order)).toEqual({ ok: false, refusal: 'no_market' })
    const much = { side: 'buy', token: trader.token('BRIAR'), amountIn: 100n * SOL } as const
    expect(await trader.venue.quote(much)).toEqual({ ok: false, refusal: 'insufficient_liquidity' })
    const dust = { side: 'sell', token: trader.token('BRIAR'), amountIn: 1n } as const
    expect(await trader.venue.quote(dust)).toEqual({ ok: false, refusal: 'insufficient_liquidity' })
    const quote: Quote = await trader.quoted('buy', 'ACORN', SOL)
    const strange = { ...quote, route: { maker: wallet.address } }
    expect(await refusalOf(trader.order(wallet, strange))).toBe('no_market')
  })
})

import { describe, expect, test } from 'vitest'
import { knownAddress } from '../../server/src/chains/solana/account.ts'
import type { Address } from '../../server/src/chains/chain.ts'
import { MODULE_TOOLS } from '../../server/src/chains/solana/markets/open-module.ts'
import { wallet } from '../../server/src/chains/solana/test-scene.ts'
import { COIN, SETTINGS, WALLET, curveOf, kept, orderOf, pump, vectors } from './test-vectors.ts'
import { venue } from './venue.ts'

const [BUY, , , SALE] = vectors.cases
if (BUY === undefined || SALE === undefined) throw new Error('no vectors')
const COMPLETE_AT = 48
const MAYHEM_AT = 81
const QUOTE_MINT_AT = 83

describe('beside the published package', () => {
  test.each(vectors.cases.map((each) => [each.side, each.amountIn, each] as const))(
    'a %s of %s is the same instruction, and no better a quote',
    (side, _, recorded) => {
      const { published, curve } = recorded
      const order = orderOf(recorded)
      const accounts = [kept(curve), ...SETTINGS]
      const built = pump.trade(
        { ...order, wallet: WALLET, minimumOut: BigInt(published.minimumOut) },
        accounts,
      )
      expect(built.program).toBe(published.program)
      expect(Buffer.from(built.data).toString('base64')).toBe(published.data)
      const signing = built.accounts.map((each) => ({
        ...each,
        isSigner: each.address === WALLET,
      }))
      expect(signing).toEqual(published.accounts)
      const quote = pump.quote(order, accounts)
      const more = BigInt(published.amountOut) - (quote.ok ? quote.amountOut : 0n)
      // The program's own words round a buy down by two lamports at most more than the package does.
      const spare = side === 'buy' ? (BigInt(published.amountOut) * 3n) / order.amountIn + 3n : 0n
      expect(more).toBeGreaterThanOrEqual(0n)
      expect(more).toBeLessThanOrEqual(spare)
    },
  )

  test('the same accounts are asked for', () => {
    const { curve, global, feeConfig, userVolume } = vectors.addresses
    const mint = { address: COIN, program: orderOf(BUY).mint.program }
    expect(pump.accounts(mint)).toEqual([curve, global, feeConfig])
    expect(pump.opens(WALLET)).toEqual([{ address: userVolume, bytes: 137 }])
  })
})

describe('a coin', () => {
  const quoted = (
    side: 'buy' | 'sell',
    change: Readonly<Record<number, number>>,
    amountIn = 1_000_000n,
  ) => pump.quote({ ...orderOf(BUY), side, amountIn }, [curveOf(2, change), ...SETTINGS])

  test('whose curve is complete is not traded here', () => {
    const none = { ok: false, refusal: 'insufficient_liquidity' }
    expect(quoted('buy', { [COMPLETE_AT]: 1 })).toEqual(none)
    expect(quoted('sell', { [COMPLETE_AT]: 1 })).toEqual(none)
    expect(quoted('buy', {})).toMatchObject({ ok: true })
  })

  test('gives no more than its curve has', () => {
    const none = { ok: false, refusal: 'insufficient_liquidity' }
    expect(quoted('buy', {}, 64_000_000_000n)).toMatchObject({ ok: true })
    expect(quoted('buy', {}, 66_000_000_000n)).toEqual(none)
    expect(quoted('sell', {}, 429_000_000_000_000n)).toMatchObject({ ok: true })
    expect(quoted('sell', {}, 431_000_000_000_000n)).toEqual(none)
    expect(quoted('buy', {}, 2n ** 64n)).toEqual(none)
  })

  test('is none of ours where it has no lamports to count with', () => {
    const without = Object.fromEntries([16, 17, 18, 19, 20, 21, 22, 23].map((at) => [at, 0]))
    expect(quoted('buy', without)).toEqual({ ok: false, refusal: 'no_market' })
    expect(quoted('sell', without)).toEqual({ ok: false, refusal: 'no_market' })
  })

  test('gives nothing, and not less, for less than its fees', () => {
    const nothing = { ok: true, amountOut: 0n, priceImpactBasisPoints: null }
    expect(quoted('sell', {}, 20_000n)).toMatchObject(nothing)
    expect(quoted('buy', {}, 1n)).toMatchObject(nothing)
  })

  test('is none of ours where others take its fees, or it is paid in tokens', () => {
    const none = { ok: false, refusal: 'no_market' }
    expect(quoted('buy', { [MAYHEM_AT]: 1 })).toEqual(none)
    expect(quoted('sell', { [QUOTE_MINT_AT]: 1 })).toEqual(none)
  })

  test('is none of ours where an account is not what it should be', () => {
    const none = { ok: false, refusal: 'no_market' }
    const ask = (accounts: Parameters<typeof pump.quote>[1]) => pump.quote(orderOf(BUY), accounts)
    const [settings, fees] = SETTINGS
    expect(ask([undefined, settings, fees])).toEqual(none)
    expect(ask([curveOf(0), undefined, fees])).toEqual(none)
    expect(ask([curveOf(0), settings, undefined])).toEqual(none)
    expect(ask([curveOf(0, { 0: 1 }), settings, fees])).toEqual(none)
    expect(ask([{ ...curveOf(0), owner: wallet(1) }, settings, fees])).toEqual(none)
    const cut = fees && { ...fees, data: fees.data.subarray(0, 100) }
    expect(ask([curveOf(0), settings, cut])).toEqual(none)
  })

  test('costs less to trade the more it is worth', () => {
    const [dear, cheap] = [
      quoted('buy', {}),
      pump.quote({ ...orderOf(BUY), amountIn: 1_000_000n }, [curveOf(0), ...SETTINGS]),
    ]
    const ofTier = (quote: typeof dear, virtualTokens: bigint, virtualLamports: bigint) =>
      quote.ok ? (quote.amountOut * virtualLamports * 10_000n) / (virtualTokens * 1_000_000n) : 0n
    // 1.18 % and 1.25 %, by the tiers of the recorded settings.
    expect(ofTier(dear, 643_800_000_000_017n, 50_000_000_003n)).toBe(9_883n)
    expect(ofTier(cheap, 1_073_000_000_000_000n, 30_000_000_000n)).toBe(9_876n)
  })
})

describe('an instruction that is read back', () => {
  test.each([
    ['buy', BUY],
    ['sale', SALE],
  ])('of a %s is what was ordered', (_, recorded) => {
    const { published, side, amountIn } = recorded
    const call = {
      program: pump.trade({ ...orderOf(recorded), wallet: WALLET, minimumOut: 1n }, [
        kept(recorded.curve),
        ...SETTINGS,
      ]).program,
      accounts: published.accounts.map(({ address }) => knownAddress(address)),
      data: Buffer.from(published.data, 'base64'),
    }
    expect(pump.read(call)).toEqual({
      side,
      wallet: WALLET,
      mint: COIN,
      amountIn: BigInt(amountIn),
      minimumOut: BigInt(published.minimumOut),
      counterparty: vectors.addresses.curve,
    })
    // Whoever takes the fees, and the vault, have an account of their own in it: neither of the two can be changed alone.
    for (const at of call.accounts.keys()) {
      const accounts = call.accounts.with(at, wallet(77))
      expect([at, pump.read({ ...call, accounts })]).toEqual([at, undefined])
    }
    const { data } = call
    expect(pump.read({ ...call, data: Buffer.concat([data, Buffer.of(0)]) })).toBeUndefined()
    expect(pump.read({ ...call, data: data.subarray(1) })).toBeUndefined()
    expect(pump.read({ ...call, data: Buffer.from(data).fill(0, 0, 1) })).toBeUndefined()
    expect(pump.read({ ...call, accounts: [...call.accounts, wallet(1)] })).toBeUndefined()
    expect(pump.read({ ...call, accounts: call.accounts.slice(1) })).toBeUndefined()
    expect(pump.read({ ...call, program: wallet(1) })).toBeUndefined()
  })

  test.each([
    ['buy', BUY],
    ['sale', SALE],
  ])('of a %s is searched for accounts only where all that are known stand', (_, recorded) => {
    let searches = 0
    const counted = <Given extends readonly unknown[]>(find: (...given: Given) => Address) => {
      return (...given: Given): Address => {
        searches += 1
        return find(...given)
      }
    }
    const { derived, associated } = MODULE_TOOLS
    const { read } = venue.open({
      ...MODULE_TOOLS,
      derived: counted(derived),
      associated: counted(associated),
    })
    const accounts = recorded.published.accounts.map(({ address }) => knownAddress(address))
    const data = Buffer.from(recorded.published.data, 'base64')
    const call = { program: knownAddress(recorded.published.program), accounts, data }
    const searchesOf = (given: readonly Address[]) => {
      searches = 0
      return [read({ ...call, accounts: given }) !== undefined, searches]
    }
    expect(searchesOf(accounts.slice(1))).toEqual([false, 0])
    expect(searchesOf([...accounts, wallet(1)])).toEqual([false, 0])
    expect(searchesOf(accounts.with(0, wallet(1)))).toEqual([false, 0])
    expect(searchesOf(accounts.with(accounts.length - 1, wallet(1)))).toEqual([false, 0])
    expect(searchesOf(accounts.with(7, wallet(1)))).toEqual([false, 1])
    expect(searchesOf(accounts)).toEqual([true, 12])
  })
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '@florin/server/kernel/until.ts'
import { formatAmount, parseAmount } from '@florin/wire/amount.ts'
import type { Family } from '@florin/wire/network.ts'
import { codeOf, openClient } from './client.ts'
import type { Reply } from './client.ts'
import { evmCustodian, solanaCustodian } from './self-custodian.ts'
import { openWorld, walletOf } from './world.ts'
import type { World } from './world.ts'

const NATIVE_DECIMALS = { evm: 18, solana: 9 } as const
const SEES = { seconds: 60 }

/** The tests of one family, in a file of its own so that the families run side by side. */
export function describeTrading(family: Family): void {
  describe(`trading (${family})`, () => {
    let world: World
    let wallet: string
    let mint: string
    beforeAll(async () => {
      world = await openWorld({ solana: family === 'solana' })
      wallet = walletOf(world, 0, family)
      mint = family === 'evm' ? world.sandbox.usdc : world.sandbox.solana.usdc
    }, 120_000)
    afterAll(() => world.stop(), 120_000)

    const units = (value: unknown): bigint => BigInt(String(value))
    const native = (value: unknown): bigint => {
      const parsed = parseAmount(String(value), NATIVE_DECIMALS[family])
      if (!parsed.ok) throw new Error(`not an amount: ${String(value)}`)
      return parsed.amount
    }
    const balances = async (address = wallet) => ({
      native: await world.balanceOf(address),
      token: await world.balanceOf(address, 'USDC'),
    })
    /** The trade once it is seen on chain, whenever the caller stopped waiting. */
    const seen = (reply: Reply): Promise<Record<string, unknown>> => {
      expect(reply.body).toMatchObject({ success: true })
      return until(
        'the trade is seen',
        async () => {
          const { body } = await world.client().get(`/trade/${String(reply.body['tradeId'])}`)
          return body['status'] === 'pending' ? undefined : body
        },
        SEES,
      )
    }
    const trade = async (side: 'buy' | 'sell', body: object) =>
      seen(
        await world
          .client()
          .post(`/trade/${side}`, { publicKey: wallet, mint, timeout: 30, ...body }),
      )

    test('a buy and a sale move exactly what their records say, fee included', async () => {
      const before = await balances()
      const bought = await trade('buy', { amount: '0.5' })
      const { body: payment } = await world
        .client()
        .get(`/payment/status/${String(bought['paymentId'])}`)
      expect(payment).toMatchObject({ tradeId: bought['tradeId'], paymentProof: null })
      // Gas is offered up to a limit and paid for as it is used.
      expect(native(bought['priorityFeeUsed'])).toBeLessThanOrEqual(native(payment['priorityFee']))
      expect(native(bought['priorityFeeUsed'])).toBeLessThan(native(bought['fee']))
      expect(native(bought['priorityFeeUsed'])).toBeGreaterThan(0n)
      const between = await balances()
      expect(between.token - before.token).toBe(units(bought['tokensReceivedBaseUnits']))
      expect(before.native - between.native).toBe(native('0.5') + native(bought['fee']))
      expect(units(bought['tokensReceivedBaseUnits'])).toBeGreaterThanOrEqual(
        units(bought['minimumReceivedBaseUnits']),
      )

      const sold = await trade('sell', { amount: 10.5 })
      const after = await balances()
      expect(between.token - after.token).toBe(10_500_000n)
      expect(units(sold['tokensSoldBaseUnits'])).toBe(10_500_000n)
      expect(after.native - between.native).toBe(
        units(sold['receivedBaseUnits']) - native(sold['fee']),
      )
    })

    test('half of a balance, and then all of it, is sold to the base unit', async () => {
      const { token: have } = await balances()
      const part = `side=sell&mint=${mint}&amount=50%25&publicKey=${wallet}`
      const { body: quoted } = await world.client().get(`/trade/quote?${part}`)
      expect(units(quoted['amountBaseUnits'])).toBe(have / 2n)
      const half = await trade('sell', { amount: '50%' })
      expect(units(half['tokensSoldBaseUnits'])).toBe(have / 2n)
      expect((await balances()).token).toBe(have - have / 2n)
      const all = await trade('sell', { sellAll: true })
      expect(units(all['tokensSoldBaseUnits'])).toBe(have - have / 2n)
      expect((await balances()).token).toBe(0n)
      const none = await world
        .client()
        .post('/trade/sell', { publicKey: wallet, mint, sellAll: true })
      expect(codeOf(none)).toBe('INSUFFICIENT_BALANCE')
    })

    test('trading from a wallet of ours is for premium keys, quotes and records for any', async () => {
      const { baseUrl, apiKeys } = world.service()
      const standard = openClient(baseUrl, apiKeys.standard)
      const order = { publicKey: wallet, mint, amount: '0.01' }
      expect(codeOf(await standard.post('/trade/buy', order))).toBe('FORBIDDEN')
      expect(codeOf(await standard.post('/trade/sell', order))).toBe('FORBIDDEN')
      const quote = await standard.get(
        `/trade/quote?side=sell&mint=${mint}&amount=3&slippageBps=50`,
      )
      expect(quote.body).toMatchObject({ success: true, side: 'sell', amount: 3, slippage: 0.5 })
      const nothing = await standard.get('/trade/quote?side=buy&mint=nothing&amount=1')
      expect(codeOf(nothing)).toBe('INVALID_MINT')
      const estimated = units(quote.body['estimatedBaseUnits'])
      const least = (estimated * 995n + 999n) / 1_000n
      expect(units(quote.body['minimumReceivedBaseUnits'])).toBe(least)
      expect((await standard.get(`/trade/history/${wallet}`)).status).toBe(200)
    })

    test('the same key trades once, and another body under it is refused', async () => {
      const key = { 'idempotency-key': `buy-${family}` }
      const order = { publicKey: wallet, mint, amount: '0.01', timeout: 30 }
      const [one, other] = await Promise.all([
        world.client().post('/trade/buy', order, key),
        world.client().post('/trade/buy', order, key),
      ])
      const again = await world.client().post('/trade/buy', order, key)
      expect([one.status, other.status, again.status]).toEqual([200, 200, 200])
      expect(other.body['tradeId']).toBe(one.body['tradeId'])
      expect(again.body['tradeId']).toBe(one.body['tradeId'])
      expect(again.headers.get('idempotent-replayed')).toBe('true')
      const changed = await world.client().post('/trade/buy', { ...order, amount: '0.02' }, key)
      expect(codeOf(changed)).toBe('IDEMPOTENCY_MISMATCH')
    })

    test('a trade is refused before anything is stored', async () => {
      const client = world.client()
      const refused = async (side: 'buy' | 'sell', body: object) =>
        codeOf(await client.post(`/trade/${side}`, { publicKey: wallet, mint, ...body }))
      expect(await refused('buy', { amount: 0.01, mint: wallet })).toBe('INVALID_MINT')
      expect(await refused('buy', { amount: 0.01, mint: 'nothing' })).toBe('INVALID_MINT')
      expect(await refused('buy', { amount: 99 })).toBe('INSUFFICIENT_BALANCE')
      expect(await refused('sell', { amount: 5_000_000 })).toMatch(/^INSUFFICIENT_/)
      expect(await refused('buy', { amount: 0.01, publicKey: world.newAddress(family) })).toBe(
        'NOT_FOUND',
      )
      const invalid = [
        { amount: 0.0001 },
        { amount: 101 },
        { amount: 0.01, slippage: 51 },
        { amount: 0.01, slippage: 0.01 },
        { amount: 0.01, slippage: 5, slippageBps: 500 },
        { amount: 0.01, walletAddress: wallet },
        { amount: '50%' },
        {},
      ]
      for (const body of invalid) expect(await refused('buy', body)).toBe('INVALID_PARAMETERS')
      for (const body of [{}, { amount: '101%' }, { amount: '0%' }, { amount: 1, sellAll: true }]) {
        expect(await refused('sell', body)).toBe('INVALID_PARAMETERS')
      }
      const poor = await client.get(`/trade/quote?side=buy&mint=${mint}&amount=0`)
      expect(codeOf(poor)).toBe('INVALID_PARAMETERS')
    })

    test('more than there can be on the chain is the order at fault, never a market that is away', async () => {
      const client = world.client()
      // USDC has six decimals: one base unit more than its chain can count.
      const amount = formatAmount(family === 'evm' ? 2n ** 256n : 2n ** 64n, 6)
      const replies = [
        await client.post('/trade/sell', { publicKey: wallet, mint, amount }),
        await client.post('/transaction/sell', { publicKey: wallet, mint, amount }),
        await client.post('/transaction/buy', { publicKey: wallet, mint, amount }),
        await client.get(`/trade/quote?side=sell&mint=${mint}&amount=${amount}`),
        await client.get(`/trade/quote?side=buy&mint=${mint}&amount=${amount}`),
      ]
      expect(replies.map(codeOf)).toEqual(replies.map(() => 'INVALID_PARAMETERS'))
    })

    test('a policy refuses a trade, and what came in is in the books under it', async () => {
      const { body: before } = await world.client().get(`/trade/history/${wallet}`)
      const asset = 'native'
      const network = String((before['trades'] as { network: string }[])[0]?.network)
      const limits = [{ network, asset, perPayment: '0.005' }]
      expect((await world.client().put(`/wallets/${wallet}/policy`, { limits })).status).toBe(200)
      const order = { publicKey: wallet, mint, amount: '0.01' }
      expect(codeOf(await world.client().post('/trade/buy', order))).toBe('POLICY_REFUSED')
      await world.client().put(`/wallets/${wallet}/policy`, {})
      const { body: after } = await world.client().get(`/trade/history/${wallet}`)
      expect(after['trades']).toHaveLength((before['trades'] as unknown[]).length)

      await world.expectSound()
      const rows = await world.database.store.query<{ received: string; booked: string | null }>(
        'trade_booked',
        `select t.received, (select sum(e.amount) from ledger_transfers l join ledger_entries e on e.transfer_id = l.id
         where l.kind = 'funding' and l.payment_id = t.payment_id and e.amount > 0) as booked from trades t`,
      )
      expect(rows.length).toBeGreaterThanOrEqual(4)
      for (const { received, booked } of rows) expect(booked).toBe(received)
      // Told by the trade, and by no deposit beside it.
      const deposits = await world.database.store.query(
        'trade_deposits',
        `select from payments p join payments d on d.transaction_hash = p.transaction_hash and d.occurrence is not null
       where p.trade_id is not null`,
      )
      expect(deposits).toHaveLength(0)
    })

    test('trades of a wallet are listed newest first, page by page', async () => {
      const { body: all } = await world.client().get(`/trade/history/${wallet}`)
      const ids = (all['trades'] as { tradeId: string }[]).map(({ tradeId }) => tradeId)
      const paged: string[] = []
      let cursor: string | null = null
      do {
        const more = cursor === null ? '' : `&cursor=${cursor}`
        const { body } = await world.client().get(`/trade/history/${wallet}?limit=2${more}`)
        paged.push(...(body['trades'] as { tradeId: string }[]).map(({ tradeId }) => tradeId))
        cursor = body['nextCursor'] as string | null
      } while (cursor !== null)
      expect(paged).toEqual(ids)
    })

    test('what is built for a wallet of its own lands, signed by a stock library', async () => {
      const holder =
        family === 'evm' ? await evmCustodian(world.sandbox) : await solanaCustodian(world.sandbox)
      const client = world.client()
      const order = { publicKey: holder.address, mint }
      const before = await balances(holder.address)
      const key = { 'idempotency-key': `built-${family}` }
      const buy = await client.post('/transaction/buy', { ...order, amount: '0.25' }, key)
      expect(buy.body).toMatchObject({ success: true, status: 'pending', paymentProof: null })
      const repeated = await client.post('/transaction/buy', { ...order, amount: '0.25' }, key)
      expect(repeated.body['transaction']).toBe(buy.body['transaction'])
      if ('signEdited' in holder) {
        // The same call with the least that may come in taken out: what a thief would have sent.
        const { data } = buy.body['unsigned'] as { data: `0x${string}` }
        const edited: `0x${string}` = `0x${data.slice(2, 10)}${'0'.repeat(64)}${data.slice(74)}`
        const other = await holder.signEdited(String(buy.body['transaction']), { data: edited })
        const refused = await client.post('/transaction/submit', {
          transaction: other,
          walletAddress: holder.address,
        })
        expect(codeOf(refused)).toBe('INVALID_PARAMETERS')
      }
      const sent = await client.post('/transaction/submit', {
        transaction: await holder.sign(String(buy.body['transaction'])),
        walletAddress: holder.address,
      })
      expect(sent.body).toMatchObject({ success: true, accepted: true })
      const bought = await seen(buy)
      expect(bought).toMatchObject({ selfCustody: true })
      const between = await balances(holder.address)
      expect(between.token - before.token).toBe(units(bought['tokensReceivedBaseUnits']))
      expect(before.native - between.native).toBe(native('0.25') + native(bought['fee']))

      const sale = await client.post('/transaction/sell', { ...order, sellAll: true })
      expect(sale.body).toMatchObject({ success: true })
      const approval = sale.body['approval'] as { transaction: string } | undefined
      expect(approval === undefined).toBe(family === 'solana')
      if (approval !== undefined) {
        const allowed = await client.post('/transaction/submit', {
          transaction: await holder.sign(approval.transaction),
          walletAddress: holder.address,
        })
        const { paymentId } = sale.body
        expect(allowed.body).toMatchObject({ accepted: true, approval: true, paymentId })
      }
      await holder.broadcast(await holder.sign(String(sale.body['transaction'])))
      const sold = await seen(sale)
      const after = await balances(holder.address)
      expect(after.token).toBe(0n)
      expect(units(sold['tokensSoldBaseUnits'])).toBe(between.token)
      expect(units(sold['receivedBaseUnits'])).toBeGreaterThanOrEqual(
        units(sold['minimumReceivedBaseUnits']),
      )
      const poor = await client.post('/transaction/sell', { ...order, amount: 1 })
      expect(codeOf(poor)).toBe('INSUFFICIENT_BALANCE')
    })
  })
}

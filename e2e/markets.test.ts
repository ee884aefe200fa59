import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formatUnits } from 'viem'
import { WebSocket } from 'ws'
import { sandboxNetwork, solanaSandboxNetwork } from '@florin/cli/up/sandbox-network.ts'
import { connectChain } from '@florin/server/chains/connect.ts'
import { postText } from '@florin/server/chains/json-rpc/post-text.ts'
import type { PostText } from '@florin/server/chains/json-rpc/post-text.ts'
import { systemClock } from '@florin/server/kernel/clock.ts'
import { openLog } from '@florin/server/kernel/log.ts'
import { portfolioOf } from '@florin/server/portfolio/portfolio.ts'
import { until } from '@florin/server/kernel/until.ts'
import type { Family } from '@florin/wire/network.ts'
import { inNextBlock } from './actors/in-next-block.ts'
import type { World } from './actors/world.ts'
import { openWorld, walletOf } from './actors/world.ts'

const SOON = { seconds: 40 }
type Fields = Readonly<Record<string, unknown>>

describe('markets of the sandbox', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld({ solana: true })
  }, 120_000)
  afterAll(() => world.stop(), 120_000)

  const tokenOf = (family: Family) => {
    const { tokens } = family === 'evm' ? world.sandbox : world.sandbox.solana
    const [token] = tokens
    if (token === undefined) throw new Error('the sandbox trades no token')
    return token
  }
  const networkOf = (family: Family) =>
    family === 'evm' ? world.sandbox.network : world.sandbox.solana.network
  const ask = async (path: string) => (await world.client().get(path)).body

  /** A socket that listens; `said` is what came. */
  async function listen(keys: readonly string[]) {
    const { baseUrl, apiKeys } = world.service()
    const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/api/data`, {
      headers: { authorization: `Bearer ${apiKeys.standard}` },
    })
    const said: Fields[] = []
    socket.on('message', (data) => {
      said.push(JSON.parse(Buffer.isBuffer(data) ? data.toString() : ''))
    })
    socket.on('open', () => socket.send(JSON.stringify({ method: 'subscribe', keys })))
    await until('it is subscribed', () => said.some(({ type }) => type === 'subscribed'), SOON)
    const of = (type: string) =>
      said.flatMap((message) => (message['type'] === type ? [message['data'] as Fields] : []))
    return { of, said, close: () => socket.close() }
  }

  for (const family of ['evm', 'solana'] as const) {
    test(`a trade on chain reaches a socket, candles, price and history of the token (${family})`, async () => {
      const { mint, symbol, decimals } = tokenOf(family)
      const listener = await listen(['trades', 'priceUpdates', mint])
      try {
        const order = { publicKey: walletOf(world, 0, family), mint, amount: 2, timeout: 40 }
        const { body: bought } = await world.client().post('/trade/buy', order)
        const trade = await until(
          'the trade is told',
          () => listener.of('trade').find(({ signature }) => signature === bought['signature']),
          SOON,
        )
        expect(trade).toMatchObject({
          network: networkOf(family),
          ...{ mint, symbol, side: 'buy', nativeAmount: '2', sandbox: true },
          tokenAmountBaseUnits: bought['tokensReceivedBaseUnits'],
        })
        await until(
          'the price is told',
          () => listener.of('priceUpdate').find((update) => update['mint'] === mint),
          SOON,
        )
        // Once, however many of its keys it wants.
        const told = listener
          .of('trade')
          .filter(({ signature }) => signature === bought['signature'])
        expect(told).toHaveLength(1)
        const info = await ask(`/token/info/${mint}?network=${networkOf(family)}`)
        expect(info).toMatchObject({ mint, symbol, decimals, network: networkOf(family) })
        expect(Number(info['supply'])).toBeGreaterThan(0)
        expect(Number(info['price'])).toBeGreaterThan(0)
        expect(Number(info['volume24h'])).toBeGreaterThanOrEqual(2)
        expect(info['priceChange24h']).toBeNull()
        expect(await ask(`/token/candles/${mint}?from=2&to=1`)).toMatchObject({
          error: { details: { from: 'must not be after to' } },
        })
        const candles = await ask(`/token/candles/${mint}?interval=1d`)
        expect((candles['candles'] as Fields[]).at(-1)).toHaveProperty('open')
        const portfolio = await ask(`/portfolio/${walletOf(world, 0, family)}`)
        const held = (portfolio['tokens'] as Fields[]).find((one) => one['mint'] === mint)
        expect(held).toMatchObject({
          symbol,
          decimals,
          balanceBaseUnits: bought['tokensReceivedBaseUnits'],
        })
      } finally {
        listener.close()
      }
    })

    test(`a portfolio is the sum of everything that came and went, in two round trips at most (${family})`, async () => {
      const seed = Math.floor(Math.random() * 2 ** 31)
      process.stdout.write(`portfolio seed ${seed} (${family})\n`)
      const random = seeded(seed)
      const wallet = walletOf(world, 1, family)
      const { tokens, usdc } = family === 'evm' ? world.sandbox : world.sandbox.solana
      const mints = [usdc, ...tokens.map(({ mint }) => mint)]
      const held = new Map<string, bigint>([[usdc, 500_000_000n]])
      const move = (mint: string, change: bigint) => held.set(mint, (held.get(mint) ?? 0n) + change)
      for (let step = 0; step < 5; step += 1) {
        const mint = mints[random(mints.length)] ?? usdc
        const deed = random(3)
        // Each step leaves half at least: five of them leave more of anything than a hundredth comes to nothing of.
        if (deed === 2) {
          const most = Math.min(Math.floor(Number(held.get(usdc)) / 2), 9_000_000)
          const order = { walletAddress: wallet, recipientAddress: walletOf(world, 0, family) }
          const amount = formatUnits(BigInt(1 + random(most)), 6)
          const { body } = await world
            .client()
            .post('/payment/send', { ...order, asset: 'USDC', amount, timeout: 40 })
          move(usdc, -BigInt(String(body['amountBaseUnits'])))
          continue
        }
        const side = deed === 0 || (held.get(mint) ?? 0n) === 0n ? 'buy' : 'sell'
        const amount = side === 'buy' ? `0.${1 + random(9)}` : `${1 + random(50)}%`
        const order = { publicKey: wallet, mint, amount, timeout: 40 }
        const { body } = await world.client().post(`/trade/${side}`, order)
        const units = side === 'buy' ? 'tokensReceivedBaseUnits' : 'tokensSoldBaseUnits'
        move(mint, BigInt(String(body[units])) * (side === 'buy' ? 1n : -1n))
      }
      const expected = [...held].filter(([, units]) => units > 0n)
      const chain = family === 'evm' ? 'evm' : 'solana'
      const { calls, portfolio } = await asked(chain, wallet)
      expect(calls).toBeGreaterThan(0)
      expect(calls).toBeLessThanOrEqual(2)
      expect(
        new Map(portfolio.tokens.map((one) => [one.mint, BigInt(one.balanceBaseUnits)])),
      ).toEqual(new Map(expected))
      expect(BigInt(portfolio.nativeBalanceBaseUnits)).toBe(await world.balanceOf(wallet))
      const values = portfolio.tokens.map(({ valueBaseUnits }) => BigInt(valueBaseUnits ?? 0))
      expect(BigInt(portfolio.totalValueBaseUnits)).toBe(
        values.reduce((sum, value) => sum + value, BigInt(portfolio.nativeBalanceBaseUnits)),
      )
    })
  }

  /** The portfolio as the service makes it, with the HTTP requests to the node that it took. */
  async function asked(family: Family, wallet: string) {
    const { instance, network, rpcUrl, usdc, market, solana } = world.sandbox
    const config =
      family === 'evm'
        ? sandboxNetwork({ instance, evm: { network, rpcUrl, usdc, market } })
        : solanaSandboxNetwork({ instance, solana })
    let calls = 0
    const counted: PostText = (posting) => {
      calls += 1
      return postText(posting)
    }
    const log = openLog('silent')
    const chain = connectChain({ config, log, clock: systemClock, post: counted })
    await chain.head()
    calls = 0
    const address = chain.parseAddress(wallet)
    if (address === undefined) throw new Error('no address')
    const { store } = world.database
    // What its account has traded is asked for, too: one token has no market of its own.
    const more = world.sandbox.tokens.flatMap(({ mint }) => chain.parseAddress(mint) ?? [])
    const portfolio = await portfolioOf({ store, symbolOf: () => null }, chain, address, more)
    return { calls, portfolio }
  }

  test('a token that is traded against USDC alone is bought and sold through it, and its holder sees it and its worth', async () => {
    const { mint, symbol } = world.sandbox.tokens.at(-1) ?? {}
    const listener = await listen(['trades', 'priceUpdates'])
    try {
      const publicKey = walletOf(world, 0, 'evm')
      const trade = async (side: 'buy' | 'sell', more: Fields) => {
        const order = { publicKey, mint, timeout: 40, ...more }
        return (await world.client().post(`/trade/${side}`, order)).body
      }
      const bought = await trade('buy', { amount: 1 })
      expect(bought).toMatchObject({ success: true, symbol, venue: 'uniswap-v2' })
      const told = await until(
        'the trade is told',
        () => listener.of('trade').find(({ signature }) => signature === bought['signature']),
        SOON,
      )
      expect(told).toMatchObject({ mint: world.sandbox.usdc, side: 'buy', nativeAmount: '1' })
      const portfolio = await ask(`/portfolio/${publicKey}`)
      const held = (portfolio['tokens'] as Fields[]).find((one) => one['mint'] === mint)
      expect(held).toMatchObject({
        balanceBaseUnits: bought['tokensReceivedBaseUnits'],
        price: expect.any(Number),
      })
      // What was just bought for one coin, less fees; 20 tokens cost a dollar in its pool.
      expect(Number(held?.['value'])).toBeGreaterThan(0.5)
      expect(Number(held?.['value'])).toBeLessThan(1.5)
      const info = await ask(`/token/info/${mint}?network=${networkOf('evm')}`)
      expect(info).toMatchObject({ mint, price: expect.any(Number), volume24h: null })
      expect(Number(info['priceUsd'])).toBeGreaterThan(0.025)
      expect(Number(info['priceUsd'])).toBeLessThan(0.1)
      expect(Number(info['liquidity'])).toBeGreaterThan(0)
      const { tokens: listed } = await ask(`/tokens?network=${networkOf('evm')}`)
      const shown = (listed as Fields[]).find((one) => one['mint'] === mint)
      expect(shown).toMatchObject({ price: expect.any(Number), priceUsd: expect.any(Number) })
      const update = await until(
        'its price is told',
        () => listener.of('priceUpdate').find((each) => each['mint'] === mint),
        SOON,
      )
      expect(Number(update['priceUsd'])).toBeGreaterThan(0.025)
      const sold = await trade('sell', { sellAll: true })
      expect(sold).toMatchObject({
        success: true,
        tokensSoldBaseUnits: bought['tokensReceivedBaseUnits'],
      })
      expect(Number(sold['receivedBaseUnits'])).toBeGreaterThanOrEqual(
        Number(sold['minimumReceivedBaseUnits']),
      )
    } finally {
      listener.close()
    }
  })

  test('a swap whose block the chain leaves is taken back, and told again when it is mined again', async () => {
    const { mint } = tokenOf('evm')
    const listener = await listen([mint])
    try {
      await world.sandbox.fault({ kind: 'stop-blocks' })
      const order = { publicKey: walletOf(world), mint, amount: 1, timeout: 1 }
      const { body: bought } = await world.client().post('/trade/buy', order)
      await inNextBlock(world, bought['signature'])
      // Of that buy alone; a raised fee gives it another signature.
      const tellings = () =>
        listener
          .of('trade')
          .filter(({ trader, nativeAmount: paid }) => trader === order.publicKey && paid === '1')
      await until('the trade is told', () => tellings().length > 0, SOON)
      const candlesOf = async () => await ask(`/token/candles/${mint}?interval=1d`)
      const before = await candlesOf()
      await world.sandbox.fault({ kind: 'reorg', depth: 1 })
      await world.sandbox.mine()
      await until('it is taken back', () => tellings().length > 1, SOON)
      expect(tellings()[1]).toMatchObject({
        retracted: true,
        tokenAmount: tellings()[0]?.['tokenAmount'],
      })
      await world.sandbox.fault({ kind: 'resume-blocks' })
      await until('it is told again', () => tellings().length > 2, SOON)
      expect(tellings()[2]).not.toHaveProperty('retracted')
      const after = await candlesOf()
      // Of all days: it may be another one by now.
      const trades = (answer: Fields) =>
        (answer['candles'] as Fields[]).reduce((sum, { trades: each }) => sum + Number(each), 0)
      expect(trades(after)).toBe(trades(before))
    } finally {
      await world.sandbox.fault({ kind: 'resume-blocks' })
      listener.close()
    }
  })

  test('what is no token is told so, and what is not known is null', async () => {
    for (const wallet of [walletOf(world, 0, 'evm'), walletOf(world, 0, 'solana'), 'native']) {
      for (const what of ['info', 'candles']) {
        const { status, body } = await world.client().get(`/token/${what}/${wallet}`)
        expect(status).toBe(400)
        expect(body).toMatchObject({ error: { code: 'INVALID_MINT' } })
      }
    }
    const [, , untouched] = world.sandbox.solana.tokens
    const nobody = await ask(`/portfolio/${world.newAddress('solana')}`)
    expect(nobody).toMatchObject({ tokens: [], nativeBalance: 0, totalValue: 0, unvalued: 0 })
    if (untouched !== undefined) {
      const info = await ask(`/token/info/${untouched.mint}`)
      expect(info).toMatchObject({ symbol: untouched.symbol, decimals: untouched.decimals })
    }
  })
})

/** Small random numbers that a seed repeats (mulberry32). */
function seeded(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

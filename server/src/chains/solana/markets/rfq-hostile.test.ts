import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Clock } from '../../../kernel/clock.ts'
import { systemClock } from '../../../kernel/clock.ts'
import { openLog } from '../../../kernel/log.ts'
import { Secret } from '../../../kernel/secret.ts'
import { NodeFailure } from '../../chain.ts'
import { NotCarried } from '../../venue.ts'
import type { Venue } from '../../venue.ts'
import { connectSolana } from '../connect.ts'
import { SOL, startTestChain } from '../test-chain.ts'
import type { TestChain, TestWallet } from '../test-chain.ts'
import { newKey } from '../test-payment.ts'
import { testNetwork } from '../test-network.ts'
import { say, startTestService } from './test-service.ts'
import type { Conduct, TestService } from './test-service.ts'
import { openTrader } from './test-trader.ts'
import type { Trader } from './test-trader.ts'

let world: TestChain
let trader: Trader
let wallet: TestWallet
beforeAll(async () => {
  world = await startTestChain()
  trader = openTrader(world)
  wallet = await world.wallet(['native', '100'])
})
afterAll(async () => {
  await world.sandbox.stop()
})

/** A venue over the sandbox's chain with these makers, each named by its address. */
function venueOf(
  makers: readonly { readonly url: string; readonly address: string }[],
  clock: Clock = systemClock,
): Venue {
  const chain = connectSolana({
    config: testNetwork([world.sandbox.solana.rpcUrl], {
      markets: [
        {
          venue: 'rfq',
          makers: makers.map(({ url, address }) => ({ url: new Secret(url), address })),
        },
      ],
    }),
    log: openLog('silent'),
    clock,
  })
  const [venue] = chain.venues ?? []
  if (venue === undefined) throw new Error('makers are a market')
  return venue
}

async function serviceOf(conduct: Conduct): Promise<TestService> {
  const service = await startTestService(conduct)
  onTestFinished(service.stop)
  return service
}

type Body = Readonly<Record<string, unknown>>
type Change = (answer: Body, path: string) => Body | Promise<Body>

/** The sandbox's maker with somebody in between who changes what it says. */
async function between(change: Change, asked: (body: Body, path: string) => Body = (body) => body) {
  const { url, address } = world.sandbox.solana.maker
  const service = await serviceOf(async ({ path, body }, response) => {
    const sent = asked(JSON.parse(body) as Body, path)
    const answer = await fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(sent) })
    say(response, await change((await answer.json()) as Body, path), answer.status)
  })
  return { service, venue: venueOf([{ url: service.url, address }]) }
}

const wanted = () => ({ side: 'buy', token: trader.token('ACORN'), amountIn: SOL }) as const
const maker = newKey().address

describe('a maker that does not answer properly is no market and no "no"', () => {
  const conducts: readonly (readonly [string, Conduct])[] = [
    ['an error', (_, response) => say(response, { error: { code: 'OOPS' } }, 500)],
    ['a "no" of another kind', (_, response) => say(response, { error: { code: 'X' } }, 404)],
    ['no JSON', (_, response) => void response.end('<html>')],
    ['no object', (_, response) => say(response, [1])],
    ['nothing', (_, response) => void response.end()],
    ['a broken line', (_, response) => void response.destroy()],
    ['far too much', (_, response) => say(response, quote({ padding: 'y'.repeat(200_000) }))],
    ['far too much, bit by bit', (_, response) => trickle(response)],
    ['another question’s answer', (_, response) => say(response, quote({ amountIn: '5' }))],
    ['another side', (_, response) => say(response, quote({ side: 'sell' }))],
    ['another mint', (_, response) => say(response, quote({ mint: maker }))],
    ['another’s name', (_, response) => say(response, quote({ maker: newKey().address }))],
    ['nothing for it', (_, response) => say(response, quote({ amountOut: '0' }))],
    ['a number that is none', (_, response) => say(response, quote({ amountOut: '1e9' }))],
    ['a number in JSON', (_, response) => say(response, quote({ amountOut: 5 }))],
    [
      'more than there can be',
      (_, response) => say(response, quote({ amountOut: `${2n ** 64n}` })),
    ],
    ['a negative impact', (_, response) => say(response, quote({ priceImpactBasisPoints: -1 }))],
  ]
  const quote = (change: Body): Body => ({
    maker,
    side: 'buy',
    mint: wanted().token.mint,
    amountIn: `${SOL}`,
    amountOut: '1000',
    quoteId: null,
    ...change,
  })
  const trickle = (response: ServerResponse): void => {
    for (let piece = 0; piece < 100; piece += 1) response.write('x'.repeat(5_000))
    response.end()
  }

  test.each(conducts)('%s', async (_, conduct) => {
    const { url } = await serviceOf(conduct)
    await expect(venueOf([{ url, address: maker }]).quote(wanted())).rejects.toThrow(NodeFailure)
    // Beside one that answers it only fails to be the best.
    const both = venueOf([{ url, address: maker }, world.sandbox.solana.maker])
    expect(await both.quote(wanted())).toMatchObject({
      ok: true,
      quote: { route: { maker: world.sandbox.solana.maker.address } },
    })
  })

  test('silence, which ends when its time is over, and says nothing of where it was asked', async () => {
    const { url } = await serviceOf(() => undefined)
    const hasty: Clock = {
      ...systemClock,
      sleep: (milliseconds, signal) => systemClock.sleep(milliseconds / 50, signal),
    }
    const secret = `${url}/a-key-in-the-path`
    const asked = venueOf([{ url: secret, address: maker }], hasty).quote(wanted())
    await expect(asked).rejects.toThrow(/maker 1 of .* is too slow/)
    await expect(asked).rejects.not.toThrow(/a-key-in-the-path|127\.0\.0\.1/)
  })

  test('a redirect, even to one that would answer', async () => {
    const { url, address } = world.sandbox.solana.maker
    const location = `${url}/quote`
    const moved = await serviceOf((_, response) => void response.writeHead(307, { location }).end())
    await expect(venueOf([{ url: moved.url, address }]).quote(wanted())).rejects.toThrow(
      NodeFailure,
    )
    expect((await venueOf([{ url, address }]).quote(wanted())).ok).toBe(true)
  })

  test('a worse price is not taken, a better one is', async () => {
    const offering = (amountOut: string) =>
      serviceOf((_, response) => say(response, quote({ amountOut })))
    const [low, high] = [await offering('1'), await offering(`${10n ** 18n}`)]
    const other = { url: low.url, address: maker }
    const worse = await venueOf([other, world.sandbox.solana.maker]).quote(wanted())
    const better = await venueOf([world.sandbox.solana.maker, { ...other, url: high.url }]).quote(
      wanted(),
    )
    expect(worse.ok && worse.quote.route['maker']).toBe(world.sandbox.solana.maker.address)
    expect(better.ok && better.quote.route['maker']).toBe(maker)
  })
})

describe('a maker that promises most and gives nothing', () => {
  const held = (body: Body) => typeof body['taker'] === 'string'
  const conducts: readonly (readonly [string, Conduct])[] = [
    ['quotes no more', (_, response) => say(response, { error: { code: 'OOPS' } }, 500)],
    ['has too little', (_, response) => say(response, thin, 409)],
    ['gives less', (_, response) => say(response, promise('1', 'q'))],
    [
      'does not sign',
      ({ path }, response) =>
        path === '/sign' ? say(response, {}, 500) : say(response, promise(`${MOST}`, 'q')),
    ],
  ]
  const MOST = 10n ** 18n
  const thin = { error: { code: 'INSUFFICIENT_LIQUIDITY' } }
  const promise = (amountOut: string, quoteId: string | null): Body => ({
    ...{ maker, side: 'buy', mint: wanted().token.mint, amountIn: `${SOL}` },
    ...{ amountOut, quoteId, priceImpactBasisPoints: null },
  })

  test.each(conducts)(
    '%s: its promise binds nobody, and the next maker trades',
    async (_, conduct) => {
      const { url } = await serviceOf((request, response) =>
        held(JSON.parse(request.body) as Body)
          ? conduct(request, response)
          : say(response, promise(`${MOST}`, null)),
      )
      const venue = venueOf([{ url, address: maker }, world.sandbox.solana.maker])
      const outcome = await venue.quote(wanted())
      if (!outcome.ok) throw new Error(outcome.refusal)
      expect(outcome.quote).toMatchObject({ amountOut: MOST, route: { maker } })
      const change = { minimumOut: (MOST * 9n) / 10n }
      const answer = await venue
        .draft(trader.order(wallet, outcome.quote, change))
        .catch((error: unknown) => error)
      if (!(answer instanceof NotCarried)) {
        expect(answer).toEqual({ ok: false, refusal: 'less_than_quoted' })
      }
      const [next, ...rest] = outcome.others ?? []
      if (next === undefined) throw new Error('the other maker quotes, too')
      expect(rest).toEqual([])
      expect(next.route['maker']).toBe(world.sandbox.solana.maker.address)
      expect((await venue.draft(trader.order(wallet, next))).ok).toBe(true)
    },
  )
})

/** What drafting with a venue comes to. */
async function drafted(venue: Venue, change: { readonly minimumOut?: bigint } = {}) {
  const outcome = await venue.quote(wanted())
  if (!outcome.ok) throw new Error(outcome.refusal)
  return await venue.draft(trader.order(wallet, outcome.quote, change))
}

describe('a maker’s transaction', () => {
  test('goes through somebody in between who changes nothing', async () => {
    const { venue } = await between((answer) => answer)
    expect((await drafted(venue)).ok).toBe(true)
  })

  test('that promises more than it gives is not signed', async () => {
    const { venue } = await between((answer, path) =>
      path === '/quote' ? { ...answer, amountOut: `${10n ** 15n}` } : answer,
    )
    await expect(drafted(venue)).rejects.toThrow(/gives less than the minimum/)
  })

  test('that gives less at the moment of signing has no say in what another has to give', async () => {
    const { venue } = await between((answer) =>
      typeof answer['quoteId'] === 'string' ? { ...answer, amountOut: '1' } : answer,
    )
    expect(await drafted(venue)).toEqual({ ok: false, refusal: 'less_than_quoted' })
  })

  test('of an earlier order is not signed for another one, nor is an old quote signed twice', async () => {
    let first: Body | undefined
    const again = await between((answer, path) => {
      if (path !== '/sign') return answer
      first ??= answer
      return first
    })
    expect((await drafted(again.venue)).ok).toBe(true)
    await expect(drafted(again.venue, { minimumOut: 1n })).rejects.toThrow(/commitment/)

    let quoteId: unknown
    const twice = await between((answer, path) => {
      if (path !== '/quote' || typeof answer['quoteId'] !== 'string') return answer
      quoteId ??= answer['quoteId']
      return { ...answer, quoteId }
    })
    expect((await drafted(twice.venue)).ok).toBe(true)
    await expect(drafted(twice.venue, { minimumOut: 1n })).rejects.toThrow(/HTTP 409/)
  })

  test('that was made for somebody else, or for another price of the network, is not signed', async () => {
    const other = await world.wallet(['native', '10'])
    const stolen = await between(
      (answer) => answer,
      (body) => (typeof body['taker'] === 'string' ? { ...body, taker: other.address } : body),
    )
    await expect(drafted(stolen.venue)).rejects.toThrow(/does not pay its fee/)
    const dear = await between(
      (answer) => answer,
      (body, path) => (path === '/sign' ? { ...body, pricePerUnit: '900000000' } : body),
    )
    await expect(drafted(dear.venue)).rejects.toThrow(/fee is higher/)
    const silent = await between(
      (answer) => answer,
      (body, path) => (path === '/sign' ? { ...body, memo: 'something else' } : body),
    )
    await expect(drafted(silent.venue)).rejects.toThrow(/memo/)
  })

  test('whose blockhash is too old is not signed', async () => {
    const late = await between(async (answer, path) => {
      if (path === '/sign') await world.pass(151)
      return answer
    })
    await expect(drafted(late.venue)).rejects.toThrow(/no blockhash of this chain/)
  })

  test.each([
    ['no transaction', { transaction: 'AAAA' }, /is no transaction/],
    ['no base64', { transaction: '???' }, /malformed/],
    ['far too much', { transaction: 'A'.repeat(8_000) }, /malformed/],
    ['a number', { transaction: 7 }, /malformed/],
    ['nothing', { transaction: undefined }, /malformed/],
  ])('that is %s is not signed', async (_, change, problem) => {
    const { venue } = await between((answer, path) =>
      path === '/sign' ? { ...answer, ...change } : answer,
    )
    await expect(drafted(venue)).rejects.toThrow(problem)
  })

  test('without the maker’s signature is not signed', async () => {
    const { venue } = await between((answer, path) => {
      if (path !== '/sign') return answer
      const raw = Buffer.from(String(answer['transaction']), 'base64')
      raw.fill(0, 65, 129)
      return { ...answer, transaction: raw.toString('base64') }
    })
    await expect(drafted(venue)).rejects.toThrow(/the maker has not signed/)
  })
})

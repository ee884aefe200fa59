import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { expect } from 'vitest'
import type { Reply } from './client.ts'
import { PRICE, shownAs, v1Of } from './hostile-sellers.ts'
import type { Says, Scenario, Scene } from './hostile-sellers.ts'
import { demandV1, demandV2, hand, takeMoney } from './odd-seller.ts'
import type { OddSeller } from './odd-seller.ts'

const sold = (reply: Reply) => {
  expect(reply).toMatchObject({ status: 200, body: { response: { status: 200 } } })
  expect(reply.body['paid']).not.toBe(false)
}
const control = (name: string, says: Says, more: Partial<Scenario> = {}): Scenario => ({
  category: 'control',
  name,
  says,
  signs: [PRICE],
  told: sold,
  ...more,
})
const selling =
  (write: (scene: Scene, answer: ServerResponse) => void): Says =>
  async (scene, asked, answer) => {
    if (asked.payment === null) return write(scene, answer)
    if (asked.payment['x402Version'] === 1) return hand(answer, 200)
    hand(answer, (await takeMoney(scene.world, asked, scene.terms)) ? 200 : 402)
  }

/** What honest sellers do, and must be paid for. */
export const CONTROLS: readonly Scenario[] = [
  control(
    'version 2',
    selling(({ terms }, answer) => demandV2(answer, [terms])),
  ),
  control(
    'version 1',
    selling(({ terms, family }, answer) =>
      demandV1(answer, [v1Of(terms, family, 'http://127.0.0.1/goods')]),
    ),
  ),
  control(
    'version 1, and keeps its demand packed',
    selling(({ terms, family }, answer) => {
      const accepts = [v1Of(terms, family, 'http://127.0.0.1/goods')]
      answer.writeHead(402, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
      answer.end(gzipSync(JSON.stringify({ x402Version: 1, error: 'pay', accepts })))
    }),
  ),
  control(
    'its own name behind a proxy that ends TLS',
    selling(({ terms }, answer) =>
      demandV2(answer, [terms], { resource: { url: 'https://127.0.0.1/goods' } }),
    ),
  ),
  control(
    'a path in place of an address',
    selling(({ terms }, answer) => demandV2(answer, [terms], { resource: { url: '/goods' } })),
  ),
  control(
    'settled before the goods, and says so',
    selling(({ terms }, answer) =>
      demandV2(answer, [{ ...terms, extra: { ...terms.extra, paymentFlow: 'upfront' } }]),
    ),
  ),
  control(
    'offers that others may take stand beside',
    selling(({ terms }, answer) =>
      demandV2(answer, [{ ...terms, scheme: 'upto' }, { ...terms, network: 'eip155:1' }, terms]),
    ),
  ),
  control(
    'fields that nobody asked for',
    selling(({ terms }, answer) =>
      demandV2(answer, [{ ...terms, outputSchema: {}, extra: { ...terms.extra, note: 'hello' } }]),
    ),
  ),
  control('it wants no money', (_scene, _asked, answer) => hand(answer, 200), {
    signs: [],
    told: shownAs(200),
  }),
  control('it has nothing there', (_scene, _asked, answer) => hand(answer, 404), {
    signs: [],
    told: shownAs(404),
  }),
  control(
    'an order in the body',
    async (scene, asked, answer) => {
      if (asked.method !== 'POST' || asked.body !== '{"n":1}') return hand(answer, 400)
      await selling(({ terms }, to) => demandV2(to, [terms]))(scene, asked, answer, never)
    },
    {
      order: () => ({
        method: 'POST',
        body: '{"n":1}',
        headers: { 'content-type': 'application/json' },
      }),
    },
  ),
]

const never: OddSeller = {
  url: '',
  asked: [],
  paid: () => [],
  says: () => undefined,
  stop: async () => undefined,
}

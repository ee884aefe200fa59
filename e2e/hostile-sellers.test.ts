import type { Family } from '@florin/wire/network.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CONTROLS } from './actors/honest-sellers.ts'
import { HOSTILE } from './actors/hostile-sellers.ts'
import type { Scenario } from './actors/hostile-sellers.ts'
import { openOddSeller } from './actors/odd-seller.ts'
import { termsOf } from './actors/terms.ts'
import type { World } from './actors/world.ts'
import { openWorld, walletOf } from './actors/world.ts'

const FAMILIES = ['evm', 'solana'] as const satisfies readonly Family[]
const CEILING = '0.02'

let world: World
beforeAll(async () => {
  world = await openWorld({ solana: true, unsound: true })
})
afterAll(() => world.stop())

describe.each(FAMILIES)('sellers who mean ill, on %s', (family) => {
  let honest: Awaited<ReturnType<typeof termsOf>>
  beforeAll(async () => {
    honest = await termsOf(world, family, 20)
  })

  /** What a seller got signed, all requests together: the same bytes shown twice are one payment. */
  async function run({ says, order, times = 1 }: Scenario) {
    const scene = { world, family, ...honest }
    const seller = await openOddSeller((asked, answer, self) => says(scene, asked, answer, self))
    try {
      const walletAddress = walletOf(world, 0, family)
      const body = { walletAddress, url: seller.url, maxAmount: CEILING, ...order?.(scene) }
      const replies = []
      for (let time = 0; time < times; time += 1) {
        replies.push(await world.client().post('/payment/fetch', body))
      }
      const shown = new Map(seller.paid().map(({ payment }) => [JSON.stringify(payment), payment]))
      return { replies, signed: [...shown.values()], asked: seller.asked }
    } finally {
      await seller.stop()
    }
  }

  test.concurrent.each(
    HOSTILE.map((scenario) => [scenario.category, scenario.name, scenario] as const),
  )('%s: %s', async (_category, _name, scenario) => {
    const { replies, signed } = await run(scenario)
    const amounts = signed.map((payment) => {
      const accepted = payment?.['accepted'] as { amount?: string } | undefined
      return BigInt(accepted?.amount ?? 10_000n)
    })
    expect(amounts).toEqual(scenario.signs ?? [])
    for (const reply of replies) scenario.told(reply)
  })

  test.concurrent.each(CONTROLS.map((scenario) => [scenario.name, scenario] as const))(
    'an honest seller is paid: %s',
    async (_name, scenario) => {
      const { replies, signed } = await run(scenario)
      expect(signed.length).toBe(scenario.signs?.length ?? 0)
      for (const reply of replies) scenario.told(reply)
    },
  )
})

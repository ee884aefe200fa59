import { afterEach, expect, test, vi } from 'vitest'
import { systemClock } from '../clock.ts'
import { Florin } from '../florin.ts'
import { FlorinError } from '../florin-error.ts'
import { openGate } from './gate.ts'
import type { PaywallSettings } from './price.ts'

afterEach(() => vi.restoreAllMocks())

const NETWORK = 'eip155:84532'
const TOKEN = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'
const PAY_TO = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'

/** A paywall before a service that is away as long as the test wants, at the time of the test. */
function openScene(settings: Partial<PaywallSettings> = {}) {
  const scene = { seconds: 0, isAway: true, askedAt: [] as number[] }
  const florin = new Florin({ baseUrl: 'http://service.example', apiKey: 'k' })
  const usdc = { symbol: 'USDC', asset: TOKEN, decimals: 6, eip712: { name: 'USDC', version: '2' } }
  Object.assign(florin.networks, {
    list: async () => {
      scene.askedAt.push(scene.seconds)
      if (scene.isAway) throw new FlorinError({ code: 'NETWORK_ERROR', message: 'down' })
      return [{ network: NETWORK, assets: [usdc] }]
    },
  })
  const kinds = [{ x402Version: 2, scheme: 'exact', network: NETWORK }]
  Object.assign(florin.x402, {
    supported: async () => ({ kinds, extensions: [], signers: {} }),
  })
  const gate = openGate(florin, {
    ...{ amount: '0.01', asset: 'USDC', network: NETWORK, payTo: PAY_TO },
    clock: { ...systemClock, now: () => scene.seconds * 1000 },
    ...settings,
  })
  const visit = async () => {
    const admission = await gate({ url: 'http://shop.example/', header: () => undefined })
    if (admission.kind !== 'said') throw new Error('let in for nothing')
    return admission.said
  }
  return { scene, visit }
}

test('a service that was never reached is asked less and less often, however many come, and each is told when it is asked next', async () => {
  const told: string[] = []
  const { scene, visit } = openScene({ onProblem: (code) => told.push(code) })
  const waits: (string | undefined)[] = []
  for (scene.seconds = 0; scene.seconds < 60; scene.seconds += 1) {
    const { status, headers } = await visit()
    expect(status).toBe(503)
    waits.push(headers['Retry-After'])
  }
  expect(scene.askedAt).toEqual([0, 2, 6, 14, 29, 44, 59])
  expect(waits.slice(0, 8)).toEqual(['2', '2', '4', '3', '2', '2', '8', '7'])
  expect(told).toEqual(scene.askedAt.map(() => 'NETWORK_ERROR'))
  scene.isAway = false
  scene.seconds += 15
  expect((await visit()).status).toBe(402)
})

test('a seller who listens to nothing reads when the service is away, and when it is back', async () => {
  const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const { scene, visit } = openScene()
  for (const isAway of [true, true, false, false, true, true]) {
    scene.isAway = isAway
    await visit()
    scene.seconds += 600
  }
  const away = ['paywall: NETWORK_ERROR', 'down']
  expect(printed.mock.calls).toEqual([
    away,
    ['paywall: payment can be asked for again, after NETWORK_ERROR'],
    away,
  ])
})

import { expect, onTestFinished, test } from 'vitest'
import { Florin } from '../florin.ts'
import { FlorinError } from '../florin-error.ts'
import { openGate } from './gate.ts'
import { encodeHeader } from './header-json.ts'
import { requirementsOf } from './requirement.ts'

const SOLANA = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1'
const MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const PAY_TO = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'

function aService(list: () => Promise<unknown>): Florin {
  const florin = new Florin({ baseUrl: 'http://service.example', apiKey: 'k' })
  Object.assign(florin.networks, { list })
  Object.assign(florin.x402, {
    supported: async () => ({ kinds: [], extensions: [], signers: {} }),
  })
  return florin
}

test('what upto cannot be settled on is a wrong setting, not an outage', async () => {
  const usdc = { symbol: 'USDC', asset: MINT, decimals: 6 }
  const florin = aService(async () => [{ network: SOLANA, assets: [usdc] }])
  const price = {
    amount: '0.01',
    asset: 'USDC',
    network: SOLANA,
    payTo: MINT,
    scheme: 'upto',
  } as const
  await expect(requirementsOf(florin, [price], new AbortController().signal)).rejects.toMatchObject(
    { code: 'INVALID_SETTING', message: expect.stringMatching(/EVM alone/) as unknown },
  )
})

test('who has shown no payment is not told to keep it, and a seller who hears of no problem reads each once', async () => {
  const read: string[] = []
  const own = console.error
  console.error = (...words: readonly unknown[]) => void read.push(words.join(' '))
  onTestFinished(() => {
    console.error = own
  })
  const florin = aService(async () => {
    throw new FlorinError({ code: 'NO_ANSWER', message: 'down' })
  })
  const gate = openGate(florin, {
    ...{ amount: '0.01', asset: 'USDC', network: 'base-sepolia', payTo: PAY_TO },
  })
  const proof = encodeHeader({ x402Version: 2, accepted: {}, payload: {} })
  const url = 'http://shop.example/report'
  expect(await gate({ url, header: () => undefined })).toMatchObject({
    said: { body: { message: expect.stringMatching(/Nothing was asked for/) as unknown } },
  })
  const header = (name: string) => (name === 'payment-signature' ? proof : undefined)
  expect(await gate({ url, header })).toMatchObject({
    said: { body: { message: expect.stringMatching(/Do not pay again/) as unknown } },
  })
  expect(read).toEqual(['paywall: NO_ANSWER down'])
})

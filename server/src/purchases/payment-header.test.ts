import { decodePaymentHeader, encodePaymentResponse } from '@florin/wire/x402/payment-header.ts'
import { expect, test } from 'vitest'
import { USDC } from '../chains/evm/test-network.ts'
import { parseId } from '../kernel/id.ts'
import { readDemand } from './demand.ts'
import { paymentHeader } from './payment-header.ts'

const PAYMENT = parseId('pay', `pay_${'1'.repeat(22)}`) ?? raise('no id')
const ACCEPTED = {
  ...{ scheme: 'exact', network: 'eip155:84532', amount: '10', asset: USDC.asset },
  ...{ payTo: `0x${'3'.repeat(40)}`, maxTimeoutSeconds: 60, extra: null },
}
const URL_OF_GOODS = 'https://shop.example/weather'

/** What a seller is shown that asks for payment with this resource. */
async function shownTo(resource: unknown): Promise<unknown> {
  const header = encodePaymentResponse({ x402Version: 2, resource, accepts: [ACCEPTED] })
  const headers = new Map([['payment-required', header]])
  const demand = await readDemand({ kind: 'answered', status: 402, headers, body: Buffer.of() })
  const [offer] = demand?.offers ?? []
  if (demand === undefined || offer === undefined) throw new Error('no demand')
  return decodePaymentHeader(paymentHeader(demand, offer, { signature: '0x' }, PAYMENT).header)
}

test('a seller is told what it sells in its own words, by which its facilitator lists it', async () => {
  const resource = {
    url: URL_OF_GOODS,
    ...{ description: 'The weather of a city', mimeType: 'application/json' },
    ...{ serviceName: 'Weather', tags: ['weather'], iconUrl: 'https://shop.example/icon.png' },
  }
  expect(await shownTo(resource)).toEqual({
    x402Version: 2,
    ...{ resource, accepted: ACCEPTED, payload: { signature: '0x' } },
  })
})

test.each([[{ description: 'No address' }], [URL_OF_GOODS], [null]])(
  'what names no place is not repeated: %j',
  async (resource) => {
    expect(await shownTo(resource)).not.toHaveProperty('resource')
  },
)

function raise(why: string): never {
  throw new Error(why)
}

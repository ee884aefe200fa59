import {
  extractOffersFromPaymentRequired,
  findAcceptsObjectFromSignedOffer,
  isJWSSignedReceipt,
  verifyOfferSignatureJWS,
  verifyReceiptMatchesOffer,
  verifyReceiptSignatureJWS,
} from '@x402/extensions/offer-receipt'
import type { JWSSignedOffer, SignedReceipt } from '@x402/extensions/offer-receipt'
import { expect, test } from 'vitest'
import { systemClock } from '../clock.ts'
import type { Clock } from '../clock.ts'
import { Florin } from '../florin.ts'
import { limits } from '../limits.ts'
import { openGate } from './gate.ts'
import { decodeHeader, encodeHeader } from './header-json.ts'
import type { PaywallSettings } from './price.ts'
import { receiptSigner } from './receipt-signer.ts'
import { begin, given, GOODS, openScene as openShop, SETTLED, turn } from './test-upto-shop.ts'

const NETWORK = 'eip155:84532'
const TOKEN = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'
const PAY_TO = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const PAYER = '0x8Ba1f109551bD432803012645Ac136ddd64DBA72'
const URL_ASKED = 'http://shop.example/report?n=1'
const ACCEPTED = { scheme: 'exact', network: NETWORK, amount: '10000', asset: TOKEN, payTo: PAY_TO }
const ALGORITHMS = [
  ['EdDSA', { name: 'Ed25519' }],
  ['ES256', { name: 'ECDSA', namedCurve: 'P-256' }],
] as const

/** Nobody waits in vain: a slow machine may take its time to sign. */
const PATIENT: Clock = {
  ...systemClock,
  sleep: (_, signal) =>
    new Promise((resolve) => signal?.addEventListener('abort', () => resolve())),
}

async function newJwk(algorithm: (typeof ALGORITHMS)[number][1]): Promise<JsonWebKey> {
  const made = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  if (!('privateKey' in made)) throw new Error('no pair of keys')
  return await crypto.subtle.exportKey('jwk', made.privateKey)
}

/** A gate before a service that settles everything. */
function openScene(settings: PaywallSettings) {
  const florin = new Florin({ baseUrl: 'http://service.example', apiKey: 'k' })
  const assets = [
    { symbol: 'USDC', asset: TOKEN, decimals: 6, eip712: { name: 'U', version: '2' } },
  ]
  Object.assign(florin.networks, { list: async () => [{ network: NETWORK, assets }] })
  const kinds = [{ x402Version: 2, scheme: 'exact', network: NETWORK }]
  const paid = {
    transaction: '0xabc',
    payer: PAYER,
    amount: '10000',
    extra: { paymentId: 'pay_1' },
  }
  Object.assign(florin.x402, {
    supported: async () => ({ kinds, extensions: [], signers: {} }),
    settle: async ({
      paymentRequirements: { network },
    }: {
      paymentRequirements: object & { network: string }
    }) => ({
      ...paid,
      success: true,
      network,
    }),
  })
  const price = { amount: '0.01', asset: 'USDC', network: NETWORK, payTo: PAY_TO }
  const gate = openGate(florin, { ...price, clock: PATIENT, ...settings })
  return (headers: Readonly<Record<string, string>>) =>
    gate({ url: URL_ASKED, header: (name) => headers[name] })
}

const headerOf = async (admission: ReturnType<ReturnType<typeof openScene>>, name: string) => {
  const given = await admission
  if (given.kind === 'said') return decodeHeader(given.said.headers[name] ?? '')
  if (given.kind === 'admitted') return decodeHeader(given.admitted.headers[name] ?? '')
  throw new Error(given.kind)
}
type Required = Parameters<typeof extractOffersFromPaymentRequired>[0]
const PAYMENT = encodeHeader({ x402Version: 2, accepted: ACCEPTED, payload: {} })

async function receiptOf(settings: PaywallSettings): Promise<SignedReceipt> {
  const told = await headerOf(
    openScene(settings)({ 'payment-signature': PAYMENT }),
    'PAYMENT-RESPONSE',
  )
  const { extensions } = told as {
    extensions: Record<string, { info: { receipt: SignedReceipt } }>
  }
  const receipt = extensions['offer-receipt']?.info.receipt
  if (receipt === undefined) throw new Error('no receipt')
  return receipt
}

test.each(ALGORITHMS)(
  'the stock verifier takes offers and receipts signed by %s, and finds the key in them',
  async (_, algorithm) => {
    const receipts = await receiptSigner(await newJwk(algorithm))
    const required = (await headerOf(openScene({ receipts })({}), 'PAYMENT-REQUIRED')) as Required
    const [offer] = extractOffersFromPaymentRequired(required) as JWSSignedOffer[]
    if (offer === undefined) throw new Error('no offer')
    const offered = await verifyOfferSignatureJWS(offer)
    expect(offered).toMatchObject({ ...ACCEPTED, version: 1, resourceUrl: URL_ASKED })
    expect(findAcceptsObjectFromSignedOffer(offer, required.accepts)).toBe(required.accepts[0])
    const now = Date.now() / 1000
    expect(offered.validUntil).toBeGreaterThan(now)

    const receipt = await receiptOf({ receipts })
    if (!isJWSSignedReceipt(receipt)) throw new Error('another format')
    const said = await verifyReceiptSignatureJWS(receipt)
    expect(said).toMatchObject({ payer: PAYER, network: NETWORK, resourceUrl: URL_ASKED })
    expect(said).not.toHaveProperty('transaction')
    const decoded = { ...offered, signedOffer: offer, format: 'jws', acceptIndex: 0 } as const
    expect(verifyReceiptMatchesOffer(receipt, decoded, [PAYER])).toBe(true)
    // One changed letter of what is signed, and nobody takes it.
    const [head = '', body = '', signature = ''] = receipt.signature.split('.')
    const other = `${body.slice(0, -1)}${body.endsWith('A') ? 'B' : 'A'}`
    const forged = { ...receipt, signature: `${head}.${other}.${signature}` }
    await expect(verifyReceiptSignatureJWS(forged)).rejects.toThrow(/verification failed/)
  },
)

test('a receipt names the transaction where the seller wants that, and the key as it is told', async () => {
  const jwk = await newJwk(ALGORITHMS[0][1])
  const receipts = await receiptSigner(jwk, 'did:web:shop.example#key-1')
  const receipt = await receiptOf({ receipts, receiptsNameTransactions: true })
  if (!isJWSSignedReceipt(receipt)) throw new Error('another format')
  const { d: _, key_ops: __, ...open } = jwk
  const said = await verifyReceiptSignatureJWS(receipt, open as { kty: string })
  expect(said).toMatchObject({ transaction: '0xabc' })
  expect(atob(receipt.signature.split('.')[0] ?? '')).toContain('did:web:shop.example#key-1')
})

test('a signer that fails keeps nobody from paying and from being let in, and the seller is told', async () => {
  const problems: string[] = []
  const receipts = {
    ...{ kid: 'did:web:shop.example', algorithm: 'EdDSA' },
    sign: () => Promise.reject(new Error('the vault is shut')),
  }
  const ask = openScene({ receipts, onProblem: (code) => problems.push(code) })
  const asked = await ask({})
  expect(asked).toMatchObject({ kind: 'said', said: { status: 402 } })
  const admitted = await ask({ 'payment-signature': PAYMENT })
  expect(admitted).toMatchObject({ kind: 'admitted' })
  expect(problems).toEqual(['not_signed', 'not_signed'])
})

test('a signer that never answers keeps nobody from paying and from being let in, and the seller is told', async () => {
  const problems: string[] = []
  const paid: (string | null)[] = []
  const receipts = {
    ...{ kid: 'did:web:shop.example', algorithm: 'EdDSA' },
    sign: () => new Promise<never>(() => undefined),
  }
  // Time passes for signatures alone.
  const sleep: Clock['sleep'] = (milliseconds, signal) =>
    milliseconds === limits.paywallAskMilliseconds
      ? Promise.resolve()
      : PATIENT.sleep(milliseconds, signal)
  const ask = openScene({
    ...{ receipts, clock: { ...systemClock, sleep } },
    onProblem: (code) => problems.push(code),
    onPaid: ({ paymentId }) => paid.push(paymentId),
  })
  expect(await ask({})).toMatchObject({ kind: 'said', said: { status: 402 } })
  const admitted = await ask({ 'payment-signature': PAYMENT })
  expect(admitted).toMatchObject({ kind: 'admitted' })
  expect([problems, paid]).toEqual([['not_signed', 'not_signed'], ['pay_1']])
})

test('where nothing was taken there is no receipt, and nothing is told of', async () => {
  const receipts = await receiptSigner(await newJwk(ALGORITHMS[0][1]))
  const told: string[] = []
  const options = {
    receipts,
    onPaid: () => told.push('paid'),
    onUndelivered: () => told.push('undelivered'),
  }
  for (const [amount, isSigned] of [
    ['0', false],
    ['0.01', true],
  ] as const) {
    const scene = openShop(async (units) => ({ ...SETTLED, amount: units }), options)
    const metered = await begin(scene.ask())
    metered.setAmount(amount)
    const { admitted } = await given(metered.finish(GOODS))
    const response = decodeHeader(admitted.headers['PAYMENT-RESPONSE'] ?? '')
    expect(typeof response === 'object' && response !== null && 'extensions' in response).toBe(
      isSigned,
    )
    await admitted.ended('the connection broke')
    await turn()
    expect(told).toEqual(isSigned ? ['paid', 'undelivered'] : [])
  }
})

test.each([
  {},
  { kty: 'oct', k: 'c2VjcmV0' },
  { kty: 'OKP', crv: 'Ed25519', x: 'AA' },
  { kty: 'OKP', crv: 'Ed25519', x: 'AA', d: 'secret-of-somebody' },
])('a key that is none is refused, and not repeated: %j', async (jwk) => {
  const refused = receiptSigner(jwk)
  await expect(refused).rejects.toMatchObject({ code: 'INVALID_SETTING' })
  await expect(refused).rejects.not.toThrow(/secret-of-somebody/)
})

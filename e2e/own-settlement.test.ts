import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Address } from '@florin/server/chains/chain.ts'
import { until } from '@florin/server/kernel/until.ts'
import type { Family } from '@florin/wire/network.ts'
import type { Client, Reply } from './actors/client.ts'
import { codeOf, detailsOf } from './actors/client.ts'
import { anotherAccount } from './actors/receiver.ts'
import { aPurchase, offerOf, submitElsewhere } from './actors/seller.ts'
import type { Purchase, SettleBody } from './actors/seller.ts'
import { evmCustodian, solanaCustodian, transactionOf } from './actors/self-custodian.ts'
import type { EvmCustodian, SelfCustodian } from './actors/self-custodian.ts'
import { aSolanaPurchase } from './actors/solana-purchase.ts'
import type { World } from './actors/world.ts'
import { openWorld, walletOf } from './actors/world.ts'
import { write } from '@florin/server/store/test-write.ts'

const LANDS = { seconds: 40 }
const PRICE = 10_000n

describe('settling with the seller’s own wallet', () => {
  let world: World
  let other: Client
  beforeAll(async () => {
    world = await openWorld({ solana: true })
    other = await anotherAccount(world)
  }, 240_000)
  afterEach(() => world.sandbox.clearFaults())
  afterAll(() => world.stop(), 240_000)

  const newSeller = (family: Family): Promise<SelfCustodian> =>
    family === 'evm' ? evmCustodian(world.sandbox) : solanaCustodian(world.sandbox)
  const buyOnEvm = ({ address }: SelfCustodian): Promise<Purchase> =>
    aPurchase(world, { to: address as Address })
  const buyFrom = (seller: SelfCustodian): Promise<SettleBody> =>
    seller.family === 'evm' ? buyOnEvm(seller) : aSolanaPurchase(world, seller.address)
  const receive = (
    bought: SettleBody,
    fields: Record<string, unknown> = {},
    client = world.client(),
    headers: Record<string, string> = {},
  ) => client.post('/transaction/receive', { ...offerOf(bought), ...fields }, headers)
  const record = async (paymentId: unknown, client = world.client()) =>
    (await client.get(`/payment/status/${String(paymentId)}`)).body
  const reaches = (reply: Reply, status: string, client = world.client()) =>
    until(
      `the payment is ${status}`,
      async () => {
        const found = await record(reply.body['paymentId'], client)
        return found['status'] === status && found
      },
      LANDS,
    )
  const lapse = (reply: Reply) =>
    write(
      world.database.store,
      'test_lapse',
      `update settlement_claims set built_until = now() - interval '1 second' where payment_id = $1`,
      [reply.body['paymentId']],
    )

  test.concurrent.each(['evm', 'solana'] as const)(
    'what was built is signed and sent by the seller alone, seen, settled, and told as a success once (%s)',
    async (family) => {
      const seller = await newSeller(family)
      const bought = await buyFrom(seller)
      const before = await world.balanceOf(seller.address, 'USDC')
      const built = await receive(bought)
      expect(built.body).toMatchObject({
        success: true,
        status: 'pending',
        paymentProof: null,
        format: family === 'evm' ? 'eip1559-rlp' : 'solana-v0',
        summary: {
          feePayer: seller.address,
          transfers: [{ to: seller.address, amountBaseUnits: `${PRICE}` }],
          commitments: [],
        },
      })
      const hash = await seller.broadcast(await seller.sign(transactionOf(built)))
      const settled = await reaches(built, 'settled')
      expect(settled).toMatchObject({
        signature: hash,
        type: 'received',
        recipient: seller.address,
        amountBaseUnits: `${PRICE}`,
        attempts: [],
      })
      expect(await world.balanceOf(seller.address, 'USDC')).toBe(before + PRICE)

      const late = await receive(bought)
      expect(codeOf(late)).toBe('DUPLICATE_SETTLEMENT')
      expect(detailsOf(late)).toMatchObject({
        paymentId: built.body['paymentId'],
        status: 'settled',
        signature: hash,
      })
      const path = '/payment/settle'
      const once = await world.client().post(path, { paymentId: built.body['paymentId'] })
      expect(once.body).toMatchObject({ success: true, signature: hash })
      const twice = await world.client().post(path, { paymentId: built.body['paymentId'] })
      expect(codeOf(twice)).toBe('DUPLICATE_SETTLEMENT')
    },
    240_000,
  )

  test.concurrent.each(['evm', 'solana'] as const)(
    'through the nodes of the service, with a key, many at once: one record, one claim, one nonce (%s)',
    async (family) => {
      const seller = await newSeller(family)
      const client = world.client()
      const bought = await buyFrom(seller)
      const key = { 'idempotency-key': `own-settlement-${family}` }
      const many = await Promise.all([
        receive(bought, {}, client, key),
        ...Array.from({ length: 5 }, () => receive(bought)),
      ])
      expect(new Set(many.map(({ body }) => body['paymentId'])).size).toBe(1)
      const nonces = many.map(({ body }) => (body['unsigned'] as { nonce: number })?.nonce)
      expect(new Set(nonces).size).toBe(1)
      const built = await receive(bought, {}, client, key)
      expect(built.headers.get('idempotent-replayed')).toBe('true')
      const mismatch = await receive(bought, { priorityFee: 0 }, client, key)
      expect(codeOf(mismatch)).toBe('IDEMPOTENCY_MISMATCH')

      const signed = await seller.sign(transactionOf(built))
      const submit = (transaction: string, as = client) =>
        as.post('/transaction/submit', { transaction, walletAddress: seller.address })
      if ('signEdited' in seller) {
        const edited = await (seller as EvmCustodian).signEdited(transactionOf(built), {
          data: '0x',
        })
        expect(codeOf(await submit(edited))).toBe('INVALID_PARAMETERS')
      }
      expect(codeOf(await submit(transactionOf(built)))).toBe('INVALID_PARAMETERS')
      expect(codeOf(await submit(signed, other))).toBe('INVALID_PARAMETERS')
      const sent = await submit(signed)
      expect(sent.body).toMatchObject({ accepted: true, paymentId: built.body['paymentId'] })
      const { signature } = sent.body
      expect(await reaches(built, 'settled')).toMatchObject({ signature })
      const again = await submit(signed)
      expect(again.body).toMatchObject({ accepted: true, status: 'settled', signature })
      const found = await client.get(`/payment/find?signature=${String(signature)}`)
      expect(found.body['payments']).toHaveLength(1)
    },
    240_000,
  )

  test.concurrent(
    'a proof that was edited, that pays somebody else, or that cannot be built on is refused, and nothing is stored',
    async () => {
      const bought = await buyOnEvm(await newSeller('evm'))
      const onSolana = await buyFrom(await newSeller('solana'))
      const verdict = async (fields: Record<string, unknown>, of: SettleBody = bought) =>
        codeOf(await receive(of, fields))
      const edited = (change: (payload: Record<string, unknown>) => void) => {
        const body = structuredClone(bought.body)
        change(body.paymentPayload['payload'] as Record<string, unknown>)
        return { paymentProof: offerOf({ ...bought, body }).paymentProof }
      }
      const more = edited((payload) => {
        ;(payload['authorization'] as Record<string, string>)['value'] = '20000'
      })
      const resigned = edited((payload) => {
        payload['signature'] = `0x${'11'.repeat(65)}`
      })
      expect(await verdict({ ...more, expectedAmount: '0.02' })).toBe('INVALID_PAYMENT_PROOF')
      expect(await verdict(resigned)).toBe('INVALID_PAYMENT_PROOF')
      expect(await verdict({ paymentProof: 'not a proof' })).toBe('INVALID_PAYMENT_PROOF')
      expect(await verdict({ expectedAmount: '0.02' })).toBe('PAYMENT_VERIFICATION_FAILED')
      expect(await verdict({ walletAddress: world.newAddress() })).toBe('INVALID_RECIPIENT')
      expect(await verdict({ walletAddress: world.newAddress('solana') }, onSolana)).toBe(
        'PAYMENT_VERIFICATION_FAILED',
      )
      expect(await verdict({ network: 'eip155:1' })).toBe('UNSUPPORTED_NETWORK')
      expect(await verdict({ network: 'solana-devnet' })).toBe('INVALID_RECIPIENT')
      expect(await verdict({ asset: 'DOGE' })).toBe('UNSUPPORTED_ASSET')
      expect(await verdict({ facilitatorUrl: 'https://facilitator.example' })).toBe(
        'INVALID_PARAMETERS',
      )
      // The service's own key pays the fee of this one, so no wallet of the seller's can.
      const managed = await aSolanaPurchase(world)
      expect(await verdict({}, managed)).toBe('PAYMENT_VERIFICATION_FAILED')
      const poor = await aPurchase(world)
      expect(await verdict({}, poor)).toBe('INSUFFICIENT_BALANCE')
      const custodial = await aPurchase(world, { to: walletOf(world) as Address })
      expect(detailsOf(await receive(custodial))['walletAddress']).toContain(
        'a wallet of this service',
      )
      const { store } = world.database
      for (const purchase of [bought, poor, custodial]) {
        const stored = await store.query(
          'test_claims',
          `select from settlement_claims where proof_key like '%' || $1 || '%'`,
          [purchase.payer.address],
        )
        expect(stored).toEqual([])
      }
    },
  )

  test.concurrent('a transfer of this service has its transaction already', async () => {
    const client = world.client()
    const recipient = world.newAddress()
    const sent = await client.post('/payment/send', {
      walletAddress: walletOf(world),
      recipientAddress: recipient,
      amount: '0.01',
      timeout: 20,
    })
    const refused = await client.post('/transaction/receive', {
      walletAddress: recipient,
      paymentProof: sent.body['paymentProof'],
      expectedAmount: '0.01',
    })
    expect(codeOf(refused)).toBe('DUPLICATE_SETTLEMENT')
    expect(detailsOf(refused)).toMatchObject({ signature: sent.body['signature'] })
  })

  test.concurrent(
    'while a build is out no other account has the proof; once it lapsed one may take it over, and the first is over',
    async () => {
      const seller = await evmCustodian(world.sandbox)
      const bought = await buyOnEvm(seller)
      const built = await receive(bought)
      const denied = [
        await receive(bought, {}, other),
        await other.post('/payment/receive', { ...offerOf(bought), timeout: 0 }),
        await receive(bought, { resource: 'https://shop.example/another' }),
      ]
      for (const each of denied) {
        expect(codeOf(each)).toBe('DUPLICATE_SETTLEMENT')
        expect(detailsOf(each)['paymentId']).toBeUndefined()
      }
      expect((await other.post('/x402/settle', bought.body)).body).toMatchObject({
        success: false,
        errorReason: 'duplicate_settlement',
      })
      await lapse(built)
      const again = await receive(bought)
      expect(again.body['paymentId']).toBe(built.body['paymentId'])
      expect(codeOf(await receive(bought, {}, other))).toBe('DUPLICATE_SETTLEMENT')

      await lapse(built)
      const taken = await Promise.all([receive(bought, {}, other), receive(bought, {}, other)])
      expect(new Set(taken.map(({ body }) => body['paymentId'])).size).toBe(1)
      expect(await record(built.body['paymentId'])).toMatchObject({ status: 'expired' })
      expect(codeOf(await receive(bought))).toBe('DUPLICATE_SETTLEMENT')
      const late = await world.client().post('/transaction/submit', {
        transaction: await seller.sign(transactionOf(built)),
        walletAddress: seller.address,
      })
      expect(codeOf(late)).toBe('TRANSACTION_FAILED')
      // Whoever sends it: the effect belongs to the claim.
      await seller.broadcast(await seller.sign(transactionOf(built)))
      const [of] = taken
      await reaches(of, 'settled', other)
      expect(await record(built.body['paymentId'])).toMatchObject({ status: 'expired' })
      expect(await world.balanceOf(seller.address, 'USDC')).toBe(100_000_000n + PRICE)
    },
    240_000,
  )

  test.concurrent(
    'a lapsed build gives way to a settlement by another account, and not once the chain shows it',
    async () => {
      const seller = await evmCustodian(world.sandbox)
      const [first, second] = [await buyOnEvm(seller), await buyOnEvm(seller)]
      const [given, kept] = [await receive(first), await receive(second)]
      await lapse(given)
      const settled = await other.post('/payment/receive', { ...offerOf(first), timeout: 30 })
      expect(settled.body).toMatchObject({ success: true })
      expect(await record(given.body['paymentId'])).toMatchObject({ status: 'expired' })

      const hash = await submitElsewhere(world, second)
      const both = 100_000_000n + 2n * PRICE
      await until(
        'both are paid',
        async () => (await world.balanceOf(seller.address, 'USDC')) === both,
        LANDS,
      )
      await lapse(kept)
      const foreign = await other.post('/payment/receive', { ...offerOf(second), timeout: 0 })
      expect(codeOf(foreign)).toBe('DUPLICATE_SETTLEMENT')
      expect(await reaches(kept, 'settled')).toMatchObject({ signature: hash })
    },
    240_000,
  )

  test.concurrent(
    'the same account may settle through the service after all; what the seller sends then moves nothing',
    async () => {
      const seller = await evmCustodian(world.sandbox)
      const bought = await buyOnEvm(seller)
      const built = await receive(bought)
      const client = world.client()
      const settled = await client.post('/payment/receive', { ...offerOf(bought), timeout: 30 })
      expect(settled.body).toMatchObject({ success: true, paymentId: built.body['paymentId'] })
      const refused = await receive(bought)
      expect(codeOf(refused)).toBe('DUPLICATE_SETTLEMENT')
      expect(detailsOf(refused)).toMatchObject({ signature: settled.body['signature'] })
      await seller.broadcast(await seller.sign(transactionOf(built)))
      const { signature } = settled.body
      expect(await reaches(built, 'settled')).toMatchObject({ signature })
      expect(await world.balanceOf(seller.address, 'USDC')).toBe(100_000_000n + PRICE)
    },
    240_000,
  )

  test.concurrent(
    'what a stranger has settled before the build is told with its state',
    async () => {
      const bought = await buyOnEvm(await evmCustodian(world.sandbox))
      const hash = await submitElsewhere(world, bought)
      const refused = await until(
        'the chain shows it',
        async () => {
          const reply = await receive(bought)
          return codeOf(reply) === 'DUPLICATE_SETTLEMENT' && reply
        },
        LANDS,
      )
      expect(detailsOf(refused)).toMatchObject({ signature: hash })
      const paymentId = String(detailsOf(refused)['paymentId'])
      const success = await world.client().post('/payment/settle', { paymentId, timeout: 30 })
      expect(success.body).toMatchObject({ success: true, signature: hash })
    },
  )

  test.concurrent(
    'a seller who edits the transaction before it signs settles nothing with it, and may build again',
    async () => {
      const seller = await evmCustodian(world.sandbox)
      const bought = await buyOnEvm(seller)
      const built = await receive(bought)
      const stranger = world.newAddress()
      const edit = { to: stranger as `0x${string}`, data: '0x' as const, value: 5n }
      await seller.broadcast(await seller.signEdited(transactionOf(built), edit))
      await until('it is in', async () => (await world.balanceOf(stranger)) === 5n, LANDS)
      expect(await record(built.body['paymentId'])).toMatchObject({ status: 'pending' })
      const again = await receive(bought)
      expect(again.body['paymentId']).toBe(built.body['paymentId'])
      // Another fee is the seller's own affair.
      const dearer = await seller.signEdited(transactionOf(again), { gas: 200_000n })
      const hash = await seller.broadcast(dearer)
      expect(await reaches(again, 'settled')).toMatchObject({ signature: hash })

      const solana = await solanaCustodian(world.sandbox)
      const onSolana = await receive(await buyFrom(solana))
      const more = await solana.signWithMore(transactionOf(onSolana), world.newAddress('solana'))
      await expect(solana.broadcast(more)).rejects.toThrow()
      const submitted = await world
        .client()
        .post('/transaction/submit', { transaction: more, walletAddress: solana.address })
      expect(codeOf(submitted)).toBe('INVALID_PARAMETERS')
      expect(await record(onSolana.body['paymentId'])).toMatchObject({ status: 'pending' })
      await solana.broadcast(await solana.sign(transactionOf(onSolana)))
      await reaches(onSolana, 'settled')
    },
    240_000,
  )

  test.concurrent('what is given up is free for others at once', async () => {
    const seller = await evmCustodian(world.sandbox)
    const bought = await buyOnEvm(seller)
    const built = await receive(bought)
    const path = `/transaction/${String(built.body['paymentId'])}`
    expect(codeOf(await other.delete(path))).toBe('NOT_FOUND')
    expect((await world.client().delete(path)).body).toMatchObject({ abandoned: true })
    const taken = await receive(bought, {}, other)
    expect(await record(built.body['paymentId'])).toMatchObject({ status: 'expired' })
    await seller.broadcast(await seller.sign(transactionOf(taken)))
    await reaches(taken, 'settled', other)
  })

  test('what is sent while the service is dead, and taken back by a reorg, is found in the end', async () => {
    const [evm, solana] = [await newSeller('evm'), await newSeller('solana')]
    const [first, second] = [
      await receive(await buyFrom(evm)),
      await receive(await buyFrom(solana)),
    ]
    await world.service().kill()
    await evm.broadcast(await evm.sign(transactionOf(first)))
    await solana.broadcast(await solana.sign(transactionOf(second)))
    await world.start()
    await Promise.all([reaches(first, 'settled'), reaches(second, 'settled')])

    const third = await receive(await buyOnEvm(evm))
    const signed = await evm.sign(transactionOf(third))
    await world.sandbox.fault({ kind: 'stop-blocks' })
    const hash = await evm.broadcast(signed)
    await world.sandbox.mine()
    await reaches(third, 'confirmed')
    await world.sandbox.fault({ kind: 'reorg', depth: 1 })
    await world.sandbox.mine()
    await reaches(third, 'pending')
    await evm.broadcast(signed)
    await world.sandbox.fault({ kind: 'resume-blocks' })
    expect(await reaches(third, 'settled')).toMatchObject({ signature: hash })
  }, 240_000)
})

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { formatAmount } from '@florin/wire/amount.ts'
import { until } from '@florin/server/kernel/until.ts'
import type { Client, Reply } from './actors/client.ts'
import { codeOf, detailsOf } from './actors/client.ts'
import { anotherAccount } from './actors/receiver.ts'
import { build, evmCustodian, solanaCustodian, transactionOf } from './actors/self-custodian.ts'
import type { EvmCustodian, SelfCustodian, SolanaCustodian } from './actors/self-custodian.ts'
import type { World } from './actors/world.ts'
import { openWorld } from './actors/world.ts'
import { write } from '@florin/server/store/test-write.ts'

const LANDS = { seconds: 30 }

describe('self-custody mode', () => {
  let world: World
  let other: Client
  let evm: EvmCustodian
  let solana: SolanaCustodian
  beforeAll(async () => {
    world = await openWorld({ solana: true })
    other = await anotherAccount(world)
    ;[evm, solana] = await Promise.all([
      evmCustodian(world.sandbox),
      solanaCustodian(world.sandbox),
    ])
  }, 240_000)
  afterEach(() => world.sandbox.clearFaults())
  afterAll(() => world.stop(), 240_000)

  const holderOf = (family: string) => (family === 'evm' ? evm : solana)
  const record = async (reply: Reply, client = world.client()) =>
    (await client.get(`/payment/status/${String(reply.body['paymentId'])}`)).body
  const reaches = (reply: Reply, status: string, client = world.client()) =>
    until(
      `the payment is ${status}`,
      async () => {
        const found = await record(reply, client)
        return found['status'] === status && found
      },
      LANDS,
    )

  test.concurrent.each([
    ['evm', 'native', 10_000_000_000_000_000n],
    ['evm', 'USDC', 10_000n],
    ['solana', 'native', 10_000_000n],
    ['solana', 'USDC', 10_000n],
  ] as const)(
    'what was built on %s in %s, signed and sent outside, is confirmed and settled, and its proof is a success once',
    async (family, asset, units) => {
      const holder = holderOf(family)
      const recipient = world.newAddress(family)
      const built = await build(world.client(), holder, recipient, { asset })
      expect(built.body).toMatchObject({ success: true, status: 'pending', sandbox: true })
      const shown = {
        walletAddress: recipient,
        paymentProof: built.body['paymentProof'],
        expectedAmount: '0.01',
        timeout: 0,
      }
      const early = await other.post('/payment/receive', shown)
      expect(codeOf(early)).toBe('SETTLEMENT_PENDING')

      const hash = await holder.broadcast(await holder.sign(transactionOf(built)))
      const settled = await reaches(built, 'settled')
      expect(settled).toMatchObject({
        signature: hash,
        type: 'sent',
        selfCustody: true,
        sender: holder.address,
        recipient,
        amountBaseUnits: `${units}`,
        attempts: [],
        priorityFee: built.body['priorityFee'],
      })
      expect(settled['remark']).toBeUndefined()
      expect(await world.balanceOf(recipient, asset)).toBe(units)

      const received = await other.post('/payment/receive', { ...shown, timeout: 20 })
      expect(received.body).toMatchObject({ success: true, signature: hash })
      const again = await other.post('/payment/receive', shown)
      expect(codeOf(again)).toBe('DUPLICATE_SETTLEMENT')
    },
    240_000,
  )

  test.concurrent(
    'an edited transaction confirms nothing, and the record says what was seen',
    async () => {
      const holder = await evmCustodian(world.sandbox)
      const recipient = world.newAddress()
      const built = await build(world.client(), holder, recipient)
      await holder.broadcast(await holder.signEdited(transactionOf(built), { value: 7n }))
      expect(await reaches(built, 'expired')).toMatchObject({
        signature: null,
        remark: { reason: 'other_terms' },
      })
      expect(await world.balanceOf(recipient)).toBe(7n)
      const shown = {
        walletAddress: recipient,
        paymentProof: built.body['paymentProof'],
        expectedAmount: '0.01',
      }
      expect(codeOf(await other.post('/payment/receive', shown))).toBe('INVALID_PAYMENT_PROOF')
    },
  )

  test.concurrent(
    'builds of one wallet take different nonces, a stranger takes none, and what is given up makes room',
    async () => {
      const holder = await evmCustodian(world.sandbox)
      const nonceOf = ({ body }: Reply) => (body['unsigned'] as { nonce: number }).nonce
      const foreign = await build(other, holder, world.newAddress())
      const given = await build(world.client(), holder, world.newAddress())
      const kept = await Promise.all(
        Array.from({ length: 5 }, () => build(world.client(), holder, world.newAddress())),
      )
      expect(nonceOf(foreign)).toBe(nonceOf(given))
      expect(new Set(kept.map(nonceOf))).toEqual(new Set([1, 2, 3, 4, 5]))
      const path = `/transaction/${String(given.body['paymentId'])}`
      expect(codeOf(await other.delete(path))).toBe('NOT_FOUND')
      expect((await world.client().delete(path)).body).toMatchObject({ abandoned: true })
      const instead = await build(world.client(), holder, world.newAddress())
      expect(nonceOf(instead)).toBe(nonceOf(given))
      for (const each of [instead, ...kept]) {
        await holder.broadcast(await holder.sign(transactionOf(each)))
      }
      await Promise.all([instead, ...kept].map((each) => reaches(each, 'settled')))
      expect(await reaches(given, 'expired')).toMatchObject({
        abandoned: true,
        remark: { reason: 'nonce_used_by_another_transaction' },
      })
      await reaches(foreign, 'expired', other)
      const found = await world
        .client()
        .get(`/payment/find?nonce=0&network=eip155:84532&sender=${holder.address}`)
      const ids = (found.body['payments'] as { paymentId: string }[]).map((each) => each.paymentId)
      expect(new Set(ids)).toEqual(
        new Set([given, instead].map(({ body }) => String(body['paymentId']))),
      )
    },
  )

  test.each(['evm', 'solana'] as const)(
    'without a node of one: what was built is simulated, refused while it is not as it was built, and sent (%s)',
    async (family) => {
      const holder = holderOf(family)
      const client = world.client()
      const recipient = world.newAddress(family)
      const built = await build(client, holder, recipient)
      const transaction = transactionOf(built)
      const walletAddress = holder.address
      const simulated = await client.post('/transaction/simulate', { transaction, walletAddress })
      expect(simulated.body).toMatchObject({ succeeds: true, error: null, signed: false })
      expect(simulated.body['summary']).toEqual(built.body['summary'])
      expect(simulated.body['changes']).toContainEqual(
        expect.objectContaining({ address: recipient, asset: 'native' }),
      )

      const submit = (text: string, as = client) =>
        as.post('/transaction/submit', { transaction: text, walletAddress })
      const signed = await holder.sign(transaction)
      const bytes = Buffer.from(signed, 'base64')
      const changed = Buffer.from(bytes)
      changed[40] = (changed[40] ?? 0) ^ 1
      for (const wrong of [
        transaction,
        changed.toString('base64'),
        bytes.subarray(0, -1).toString('base64'),
        Buffer.concat([bytes, Buffer.from([0])]).toString('base64'),
        'AAAA',
        'not base64',
      ]) {
        expect(codeOf(await submit(wrong))).toBe('INVALID_PARAMETERS')
      }
      const edited =
        family === 'evm'
          ? await evm.signEdited(transaction, { value: 7n })
          : await solana.signWithMore(transaction, world.newAddress('solana'))
      expect(detailsOf(await submit(edited))['transaction']).toContain('something else')
      const foreign = await submit(signed, other)
      expect(detailsOf(foreign)['transaction']).toContain('built for your account')
      const nothing = await world.database.store.query(
        'test_submissions',
        'select from submissions where payment_id = $1',
        [built.body['paymentId']],
      )
      expect(nothing).toEqual([])

      const body = { transaction: signed, walletAddress }
      const key = { 'idempotency-key': `submit-${family}` }
      const sent = await client.post('/transaction/submit', body, key)
      const again = await client.post('/transaction/submit', body, key)
      expect(again.headers.get('idempotent-replayed')).toBe('true')
      const mismatch = await client.post(
        '/transaction/submit',
        { transaction: signed, network: 'eip155:84532' },
        key,
      )
      expect(codeOf(mismatch)).toBe('IDEMPOTENCY_MISMATCH')
      expect(sent.body).toMatchObject({ paymentId: built.body['paymentId'], accepted: true })
      expect(await reaches(built, 'settled')).toMatchObject({ signature: sent.body['signature'] })
      expect((await submit(signed)).body).toMatchObject({ accepted: true, status: 'settled' })
    },
  )

  test('bad input is a clear error', async () => {
    const client = world.client()
    const to = world.newAddress()
    const verdict = async (fields: Record<string, unknown>, holder: SelfCustodian = evm) =>
      codeOf(await build(client, holder, to, fields))
    expect(await verdict({ amount: '11' })).toBe('INSUFFICIENT_BALANCE')
    expect(await verdict({ amount: '101', asset: 'USDC' })).toBe('INSUFFICIENT_BALANCE')
    expect(await verdict({ amount: '0' })).toBe('INVALID_PARAMETERS')
    expect(await verdict({ amount: '0.0000001', asset: 'USDC' })).toBe('INVALID_PARAMETERS')
    expect(await verdict({}, solana)).toBe('INVALID_RECIPIENT')
    // Nobody shall believe that a wrong letter of it would be noticed.
    expect(detailsOf(await build(client, solana, to))).toEqual({
      recipientAddress: 'must be a valid solana address: 32 bytes in base58',
    })
    expect(await verdict({ network: 'eip155:1' })).toBe('UNSUPPORTED_NETWORK')
    expect(await verdict({ asset: 'DOGE' })).toBe('UNSUPPORTED_ASSET')
    expect(await verdict({ recipientAddress: world.sandbox.usdc, asset: 'USDC' })).toBe(
      'INVALID_RECIPIENT',
    )
    expect(await verdict({ walletAddress: world.newAddress() })).toBe('INSUFFICIENT_BALANCE')
  })

  test('an amount that its chain cannot count is the order at fault, one that it can is only too much', async () => {
    const client = world.client()
    for (const [holder, most] of [
      [evm, 2n ** 256n - 1n],
      [solana, 2n ** 64n - 1n],
    ] as const) {
      const to = world.newAddress(holder.family)
      for (const [asset, decimals] of [
        ['USDC', 6],
        ['native', holder.family === 'evm' ? 18 : 9],
      ] as const) {
        const asked = (units: bigint) =>
          build(client, holder, to, { asset, amount: formatAmount(units, decimals) })
        expect(codeOf(await asked(most))).toBe('INSUFFICIENT_BALANCE')
        const { body, status } = await asked(most + 1n)
        expect({ status, error: body['error'] }).toMatchObject({
          status: 400,
          error: { details: { amount: `must be at most ${formatAmount(most, decimals)}` } },
        })
      }
    }
  })

  test('a build on Solana that nobody sends expires when its lifetime is over, and cannot be sent any more', async () => {
    const built = await build(world.client(), solana, world.newAddress('solana'))
    const signed = await solana.sign(transactionOf(built))
    await write(
      world.database.store,
      'test_age',
      `update builds set expires_at = now() - interval '1 second', look_at = now() where payment_id = $1`,
      [built.body['paymentId']],
    )
    await world.sandbox.fault({ chain: 'solana', kind: 'expire' })
    expect(await reaches(built, 'expired')).toMatchObject({ remark: { reason: 'lifetime_over' } })
    const late = await world
      .client()
      .post('/transaction/submit', { transaction: signed, walletAddress: solana.address })
    expect(codeOf(late)).toBe('TRANSACTION_FAILED')
  })

  test('what is sent while the service is dead, and taken back by a reorg, is found in the end', async () => {
    const [first, second] = [
      await build(world.client(), evm, world.newAddress()),
      await build(world.client(), solana, world.newAddress('solana')),
    ]
    await world.service().kill()
    await evm.broadcast(await evm.sign(transactionOf(first)))
    await solana.broadcast(await solana.sign(transactionOf(second)))
    await world.start()
    await Promise.all([reaches(first, 'settled'), reaches(second, 'settled')])

    const third = await build(world.client(), evm, world.newAddress())
    const signed = await evm.sign(transactionOf(third))
    await world.sandbox.fault({ kind: 'stop-blocks' })
    await evm.broadcast(signed)
    await world.sandbox.mine()
    const confirmed = await reaches(third, 'confirmed')
    await world.sandbox.fault({ kind: 'reorg', depth: 1 })
    await world.sandbox.mine()
    await reaches(third, 'pending')
    await evm.broadcast(signed)
    await world.sandbox.fault({ kind: 'resume-blocks' })
    expect(await reaches(third, 'settled')).toMatchObject({ signature: confirmed['signature'] })
  }, 240_000)
})

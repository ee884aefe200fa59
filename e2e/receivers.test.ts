import { sign as signBytes, generateKeyPairSync } from 'node:crypto'
import { privateKeyToAccount, generatePrivateKey } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { encodeBase58 } from '@florin/server/chains/solana/base58.ts'
import { until } from '@florin/server/kernel/until.ts'
import type { Fields } from '@florin/wire/x402/fields.ts'
import { registrationText } from '@florin/wire/receiving-address.ts'
import type { Client, Reply } from './actors/client.ts'
import { codeOf, detailsOf } from './actors/client.ts'
import { inNextBlock } from './actors/in-next-block.ts'
import { anotherAccount, encoded, headerOf, receiving, RESOURCE } from './actors/receiver.ts'
import { aPurchase } from './actors/seller.ts'
import type { Purchase } from './actors/seller.ts'
import type { World } from './actors/world.ts'
import { openWorld, walletOf } from './actors/world.ts'
import { TOLD } from './actors/told.ts'
import { write } from '@florin/server/store/test-write.ts'

const verdict = (reply: Reply) =>
  reply.status === 200 ? '200' : `${reply.status} ${String(codeOf(reply))}`
const reasonOf = (reply: Reply) => detailsOf(reply)['reason']

describe('the seller’s side', () => {
  let world: World
  let own: Client
  let other: Client
  beforeAll(async () => {
    world = await openWorld({ solana: true })
    own = world.client()
    other = await anotherAccount(world)
  }, 240_000)
  afterEach(() => world.sandbox.clearFaults())
  afterAll(() => world.stop(), 240_000)

  describe('a registered receiving address', () => {
    const challengeOf = async (client: Client, address: string): Promise<string> =>
      String((await client.get(`/addresses/challenge?address=${address}`)).body['challenge'])
    /** A holder of an EVM address that has registered it for the client's account. */
    const registered = async (client: Client) => {
      const holder = privateKeyToAccount(generatePrivateKey())
      const challenge = await challengeOf(client, holder.address)
      const signature = await holder.signMessage({ message: challenge })
      const body = { address: holder.address, challenge, signature, label: 'till' }
      const reply = await client.post('/addresses', body)
      expect(verdict(reply)).toBe('200')
      return { address: holder.address, body }
    }
    /** A purchase from that address’s seller. */
    const soldBy = async (address: string): Promise<Purchase> => {
      const to = address as Purchase['payTo']
      const { body, ...rest } = await aPurchase(world, { to })
      const paymentRequirements = { ...body.paymentRequirements, payTo: address }
      const paymentPayload = { ...body.paymentPayload, accepted: paymentRequirements }
      return { ...rest, payTo: to, body: { ...body, paymentRequirements, paymentPayload } }
    }

    test('is claimed for by its account alone: receive, settle and verify in every wording', async () => {
      const { address } = await registered(own)
      const purchase = await soldBy(address)
      const reason = 'receiver_of_another_account'
      const received = await other.post('/payment/receive', receiving(purchase))
      expect([verdict(received), reasonOf(received)]).toEqual([
        '400 PAYMENT_VERIFICATION_FAILED',
        reason,
      ])
      const settled = await other.post('/x402/settle', purchase.body)
      expect(settled.body).toMatchObject({ success: false, errorReason: reason })
      const verified = await other.post('/x402/verify', purchase.body)
      expect(verified.body).toMatchObject({ isValid: false, invalidReason: reason })
      const asked = { payment_proof: headerOf(purchase), amount: '0.01', recipient: address }
      const told = await other.post('/v1/payments/verify', asked)
      expect(told.body).toMatchObject({ valid: false, reason })
      expect(verdict(await own.post('/payment/receive', receiving(purchase)))).toBe('200')
    })

    test('is anybody’s again once it was given up, and an unregistered one is the first claim’s', async () => {
      const { address } = await registered(own)
      expect(verdict(await other.delete(`/addresses/${address}`))).toBe('404 NOT_FOUND')
      expect(verdict(await own.delete(`/addresses/${address}`))).toBe('200')
      expect(verdict(await own.delete(`/addresses/${address}`))).toBe('404 NOT_FOUND')
      const purchase = await soldBy(address)
      expect(verdict(await other.post('/payment/receive', receiving(purchase)))).toBe('200')
      const late = await own.post('/payment/receive', receiving(purchase))
      expect(verdict(late)).toBe('409 DUPLICATE_SETTLEMENT')
    })

    test('a wallet of the service counts as its account’s', async () => {
      const purchase = await soldBy(walletOf(world, 1))
      const reply = await other.post('/payment/receive', receiving(purchase))
      expect(reasonOf(reply)).toBe('receiver_of_another_account')
      expect(verdict(await own.post('/payment/receive', receiving(purchase)))).toBe('200')
    })

    test('on Solana is signed by its key, in base58 or base64', async () => {
      for (const encoding of ['base58', 'base64'] as const) {
        const { publicKey, privateKey } = generateKeyPairSync('ed25519')
        const spki = publicKey.export({ format: 'der', type: 'spki' })
        const address = encodeBase58(spki.subarray(-32))
        const challenge = await challengeOf(own, address)
        const bytes = signBytes(null, Buffer.from(challenge), privateKey)
        const signature = encoding === 'base58' ? encodeBase58(bytes) : bytes.toString('base64')
        const reply = await own.post('/addresses', { address, challenge, signature })
        expect(reply.body).toMatchObject({ success: true, address, family: 'solana', label: null })
        const listed = (await own.get('/addresses')).body['addresses'] as { address: string }[]
        expect(listed.map((each) => each.address)).toContain(address)
      }
      expect((await other.get('/addresses')).body['addresses']).toEqual([])
    })

    test('needs the text of this account, this address and this installation, fresh, and its own signature', async () => {
      const holder = privateKeyToAccount(generatePrivateKey())
      const { address } = holder
      const challenge = await challengeOf(own, address)
      const [, accountId = ''] = /^Account: (.*)$/m.exec(challenge) ?? []
      const [, installation = ''] = /^Installation: (.*)$/m.exec(challenge) ?? []
      expect(accountId).toBe(world.service().accountId)
      const now = Date.now()
      const text = (change: Partial<Parameters<typeof registrationText>[0]>) =>
        registrationText({ address, accountId, installation, issuedAtMilliseconds: now, ...change })
      const wrong = [
        await challengeOf(other, address),
        text({ address: walletOf(world) }),
        text({ installation: '0'.repeat(32) }),
        text({ issuedAtMilliseconds: now - 601_000 }),
        text({ issuedAtMilliseconds: now + 120_000 }),
        `${text({})}\n`,
        'anything',
      ]
      for (const challenge of wrong) {
        const signature = await holder.signMessage({ message: challenge })
        const reply = await own.post('/addresses', { address, challenge, signature })
        expect([verdict(reply), ...Object.keys(detailsOf(reply))]).toEqual([
          '400 INVALID_PARAMETERS',
          'challenge',
        ])
      }
      const stranger = privateKeyToAccount(generatePrivateKey())
      const forged = [
        await stranger.signMessage({ message: challenge }),
        await holder.sign({ hash: `0x${'11'.repeat(32)}` }),
        '0x',
        'x'.repeat(88),
      ]
      for (const signature of forged) {
        const reply = await own.post('/addresses', { address, challenge, signature })
        expect(Object.keys(detailsOf(reply))).toEqual(['signature'])
      }
      const signature = await holder.signMessage({ message: text({}) })
      const made = await own.post('/addresses', { address, challenge: text({}), signature })
      expect(verdict(made)).toBe('200')
    })

    test('belongs to one account at a time, and a repeat with the same key is the same', async () => {
      const key = { 'idempotency-key': 'address-1' }
      const { address, body } = await registered(own)
      expect(verdict(await own.post('/addresses', body, key))).toBe('200')
      const again = await own.post('/addresses', body, key)
      expect([verdict(again), again.headers.get('idempotent-replayed')]).toEqual(['200', 'true'])
      const changed = await own.post('/addresses', { ...body, label: 'else' }, key)
      expect(verdict(changed)).toBe('422 IDEMPOTENCY_MISMATCH')
      const listed = (await own.get('/addresses')).body['addresses'] as { address: string }[]
      expect(listed.filter((each) => each.address === address)).toHaveLength(1)
    })
  })

  describe('the proof of a transfer that was sent from here', () => {
    const send = async (recipientAddress: string, more: Fields = {}): Promise<Reply> =>
      own.post('/payment/send', {
        walletAddress: walletOf(world),
        recipientAddress,
        amount: '0.01',
        timeout: 20,
        ...more,
      })
    const shown = (sent: Reply, more: Fields = {}): Fields => ({
      walletAddress: sent.body['recipient'],
      paymentProof: sent.body['paymentProof'],
      expectedAmount: '0.01',
      ...more,
    })
    const statusOf = async (client: Client, paymentId: unknown) =>
      (await client.get(`/payment/status/${String(paymentId)}`)).body

    test.each([
      ['coin', {}],
      ['a token', { asset: 'USDC' }],
    ])('of %s is a success once, for whoever claims it first', async (_, more) => {
      const sent = await send(world.newAddress(), more)
      const received = await other.post('/payment/receive', shown(sent))
      expect(received.body).toMatchObject({
        success: true,
        signature: sent.body['signature'],
        asset: sent.body['asset'],
        amountBaseUnits: sent.body['amountBaseUnits'],
        sender: sent.body['sender'],
        recipient: sent.body['recipient'],
        blockHeight: sent.body['blockHeight'],
      })
      const { paymentId } = received.body
      expect(paymentId).not.toBe(sent.body['paymentId'])
      const again = await other.post('/payment/receive', shown(sent))
      expect(detailsOf(again)).toMatchObject({ paymentId, reason: 'duplicate_settlement' })
      const foreign = await own.post('/payment/receive', shown(sent))
      expect(detailsOf(foreign)).toEqual({ reason: 'duplicate_settlement' })
      await until(
        'the record is settled with its transfer',
        async () => (await statusOf(other, paymentId))['status'] === 'settled',
        { seconds: 30 },
      )
    })

    test('to a wallet of the service is the deposit that was seen', async () => {
      const sent = await send(walletOf(world, 1), { resource: RESOURCE })
      const foreign = await other.post('/payment/receive', shown(sent))
      expect(reasonOf(foreign)).toBe('receiver_of_another_account')
      const received = await own.post('/payment/receive', shown(sent, { resource: RESOURCE }))
      expect(received.body).toMatchObject({ success: true, resource: RESOURCE })
      const rows = await world.database.store.query<{ id: string; occurrence: number | null }>(
        'test_deposit',
        `select id, occurrence from payments where transaction_hash = $1 and type = 'received'`,
        [sent.body['signature']],
      )
      expect(rows).toEqual([{ id: received.body['paymentId'], occurrence: 0 }])
    })

    test('on Solana, too', async () => {
      const sent = await own.post('/payment/send', {
        walletAddress: walletOf(world, 0, 'solana'),
        recipientAddress: world.newAddress('solana'),
        amount: '0.01',
        timeout: 30,
      })
      const received = await own.post('/payment/receive', shown(sent))
      expect(received.body).toMatchObject({ success: true, signature: sent.body['signature'] })
    })

    test('in the shape of version 2 and in other base64 is the same proof', async () => {
      const sent = await send(world.newAddress())
      const v1 = JSON.parse(atob(String(sent.body['paymentProof']))) as Fields
      const accepted = { scheme: 'transfer', network: v1['network'] }
      const v2 = encoded({ x402Version: 2, accepted, payload: v1['payload'] })
      const spaced = Buffer.from(JSON.stringify(v1, null, 1)).toString('base64url')
      expect(verdict(await own.post('/payment/receive', shown(sent, { paymentProof: v2 })))).toBe(
        '200',
      )
      for (const paymentProof of [spaced, sent.body['paymentProof']]) {
        const reply = await own.post('/payment/receive', shown(sent, { paymentProof }))
        expect(verdict(reply)).toBe('409 DUPLICATE_SETTLEMENT')
      }
    })

    test('must pay what is expected, to whom and for what', async () => {
      const sent = await send(world.newAddress(), { resource: RESOURCE })
      const cases: readonly (readonly [Fields, string, string])[] = [
        [{ expectedAmount: '0.02' }, '400 PAYMENT_VERIFICATION_FAILED', 'transfer_amount_mismatch'],
        [
          { walletAddress: world.newAddress() },
          '400 INVALID_RECIPIENT',
          'transfer_recipient_mismatch',
        ],
        [{ asset: 'USDC' }, '400 PAYMENT_VERIFICATION_FAILED', 'transfer_asset_mismatch'],
        [
          { resource: 'https://shop.example/b' },
          '400 PAYMENT_VERIFICATION_FAILED',
          'resource_mismatch',
        ],
      ]
      for (const [change, code, reason] of cases) {
        const reply = await own.post('/payment/receive', shown(sent, change))
        expect([verdict(reply), reasonOf(reply)]).toEqual([code, reason])
      }
      const header = JSON.parse(atob(String(sent.body['paymentProof']))) as {
        payload: { secret: string; terms: Fields }
      }
      const forge = (payload: Fields) =>
        encoded({ ...header, payload: { ...header.payload, ...payload } })
      const { terms } = header.payload
      for (const payload of [
        { secret: '00'.repeat(32) },
        { terms: { ...terms, resource: undefined } },
        { terms: { ...terms, resource: 'https://shop.example/b' } },
      ]) {
        const reply = await own.post(
          '/payment/receive',
          shown(sent, { paymentProof: forge(payload), timeout: 1 }),
        )
        expect([verdict(reply), reasonOf(reply)]).toEqual([
          '400 PAYMENT_VERIFICATION_FAILED',
          'transfer_unknown',
        ])
      }
      const fragment = { resource: `${RESOURCE}#top` }
      expect(verdict(await own.post('/payment/receive', shown(sent, fragment)))).toBe('200')
    })

    test('waits until the transfer is on chain', async () => {
      await world.sandbox.fault({ kind: 'stop-blocks' })
      const sent = await send(world.newAddress(), { waitFor: 'submitted' })
      const early = await own.post('/payment/receive', shown(sent, { timeout: 1 }))
      expect(verdict(early)).toBe('503 SETTLEMENT_PENDING')
      expect(detailsOf(early)).toMatchObject({ signature: sent.body['signature'] })
      const verify = { payment_proof: sent.body['paymentProof'], amount: '0.01' }
      const asked = { ...verify, recipient: sent.body['recipient'] }
      const told = await own.post('/v1/payments/verify', asked)
      expect(told.body).toMatchObject({ valid: false, reason: 'settlement_pending' })
      const waiting = own.post('/payment/receive', shown(sent))
      await world.sandbox.fault({ kind: 'resume-blocks' })
      expect(verdict(await waiting)).toBe('200')
    })

    test('goes where its transfer goes, through a reorganisation to the end', async () => {
      // What funded the wallets does not come back, so it must be final.
      await world.sandbox.mine(3)
      // No block comes after its own until that is gone, however long the rest takes.
      await world.sandbox.fault({ kind: 'stop-blocks' })
      const sent = await send(world.newAddress(), { asset: 'USDC', waitFor: 'submitted' })
      await inNextBlock(world, sent.body['signature'])
      const received = await own.post('/payment/receive', shown(sent))
      expect(verdict(received)).toBe('200')
      const { blockHeight } = await statusOf(own, sent.body['paymentId'])
      await world.sandbox.fault({ kind: 'reorg', depth: 2 })
      await world.sandbox.fault({ kind: 'resume-blocks' })
      const both = await until(
        'both are settled',
        async () => {
          const records = await Promise.all(
            [sent, received].map(({ body }) => statusOf(own, body['paymentId'])),
          )
          return records.every(({ status }) => status === 'settled') && records
        },
        { seconds: 40 },
      )
      const [one, other] = both
      expect([other?.['signature'], other?.['blockHeight']]).toEqual([
        one?.['signature'],
        one?.['blockHeight'],
      ])
      expect(blockHeight).toEqual(expect.any(Number))
      expect(one?.['blockHeight']).not.toBe(blockHeight)
      const told = await world.database.store.inTransaction('service', (tx) =>
        tx.query<{ status: string }>(
          'test_told',
          `select data ->> 'status' as status from ${TOLD} where resource_id = $1 order by sequence, id, nth`,
          [received.body['paymentId']],
        ),
      )
      expect(told.map(({ status }) => status)).toEqual([
        'pending',
        'confirmed',
        'pending',
        'confirmed',
        'settled',
      ])
    })

    test('past its life says that it was paid', async () => {
      const sent = await send(world.newAddress(), { waitFor: 'settled', timeout: 30 })
      expect(sent.body['status']).toBe('settled')
      await write(
        world.database.store,
        'test_age',
        `update payments set confirmed_at = confirmed_at - interval '25 hours' where id = $1`,
        [sent.body['paymentId']],
      )
      const reply = await own.post('/payment/receive', shown(sent))
      expect([verdict(reply), reasonOf(reply)]).toEqual([
        '409 DUPLICATE_SETTLEMENT',
        'transfer_past_its_life',
      ])
      expect(detailsOf(reply)['signature']).toBe(sent.body['signature'])
    })

    test('fifty at once are one success and one record', async () => {
      const sent = await send(world.newAddress())
      const replies = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          (index % 2 === 0 ? own : other).post('/payment/receive', shown(sent)),
        ),
      )
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
      const others = replies.filter(({ status }) => status !== 200)
      expect(new Set(others.map(verdict))).toEqual(new Set(['409 DUPLICATE_SETTLEMENT']))
    })
  })
})

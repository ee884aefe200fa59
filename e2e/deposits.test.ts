import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { KILL_POINTS } from '@florin/server/kernel/kill-point.ts'
import { until } from '@florin/server/kernel/until.ts'
import type { Family } from '@florin/wire/network.ts'
import { openOutsider } from './actors/outsider.ts'
import type { ServiceHandle } from './actors/service.ts'
import type { World } from './actors/world.ts'
import { openWorld, walletOf } from './actors/world.ts'
import { TOLD } from './actors/told.ts'
import { payByVersionOne } from './actors/version-one.ts'
import { write } from '@florin/server/store/test-write.ts'

const FAMILIES: readonly Family[] = ['evm', 'solana']
const COIN = { evm: 10n ** 18n, solana: 10n ** 9n } as const
const SEEN = { seconds: 25 }
const ONCE = ['confirmed', 'settled']
const TWICE = ['confirmed', 'pending', 'confirmed', 'settled']

interface Row {
  readonly id: string
  readonly type: string
  readonly account: string
  readonly asset: string
  readonly amount: string
  readonly sender: string
  readonly recipient: string
  /** What its owner was told, in order. */
  readonly told: readonly string[]
}

describe('money that comes to a custodial wallet', () => {
  let world: World
  let services: readonly ServiceHandle[] = []
  beforeAll(async () => {
    world = await openWorld({ solana: true })
    // All of it happens under the eyes of two instances.
    services = [world.service(), await world.start()]
  }, 240_000)
  afterEach(() => world.sandbox.clearFaults())
  afterAll(() => world.stop(), 240_000)

  /** The records of a transaction as soon as all their owners were told that much at least. */
  const records = (hash: string, type: 'received' | 'sent', told: readonly string[], count = 1) =>
    until(
      `${count} of ${hash} were told ${told.join(', ')}`,
      async () => {
        const rows = await world.database.store.inTransaction('service', (tx) =>
          tx.query<Row>(
            'test_records',
            `select p.id, p.type, p.account_id as account, p.asset, p.amount, p.sender, p.recipient, array(
             select data ->> 'status' from ${TOLD} where resource_id = p.id order by sequence, id, nth) as told
           from payments p where p.transaction_hash = $1 and p.type = $2 order by p.log_index`,
            [hash, type],
          ),
        )
        const isThere = rows.every((row) => row.told.length >= told.length)
        return rows.length >= count && isThere && rows
      },
      SEEN,
    )

  /** On both chains at once. */
  const onBoth = async (what: (family: Family) => Promise<void>) => {
    await Promise.all(FAMILIES.map(what))
  }

  test('is one record for each transfer of coin and token', () =>
    onBoth(async (family) => {
      const wallet = walletOf(world, 0, family)
      const hashes = await Promise.all([
        world.sandbox.fund(wallet, 'native', '1.5'),
        world.sandbox.fund(wallet, 'USDC', '2.5'),
      ])
      const rows = await Promise.all(hashes.map((hash) => records(hash, 'received', ONCE)))
      expect(rows.map((each) => each.map(({ amount, told }) => [amount, told]))).toEqual([
        [[`${(COIN[family] * 3n) / 2n}`, ONCE]],
        [['2500000', ONCE]],
      ])
      const [coin] = rows[0] ?? []
      const { body } = await world.client().get(`/payment/status/${coin?.id}`)
      expect(body).toMatchObject({
        type: 'received',
        status: 'settled',
        signature: hashes[0],
        asset: 'native',
        amount: 1.5,
        sender: coin?.sender,
        recipient: wallet,
        blockHeight: expect.any(Number),
        fee: null,
        priorityFee: null,
        resource: null,
        metadata: null,
        attempts: [],
        paymentProof: null,
      })
    }))

  test('from a wallet here is a record of each side: to another account, the same one, itself', () =>
    onBoth(async (family) => {
      const stranger = world.newAddress(family)
      const account = `acct_${'1'.repeat(21)}${family === 'evm' ? 1 : 2}`
      await write(
        world.database.store,
        'test_other_account',
        `with other as (insert into accounts (id, name) values ($1, 'other') returning id)
         insert into wallets (id, account_id, family, address, sealed_data_key, sealed_private_key)
         select replace(id, 'acct', 'wal'), id, $2, $3, '', '' from other`,
        [account, family, stranger],
      )
      const recipients = [stranger, walletOf(world, 1, family), walletOf(world, 0, family)]
      await Promise.all(
        recipients.map(async (recipient) => {
          const { body } = await world.client().post('/payment/send', {
            walletAddress: walletOf(world, 0, family),
            recipientAddress: recipient,
            amount: '0.01',
            timeout: 30,
          })
          const hash = String(body['signature'])
          const [sent] = await records(hash, 'sent', ['pending', ...ONCE])
          const received = await records(hash, 'received', ONCE)
          expect(received).toMatchObject([
            { amount: sent?.amount, asset: 'native', sender: sent?.sender, recipient, told: ONCE },
          ])
          const [own] = received
          expect(own?.id).not.toBe(sent?.id)
          expect(own?.account).toBe(recipient === stranger ? account : sent?.account)
          const seen = await world.client().get(`/payment/status/${own?.id}`)
          expect(seen.status).toBe(recipient === stranger ? 404 : 200)
        }),
      )
    }))

  test('that a reorg takes away is pending, and the same record when it comes again (evm)', async () => {
    const outsider = await openOutsider(world.sandbox, 'evm')
    const payment = await outsider.sign(walletOf(world), 7n)
    await world.sandbox.fault({ kind: 'stop-blocks' })
    await payment.send()
    await world.sandbox.mine()
    const [first] = await records(payment.hash, 'received', ['confirmed'])
    await world.sandbox.fault({ kind: 'reorg', depth: 1 })
    await world.sandbox.mine()
    expect(await records(payment.hash, 'received', TWICE.slice(0, 2))).toMatchObject([
      { id: first?.id, told: TWICE.slice(0, 2) },
    ])
    await payment.send()
    await world.sandbox.fault({ kind: 'resume-blocks' })
    expect(await records(payment.hash, 'received', TWICE)).toMatchObject([
      { id: first?.id, amount: '7', sender: outsider.address, told: TWICE },
    ])
  })

  test('that a fork takes away is pending, and the same record when it comes again (solana)', async () => {
    const outsider = await openOutsider(world.sandbox, 'solana')
    const payment = await outsider.sign(walletOf(world, 0, 'solana'), 7n)
    await world.sandbox.fault({ chain: 'solana', kind: 'fork', transactions: 1, slots: 4 })
    await payment.send()
    const [first] = await records(payment.hash, 'received', ['confirmed'])
    await records(payment.hash, 'received', TWICE.slice(0, 2))
    await payment.send()
    expect(await records(payment.hash, 'received', TWICE)).toMatchObject([
      { id: first?.id, amount: '7', sender: outsider.address, told: TWICE },
    ])
  })

  test('by a transaction of version 1 is told like any other (solana)', async () => {
    const { sandbox } = world
    const wallet = walletOf(world, 0, 'solana')
    const { sender, hash } = await payByVersionOne(sandbox, wallet, {
      lamports: 2_000_000n,
      usdc: 1_250_000n,
    })
    const rows = await records(hash, 'received', ONCE, 2)
    const both = { sender, recipient: wallet, told: ONCE }
    expect(rows).toMatchObject([
      { ...both, asset: 'native', amount: '2000000' },
      { ...both, asset: sandbox.solana.usdc, amount: '1250000' },
    ])
  })

  test('is recorded once although the service is killed at every step of it', async () => {
    await Promise.all(services.map((service) => service.stop()))
    const hashes = await Promise.all(
      FAMILIES.map((family) => world.sandbox.fund(walletOf(world, 0, family), 'USDC', '1')),
    )
    // Each life gets as far as the one before it could not.
    for (const point of KILL_POINTS.filter((each) => each.startsWith('deposit.'))) {
      // It may die before it has said that it is ready.
      const end = await world
        .start({ killPoint: `${point}:1` })
        .then(async (doomed) => String((await doomed.ended).signal), String)
      expect(end, point).toContain('SIGKILL')
    }
    await world.start()
    const rows = await Promise.all(hashes.map((hash) => records(hash, 'received', ONCE)))
    expect(rows).toMatchObject([[{ told: ONCE }], [{ told: ONCE }]])
  })
})

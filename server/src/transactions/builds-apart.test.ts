import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { baseUnits } from '@florin/wire/amount.ts'
import type { NetworkId } from '@florin/wire/network.ts'
import { NATIVE_EFFECT_INDEX } from '../chains/chain.ts'
import type { Address, TransactionHash } from '../chains/chain.ts'
import { proofKey } from '../chains/exact.ts'
import type { Sighting } from '../chains/self-custody.ts'
import { newId } from '../kernel/id.ts'
import type { AccountId, PaymentId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import { SecretBytes } from '../kernel/secret.ts'
import { openBuiltRecords } from '../payments/built.ts'
import { openProofs } from '../payments/proof.ts'
import { makeWallet, testNetwork } from '../payments/test-lane.ts'
import type { Tx } from '../store/postgres.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { write } from '../store/test-write.ts'
import { hasLiveBuild, sendersAwaited } from './awaited-store.ts'
import type { Build, BuildFacts } from './build.ts'
import * as builds from './build-store.ts'
import { openBuildBook } from './follow-builds.ts'
import * as live from './live-store.ts'
import { giveNonceBack, takeNonces } from './nonce-store.ts'
import * as submissions from './submission-store.ts'
import { unreadBuilds } from './unread-store.ts'

const NOW = 1_790_000_000_000
const LATER = NOW + 3_600_000
const SENDER = '0x00000000000000000000000000000000000000a1' as Address
const RECIPIENT = '0x00000000000000000000000000000000000000a2' as Address
const COMMITMENT = 'c0'.repeat(32)
const PROOF = proofKey('a proof')
const HASH = '0xhash' as TransactionHash
const SEEN = 101n
const ALL = { perPlace: 9, inAll: 9 }

let passed = 0
const clock = { nowMilliseconds: () => NOW + passed, sleep: async () => undefined }
let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())
const inService = <T>(work: (tx: Tx) => Promise<T>) => database.store.inTransaction('service', work)

const proofs = openProofs({
  proofKey: new SecretBytes(systemRandom.bytes(32)),
  chains: new Map(),
})
/** What the book has told of settlements. */
let told: PaymentId[] = []
const book = openBuildBook({
  records: openBuiltRecords({ clock, proofs }),
  received: {
    paidElsewhere: async () => 'paid',
    unseen: async (_tx, paymentIds) => void told.push(...paymentIds),
    expired: async (_tx, paymentIds) => void told.push(...paymentIds),
  },
  clock,
})

type Kind = 'marked' | 'unmarked' | 'settling'
type Built = Readonly<Record<Kind, PaymentId>>

/** One account has the same built on both networks, for the same wallet; another one on the other network alone, for that wallet, too. */
let here: NetworkId
let there: NetworkId
let accountId: AccountId
let stranger: AccountId
let own: Built
let other: Built
let serial = 0
beforeEach(async () => {
  serial += 2
  here = testNetwork(75_000 + serial).network
  there = testNetwork(75_001 + serial).network
  accountId = (await makeWallet(database.store)).accountId
  stranger = (await makeWallet(database.store)).accountId
  told = []
  passed = 0
  // Those of the other network are older, so that they stand first wherever one is chosen among both.
  other = await buildAll(there, accountId, NOW - 1)
  own = await buildAll(here, accountId, NOW)
  await build(there, stranger, 'unmarked', NOW - 1)
})

async function buildAll(network: NetworkId, owner: AccountId, at: number): Promise<Built> {
  return {
    marked: await build(network, owner, 'marked', at),
    unmarked: await build(network, owner, 'unmarked', at),
    settling: await build(network, owner, 'settling', at),
  }
}

const NONCES = { marked: 7n, unmarked: 8n, settling: null } as const

async function build(
  network: NetworkId,
  owner: AccountId,
  kind: Kind,
  createdAtMilliseconds: number,
): Promise<PaymentId> {
  const paymentId = newId(systemRandom, 'pay')
  const facts = JSON.parse('{"approval":{"unsigned":{"nonce":"6"}}}') as BuildFacts
  const stored: Build = {
    ...{ paymentId, accountId: owner, network, sender: SENDER, recipient: RECIPIENT },
    ...{ asset: 'native', amount: 5n, nonce: NONCES[kind], tradeId: null, facts },
    commitment: kind === 'marked' ? COMMITMENT : null,
    proofKey: kind === 'settling' ? PROOF : null,
    ...{ transaction: Uint8Array.of(1), lastValidBlockHeight: 150n, expiryEnforcedByChain: false },
    ...{ createdAtMilliseconds, expiresAtMilliseconds: createdAtMilliseconds + 60_000 },
  }
  const given = { network, hash: HASH, paymentId, accountId: owner, raw: Uint8Array.of(1) }
  await inService(async (tx) => {
    await builds.insertBuilds(tx, [stored])
    await submissions.storeSubmission(tx, { ...given, isApproval: false }, createdAtMilliseconds)
    await tx.query(
      'test_record',
      `insert into payments (id, account_id, type, network, asset, amount, decimals, sender, recipient, status, sandbox, created_at, self_custody, commitment)
       values ($1, $2, 'sent', $3, 'native', 5, 18, $4, $5, 'pending', true, now(), true, decode($6, 'hex'))`,
      [paymentId, owner, network, SENDER, RECIPIENT, stored.commitment],
    )
  })
  return paymentId
}

/** All that is stored of the builds of a network. */
const rowsOf = (network: NetworkId) =>
  database.store.query(
    'test_rows',
    `select p as payment, b as build, s as submission, u as unread, n as nonce from builds b join payments p on p.id = b.payment_id
     join submissions s on s.payment_id = b.payment_id left join unread_builds u on u.payment_id = b.payment_id
     left join build_nonces n on n.payment_id = b.payment_id
     where b.network = $1 order by b.account_id, b.payment_id`,
    [network],
  )

/** A transaction of the wallet that does what was built with the commitment. */
const paid: Sighting = {
  ...{ transactionHash: HASH, height: SEEN, blockHash: 'a101', succeeded: true, isPlain: true },
  ...{ sender: SENDER, nonce: NONCES.marked, commitments: [COMMITMENT], proofKey: null },
  ...{ feePaid: baseUnits(3n) },
  transfers: [
    {
      ...{ asset: 'native', from: SENDER, to: RECIPIENT, amount: baseUnits(5n) },
      effectIndex: NATIVE_EFFECT_INDEX,
    },
  ],
}
/** One without a commitment. */
const unmarked: Sighting = { ...paid, nonce: NONCES.unmarked, commitments: [], isPlain: false }

const sight = (network: NetworkId, ...sightings: readonly Sighting[]) =>
  inService((tx) => book.sighted(tx, network, sightings))

/** Of a network the payment with the commitment is seen, that without one is over, and the settlement is seen. */
async function show(network: NetworkId, { settling }: Built, height: bigint): Promise<void> {
  await sight(network, { ...paid, height }, { ...unmarked, height, succeeded: false })
  await inService((tx) => live.noteSeen(tx, [{ paymentId: settling, height }]))
}

const scopeOf = (network: NetworkId) => ({ accountId, network, sender: SENDER })
const takeNonce = (network: NetworkId, paymentId: PaymentId, nowMilliseconds = NOW) =>
  inService((tx) =>
    takeNonces(tx, [
      {
        ...{ ...scopeOf(network), first: 7n, paymentId, nowMilliseconds },
        expiresAtMilliseconds: nowMilliseconds + 60_000,
      },
    ]),
  )

describe('what happens to builds of one network happens to none of another', () => {
  const DEEDS: Readonly<Record<string, (tx: Tx) => Promise<unknown>>> = {
    'they are paid': (tx) => book.sighted(tx, here, [paid, unmarked]),
    'they come to nothing': (tx) => book.sighted(tx, here, [{ ...paid, succeeded: false }]),
    'nobody can read what they did': (tx) => book.sighted(tx, here, [{ ...paid, isUntold: true }]),
    'they are looked at': (tx) => live.takeSilentBuilds(tx, here, LATER, 9),
    'their bytes are sent again': (tx) => submissions.takeDue(tx, here, LATER),
  }
  test.each(Object.entries(DEEDS))('%s', async (_, deed) => {
    const before = [await rowsOf(here), await rowsOf(there)]
    await inService(deed)
    expect(await rowsOf(here)).not.toEqual(before[0])
    expect(await rowsOf(there)).toEqual(before[1])
  })

  test.each([
    ['final', (tx: Tx) => book.final(tx, here, SEEN, 9)],
    ['undone', (tx: Tx) => book.undone(tx, here, SEEN - 2n)],
  ])('their blocks are %s', async (what, deed) => {
    await show(here, own, SEEN)
    // Below, so that it stands first.
    await show(there, other, SEEN - 1n)
    const before = [await rowsOf(here), await rowsOf(there)]
    await inService<unknown>(deed)
    const after = await rowsOf(here)
    for (const [index, row] of after.entries()) expect(row).not.toEqual(before[0]?.[index])
    expect(await rowsOf(there)).toEqual(before[1])
    expect(told).toEqual(what === 'undone' ? [own.settling] : [])
  })

  test('what nobody could read of them is read, or undone', async () => {
    for (const network of [here, there]) await sight(network, { ...paid, isUntold: true })
    const unread = await rowsOf(there)
    const places = (network: NetworkId) =>
      inService(async (tx) => {
        const found = await unreadBuilds(tx, network, undefined, 9)
        return found.map(({ paymentId }) => paymentId)
      })
    expect(await places(here)).toEqual([own.marked])
    await inService((tx) => book.untold?.told(tx, here, [paid]) ?? Promise.resolve())
    expect(await rowsOf(there)).toEqual(unread)
    await sight(here, { ...unmarked, isUntold: true })
    expect(await places(here)).toEqual([own.unmarked])
    await inService((tx) => book.undone(tx, here, SEEN - 1n))
    expect(await places(here)).toEqual([])
    expect(await places(there)).toEqual([other.marked])
  })

  test('they take nonces, and give their own back', async () => {
    expect(await takeNonce(there, other.marked)).toEqual([7n])
    expect(await takeNonce(here, own.marked)).toEqual([7n])
    expect(await takeNonce(here, own.unmarked)).toEqual([8n])
    const rows = await rowsOf(there)
    await inService((tx) => giveNonceBack(tx, scopeOf(here), own.marked))
    expect(await takeNonce(here, own.marked)).toEqual([7n])
    expect(await takeNonce(here, own.settling)).toEqual([9n])
    await inService((tx) => giveNonceBack(tx, scopeOf(here), other.marked))
    expect(await rowsOf(there)).toEqual(rows)
  })

  test('a nonce is its build’s for as long once more as it was when its block is gone, and its block alone keeps it until then', async () => {
    const build = { paymentId: own.marked, height: SEEN }
    await takeNonce(here, own.marked)
    await takeNonce(there, other.marked)
    const later = NOW + 3_600_000
    await inService((tx) => live.noteSeen(tx, [build]))
    expect(await takeNonce(here, own.unmarked, later)).toEqual([8n])
    await inService((tx) => giveNonceBack(tx, scopeOf(here), own.unmarked))
    const rows = await rowsOf(there)
    passed = later - NOW
    await inService((tx) => book.undone(tx, here, SEEN - 1n))
    expect(await rowsOf(there)).toEqual(rows)
    expect(await takeNonce(here, own.unmarked, later + 59_999)).toEqual([8n])
    expect(await takeNonce(here, own.settling, later + 60_000)).toEqual([7n])
    // One that another build has by now stays with it, as long as that one's time is not over.
    passed = later + 60_000 - NOW
    await inService((tx) => live.noteSeen(tx, [build]))
    await inService((tx) => book.undone(tx, here, SEEN - 1n))
    await inService((tx) => giveNonceBack(tx, scopeOf(here), own.settling))
    expect(await takeNonce(here, own.settling, later + 60_001)).toEqual([7n])
  })

  test('what nodes said of the bytes of one is noted, and of no other that has the same', async () => {
    const form = { network: here, hash: HASH, paymentId: own.marked }
    await inService((tx) => submissions.noteVerdict(tx, form, { kind: 'accepted' }, NOW))
    const said = await database.store.query(
      'test_said',
      'select payment_id from submissions where last_verdict is not null and network = any($1)',
      [[here, there]],
    )
    expect(said).toEqual([{ payment_id: own.marked }])
  })
})

describe('a look at builds of one network shows none of another', () => {
  const NONE = { commitments: [], proofKey: null, place: null }
  const place = (nonce: bigint) => ({ sender: SENDER, nonce })
  const marks = {
    ...{ senders: [SENDER], commitments: [], proofKeys: [], places: [], paid: [], submitted: [] },
  }
  const liveBy = (more: Partial<Parameters<typeof live.liveBuilds>[2]>) => (tx: Tx) =>
    live.liveBuilds(tx, here, { ...marks, ...more }, ALL)
  const markedBy = (more: Partial<builds.Marks>) => (tx: Tx) =>
    builds.buildsMarked(tx, accountId, here, { ...NONE, ...more }, 9)
  const terms = { asset: 'native', recipient: RECIPIENT, amount: 5n }
  type Found = readonly { readonly paymentId: PaymentId }[]
  const LOOKS: Readonly<Record<string, [(tx: Tx) => Promise<Found>, ...Kind[]]>> = {
    'live by its commitment': [liveBy({ commitments: [COMMITMENT] }), 'marked'],
    'live by its proof': [liveBy({ proofKeys: [PROOF] }), 'settling'],
    'live by its place': [liveBy({ places: [place(7n)] }), 'marked'],
    'live by its terms': [liveBy({ paid: [{ ...place(8n), ...terms }] }), 'unmarked'],
    'live by its bytes': [
      (tx) => liveBy({ submitted: [own.unmarked, other.unmarked] })(tx),
      'unmarked',
    ],
    'of an account by its commitment': [markedBy({ commitments: [COMMITMENT] }), 'marked'],
    'of an account by its proof': [markedBy({ proofKey: PROOF }), 'settling'],
    'of an account by its place': [markedBy({ place: place(8n) }), 'unmarked'],
    'of an account by its allowance': [
      (tx) => builds.buildsNeeding(tx, accountId, here, place(6n), { places: 2, perPlace: 9 }),
      ...(['marked', 'unmarked'] as const),
    ],
    'of an account for a place': [
      async (tx) => {
        const at = { network: here, address: SENDER, nonce: 8n }
        const found = await builds.paymentsBuiltFor(tx, accountId, at)
        return found.map((paymentId) => ({ paymentId }))
      },
      'unmarked',
    ],
    'silent after its time': [
      (tx) => live.takeSilentBuilds(tx, here, LATER, 9),
      ...(['marked', 'unmarked', 'settling'] as const),
    ],
  }
  test.each(Object.entries(LOOKS))('%s', async (_, [look, ...kinds]) => {
    const found = await inService(look)
    expect(found.map(({ paymentId }) => paymentId).toSorted()).toEqual(
      kinds.map((kind) => own[kind]).toSorted(),
    )
  })

  test('silent, and noted before a clock was set back', async () => {
    const noted = `update builds set looked_at = to_timestamp($1 / 1000.0), look_at = 'infinity' where network = any($2)`
    await write(database.store, 'test_noted', noted, [LATER, [here, there]])
    const found = await inService((tx) => live.takeSilentBuilds(tx, here, NOW, 9))
    expect(found.map(({ paymentId }) => paymentId).toSorted()).toEqual(
      Object.values(own).toSorted(),
    )
  })

  test('by bytes that others gave elsewhere', async () => {
    const [taken, ...more] = await inService((tx) => submissions.takenAs(tx, here, [HASH]))
    expect(more).toEqual([])
    expect(Object.values(own)).toContain(taken?.[1])
  })

  test('where nothing is awaited any more', async () => {
    const close = 'update builds set closed_at = now() where network = $1'
    await write(database.store, 'test_closed', close, [here])
    const awaited = (network: NetworkId) =>
      inService(async (tx) => ({
        live: await hasLiveBuild(tx, network),
        senders: [...(await sendersAwaited(tx, network, [SENDER]))],
      }))
    expect(await awaited(here)).toEqual({ live: false, senders: [] })
    expect(await awaited(there)).toEqual({ live: true, senders: [SENDER] })
  })

  test('of another account, whichever network it is', async () => {
    const found = await inService(async (tx) => [
      await builds.buildsMarked(
        tx,
        stranger,
        there,
        { commitments: [COMMITMENT], proofKey: PROOF, place: place(7n) },
        9,
      ),
      await builds.findBuild(tx, stranger, other.marked),
      await builds.paymentsBuiltFor(tx, stranger, { network: there, address: SENDER, nonce: 7n }),
      await builds.buildsNeeding(tx, stranger, there, place(6n), { places: 1, perPlace: 9 }),
    ])
    expect(found).toEqual([[], undefined, [], []])
  })
})

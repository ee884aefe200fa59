import { describe, expect, test } from 'vitest'
import { systemClock } from '../../kernel/clock.ts'
import { limits } from '../../kernel/limits.ts'
import { NodeFailure } from '../chain.ts'
import type { Block, TransactionHash } from '../chain.ts'
import type { Transport } from '../json-rpc/transport.ts'
import { addressFromBytes } from './account.ts'
import { encodeBase58 } from './base58.ts'
import { openFacts } from './facts.ts'
import { MEMO_PROGRAM, SYSTEM_PROGRAM } from './programs.ts'
import { readSightings } from './sightings.ts'

const [ALICE, BOB, HASH] = [1, 2, 6].map((serial) =>
  addressFromBytes(new Uint8Array(32).fill(serial)),
)
const KEYS = [ALICE, BOB, MEMO_PROGRAM, SYSTEM_PROGRAM]
const COMMITMENT = 'c5'.repeat(32)
const HASHES = Array.from(
  { length: limits.unreadRecordsPerBlockMax + 2 },
  (_, serial) => encodeBase58(new Uint8Array(64).fill(serial + 1)) as TransactionHash,
)
const [FIRST, ODD] = HASHES
const BLOCK: Block = {
  ...{ height: 20n, hash: HASH ?? '', parentHash: '', timeMilliseconds: 0 },
  transactionHashes: HASHES,
}

/** Alice gives Bob 40 lamports, with a commitment. */
const wholeOf = (hash: unknown) => ({
  ...{ slot: 20, version: 0 },
  transaction: {
    signatures: [hash],
    message: {
      header: {
        ...{ numRequiredSignatures: 1, numReadonlySignedAccounts: 0 },
        numReadonlyUnsignedAccounts: 2,
      },
      ...{ accountKeys: KEYS, recentBlockhash: HASH },
      instructions: [
        {
          ...{ programIdIndex: 2, accounts: [] },
          data: encodeBase58(Buffer.from(`florin1:${COMMITMENT}`)),
        },
        {
          ...{ programIdIndex: 3, accounts: [0, 1] },
          data: encodeBase58(Uint8Array.of(2, 0, 0, 0, 40, 0, 0, 0, 0, 0, 0, 0)),
        },
      ],
    },
  },
  meta: {
    ...{ err: null, fee: 5_000, loadedAddresses: { writable: [], readonly: [] } },
    ...{ preBalances: [9_000, 1, 1, 1], postBalances: [3_960, 41, 1, 1] },
    ...{ preTokenBalances: [], postTokenBalances: [], innerInstructions: [] },
  },
})

/** What is sighted of Alice's where the block shows so many records otherwise, the second one first, and what is asked for whole. */
async function sighted(
  record: object,
  { count = 1, alone = wholeOf, block = BLOCK }: Partial<Shown> = {},
) {
  const asked: unknown[] = []
  const accountKeys = [BOB].map((pubkey) => ({ pubkey }))
  const transactions = HASHES.map((hash, place) =>
    place >= 1 && place <= count
      ? { transaction: record }
      : { transaction: { accountKeys, signatures: [hash] } },
  )
  const read: Transport['read'] = async ({ method, params, parse }) => {
    if (method === 'getBlock') return parse({ blockhash: HASH, transactions })
    asked.push(params[0])
    return parse(alone(params[0]))
  }
  const transport = { read } as Transport
  const facts = openFacts({ transport, clock: systemClock, slotMilliseconds: () => 400 })
  const found = await readSightings({ transport, facts }, [block], async ({ senders }) => ({
    senders: new Set(senders.filter((each) => each === ALICE)),
    commitments: new Set(),
  }))
  return { found, asked }
}
interface Shown {
  readonly count: number
  readonly alone: (hash: unknown) => unknown
  readonly block: Block
}

describe('a transaction of a block of which nobody can say in the block who sent it', () => {
  const seen = {
    ...{ transactionHash: ODD, height: 20n, blockHash: HASH, succeeded: true, sender: ALICE },
    ...{ commitments: [COMMITMENT], transfers: [{ from: ALICE, to: BOB, amount: 40n }] },
  }

  test.each<[string, object]>([
    ['has no accounts', { signatures: [ODD], accountKeys: null }],
    ['names none of its accounts', { signatures: [ODD], accountKeys: [] }],
    ['has an account that is none', { signatures: [ODD, ODD], accountKeys: [{ pubkey: 'x' }] }],
    ['has no signatures', { signatures: [], accountKeys: [] }],
    [
      'has fewer signatures than signers',
      {
        signatures: [ODD],
        accountKeys: [ALICE, BOB].map((pubkey) => ({ pubkey, signer: true })),
      },
    ],
    ['has signatures that are none', { signatures: null, accountKeys: [{ pubkey: ALICE }] }],
    ['has none at all', {}],
  ])('and that %s is read alone', async (_, record) => {
    const { found, asked } = await sighted(record)
    expect(asked).toEqual([ODD])
    expect(found).toMatchObject([seen])
  })

  test('is a failure where it cannot be read alone, either: it may be what is waited for', async () => {
    const reading = sighted({}, { alone: () => 'x' })
    await expect(reading).rejects.toThrow(NodeFailure)
    await expect(reading).rejects.toThrow(
      new RegExp(
        `transaction ${ODD} of block 20 cannot be read, and a built payment or a purchase`,
      ),
    )
    await expect(reading).rejects.toThrow('put a node of another provider first')
  })

  test('is one of a few: a block of which many are like that is of no use', async () => {
    const most = { signatures: [], accountKeys: [] }
    const { asked } = await sighted(most, { count: limits.unreadRecordsPerBlockMax })
    expect(asked).toHaveLength(limits.unreadRecordsPerBlockMax)
    const many = sighted(most, { count: limits.unreadRecordsPerBlockMax + 1 })
    await expect(many).rejects.toThrow(NodeFailure)
  })

  test('is no matter of whoever reads the block again for another one', async () => {
    const only = (hash: TransactionHash | undefined) => ({
      block: { ...BLOCK, transactionHashes: hash === undefined ? [] : [hash] },
    })
    const record = { signatures: [ODD], accountKeys: null }
    expect(await sighted(record, only(FIRST))).toEqual({ found: [], asked: [] })
    expect((await sighted(record, only(ODD))).found).toMatchObject([seen])
    expect((await sighted({}, only(ODD))).found).toMatchObject([seen])
  })
})

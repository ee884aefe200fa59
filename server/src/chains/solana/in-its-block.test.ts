import { afterEach, describe, expect, test } from 'vitest'
import type { Block, TransactionHash } from '../chain.ts'
import { encodeBase58 } from './base58.ts'
import { MEMO_PROGRAM, SYSTEM_PROGRAM } from './programs.ts'
import { ALICE, BOB, wallet } from './test-scene.ts'
import { result, script, startScripted } from './test-script.ts'

const HASH = encodeBase58(new Uint8Array(64).fill(9)) as TransactionHash
const KEYS = [ALICE, BOB, MEMO_PROGRAM, SYSTEM_PROGRAM]
const BLOCK: Block = {
  ...{ height: 20n, hash: wallet(21), parentHash: wallet(20), timeMilliseconds: 0 },
  transactionHashes: [HASH],
}
const META = {
  ...{ err: null, fee: 5_000, loadedAddresses: { writable: [], readonly: [] } },
  ...{ preBalances: [9_000, 1, 1, 1], postBalances: [3_960, 41, 1, 1] },
  ...{ preTokenBalances: [], postTokenBalances: [], innerInstructions: [] },
}
/** Alice gives Bob 40 lamports, with a commitment. */
const WHOLE = {
  ...{ slot: 20, version: 0, meta: META },
  transaction: {
    signatures: [HASH],
    message: {
      header: {
        ...{ numRequiredSignatures: 1, numReadonlySignedAccounts: 0 },
        numReadonlyUnsignedAccounts: 2,
      },
      ...{ accountKeys: KEYS, recentBlockhash: wallet(20) },
      instructions: [
        {
          ...{ programIdIndex: 2, accounts: [] },
          data: encodeBase58(Buffer.from(`florin1:${'c5'.repeat(32)}`)),
        },
        {
          ...{ programIdIndex: 3, accounts: [0, 1] },
          data: encodeBase58(Uint8Array.of(2, 0, 0, 0, 40, 0, 0, 0, 0, 0, 0, 0)),
        },
      ],
    },
  },
}
const accountKeys = KEYS.map((pubkey, place) => ({ pubkey, signer: place === 0 }))
/** Shows the block with the transaction in it; of this alone it says what the test wants. */
const saying = (alone: unknown) =>
  script({
    ...{ getSlot: 30, getTransaction: () => result(alone) },
    getBlock: {
      blockhash: BLOCK.hash,
      transactions: [{ transaction: { signatures: [HASH], accountKeys }, meta: META }],
    },
  })

const stops: (() => Promise<void>)[] = []
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())))

/** What is told by nodes of which the first ones say these of the transaction. */
async function told(...sayings: readonly unknown[]) {
  const { chain, stop } = await startScripted(sayings.map(saying))
  stops.push(stop)
  const [outcome] = await chain.outcomes([HASH], [BLOCK])
  const arrivals = await chain.arrivals(
    [BLOCK],
    async () => new Set([BOB]),
    () => undefined,
  )
  const sightings = await chain.selfCustody?.sightings([BLOCK], async ({ senders }) => ({
    senders: new Set(senders),
    commitments: new Set(),
  }))
  return { outcome: outcome?.state, arrivals: arrivals?.length, sightings: sightings?.length }
}

describe('a transaction that a block shows', () => {
  test.each([
    ['does not know', null],
    ['has in another block', { ...WHOLE, slot: 21 }],
  ])('and that one node %s is told by the next one', async (_, alone) => {
    const all = { outcome: 'mined', arrivals: 1, sightings: 1 }
    expect(await told(WHOLE)).toEqual(all)
    expect(await told(alone, WHOLE)).toMatchObject({ arrivals: 1, sightings: 1 })
    expect(await told(alone)).toMatchObject({ arrivals: undefined, sightings: undefined })
  })

  test('is ours and mined as soon as one node knows it, and absent where none does', async () => {
    expect(await told(null, WHOLE)).toMatchObject({ outcome: 'mined' })
    expect(await told(null, null)).toMatchObject({ outcome: 'absent' })
  })
})

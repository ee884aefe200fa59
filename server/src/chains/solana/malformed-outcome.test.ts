import { describe, expect, test } from 'vitest'
import { NodeFailure } from '../chain.ts'
import type { Block, TransactionHash } from '../chain.ts'
import { encodeBase58 } from './base58.ts'
import { SYSTEM_PROGRAM } from './programs.ts'
import { chainBehind } from './test-bad-answers.ts'
import { ALICE, BOB, nodeWith, wallet, WORLD } from './test-scene.ts'
import { error } from './test-script.ts'
import type { Lines } from './test-script.ts'

const [HASH, OTHER] = [9, 8].map(
  (byte) => encodeBase58(new Uint8Array(64).fill(byte)) as TransactionHash,
)
const META = {
  ...{ err: null, fee: 5_000, loadedAddresses: { writable: [], readonly: [] } },
  ...{ preBalances: [9_000, 1, 1], postBalances: [3_960, 41, 1] },
  ...{ preTokenBalances: [], postTokenBalances: [], innerInstructions: [] },
}
const TRANSACTION = {
  signatures: [HASH],
  message: {
    header: { numRequiredSignatures: 1 },
    accountKeys: [ALICE, BOB, SYSTEM_PROGRAM],
    instructions: [
      {
        ...{ programIdIndex: 2, accounts: [0, 1] },
        data: encodeBase58(Uint8Array.of(2, 0, 0, 0, 40, 0, 0, 0, 0, 0, 0, 0)),
      },
    ],
  },
}
const WHOLE = { ...{ slot: 20, version: 0 }, transaction: TRANSACTION, meta: META }
const FOLLOWED: readonly Block[] = [
  {
    ...{ height: 20n, hash: wallet(21), parentHash: wallet(20), timeMilliseconds: 0 },
    transactionHashes: HASH === undefined ? [] : [HASH],
  },
]
const nodes = (getTransaction: unknown): Lines =>
  nodeWith(WORLD, {
    ...{ getSlot: 30, getBlock: { blockhash: wallet(21) }, getTransaction },
  })
const asked = (first: Lines, followed?: readonly Block[]) =>
  chainBehind(first).chain.outcomes(HASH === undefined ? [] : [HASH], followed)

describe('a transaction of ours that every node tells in no way that can be read', () => {
  const told: readonly [string, unknown][] = [
    ['no meta', { ...WHOLE, meta: null }],
    ['no word whether it failed', { ...WHOLE, meta: { ...META, err: undefined } }],
    ['no balances', { ...WHOLE, meta: { ...META, preBalances: [] } }],
    ['a fee of minus one', { ...WHOLE, meta: { ...META, fee: -1 } }],
    ['no slot', { ...WHOLE, slot: null }],
    ['another name', { ...WHOLE, transaction: { ...TRANSACTION, signatures: [OTHER] } }],
    ['text', 'soon'],
  ]
  test.each(told)('with %s: is untold in the block that was just read', async (_, answer) => {
    const untold = [{ state: 'untold', height: 20n, blockHash: wallet(21) }]
    expect(await asked(nodes(answer), FOLLOWED)).toEqual(untold)
    // Nobody else knows where it stands, nor believes a node that it stands there.
    await expect(asked(nodes(answer))).rejects.toThrow(NodeFailure)
    await expect(
      asked(nodes(answer), [{ ...FOLLOWED[0], transactionHashes: [] } as Block]),
    ).rejects.toThrow(NodeFailure)
  })

  test('is what a node says that tells it', async () => {
    const lie = { method: 'getTransaction', what: 'it', reply: { result: 'soon' } }
    const { chain } = chainBehind(nodes(WHOLE), { lie }, { nodes: 2 })
    expect(await chain.outcomes(HASH === undefined ? [] : [HASH], FOLLOWED)).toMatchObject([
      { state: 'mined', succeeded: true, height: 20n },
    ])
  })

  test('stands where the node says that it has it, when the chain has moved meanwhile', async () => {
    expect(await asked(nodes({ ...WHOLE, slot: 21, meta: null }), FOLLOWED)).toMatchObject([
      { state: 'untold', height: 21n },
    ])
  })

  test('is not one of which no node says anything, nor one that none has', async () => {
    const silent = nodes(() => error(-32_603, 'not today'))
    await expect(asked(silent, FOLLOWED)).rejects.toThrow(NodeFailure)
    expect(await asked(nodes(null), FOLLOWED)).toEqual([{ state: 'absent' }])
  })
})

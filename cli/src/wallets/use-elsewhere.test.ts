import { describe, expect, test } from 'vitest'
import { addressFromBytes } from '@florin/server/chains/evm/account.ts'
import { testNetwork } from '@florin/server/chains/evm/test-network.ts'
import { NodeFailure } from '@florin/server/chains/chain.ts'
import type { Chain } from '@florin/server/chains/chain.ts'
import { scriptedChain } from '@florin/server/sender/test-chain.ts'
import { CommandFailed } from '../usage-error.ts'
import { requireAtRest } from './use-elsewhere.ts'

const ADDRESS = addressFromBytes(new Uint8Array(20).fill(7))
const config = testNetwork([])
const { network } = config
const chainWith = (script: Partial<Chain>) =>
  scriptedChain(config, { parseAddress: () => ADDRESS, ...script })
const position = (latest: bigint, finalized: bigint, pooled?: bigint) =>
  chainWith({
    lanePosition: async () => ({ latest, finalized, finalizedHeight: 0n }),
    ...(pooled === undefined ? {} : { pooled: async () => pooled }),
  })

describe('a key that is brought along', () => {
  test('may have been used, as long as all of that is final', async () => {
    expect(await requireAtRest([position(7n, 7n, 0n)], ADDRESS)).toEqual([{ network, usedUp: 7n }])
    expect(await requireAtRest([position(0n, 0n)], ADDRESS)).toEqual([{ network, usedUp: 0n }])
    expect(await requireAtRest([], ADDRESS)).toEqual([])
  })

  test.each([
    ['is in a block that is not final', position(8n, 7n, 0n), 'one transaction'],
    ['waits for a block', position(7n, 7n, 1n), 'one transaction'],
    ['is either', position(9n, 7n, 2n), '4 transactions'],
  ])('is refused while a transaction of it %s', async (_, chain, said) => {
    const refused = requireAtRest([position(0n, 0n, 0n), chain], ADDRESS)
    await expect(refused).rejects.toThrow(CommandFailed)
    await expect(refused).rejects.toThrow(said)
  })

  test('is refused by the word of a node that calls less final than was read here', async () => {
    const standing = { height: 9n, haltedReason: null }
    const read = (finalizedHeight: bigint) => new Map([[network, { ...standing, finalizedHeight }]])
    const at = (finalizedHeight: bigint) =>
      chainWith({
        lanePosition: async () => ({ latest: 0n, finalized: 0n, finalizedHeight }),
        pooled: async () => 0n,
      })
    await expect(requireAtRest([at(7n)], ADDRESS, read(8n))).rejects.toThrow('not imported')
    expect(await requireAtRest([at(8n)], ADDRESS, read(8n))).toEqual([{ network, usedUp: 0n }])
    // Where transactions have no places there is none to be wrong about.
    expect(await requireAtRest([position(0n, 0n)], ADDRESS, read(8n))).toEqual([
      { network, usedUp: 0n },
    ])
  })

  test('is refused when no node says what it did', async () => {
    const silent = chainWith({
      lanePosition: async () => {
        throw new NodeFailure('away')
      },
      pooled: async () => 0n,
    })
    await expect(requireAtRest([silent], ADDRESS)).rejects.toThrow('not imported')
  })
})

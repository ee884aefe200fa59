import { expect, test } from 'vitest'
import { NodeFailure } from '../chains/chain.ts'
import type { Chain, HistoryLook, Terms, TransactionHash } from '../chains/chain.ts'
import type { OpenSigner } from '../custody/signer.ts'
import type { Wallet } from '../custody/wallet.ts'
import { testNetwork } from '../payments/test-lane.ts'
import { scriptedChain } from '../sender/test-chain.ts'
import { wasSentBefore } from './sent-before.ts'

const HASH = 'what it is called' as TransactionHash

/** Asks about it where each node's history holds it or not; 'away': none tells. */
async function asked(histories: readonly boolean[] | 'away') {
  let erased = 0
  const broadcast: unknown[] = []
  const looks = (found: boolean): HistoryLook => ({
    ...{ node: 'node', finalizedHeight: 9n, height: 9n, found },
  })
  const chain: Chain = scriptedChain(testNetwork(84_532), {
    sign: async () => ({ hash: HASH, raw: Uint8Array.of(1) }),
    broadcast: async (raws) => {
      broadcast.push(...raws)
      return []
    },
    renewal: {
      kind: 'lifetime',
      lookBack: async (hashes: readonly TransactionHash[]) => {
        expect(hashes).toEqual([HASH])
        if (histories === 'away') throw new NodeFailure('no node tells')
        return [histories.map(looks)]
      },
    } as Partial<Chain['renewal']> as Chain['renewal'],
  })
  const signer = { erase: () => void (erased += 1) } as Partial<OpenSigner> as OpenSigner
  const order = { chain, settler: {} as Wallet, terms: {} as Terms }
  const was = await wasSentBefore({ signerFor: async () => signer }, order).catch(
    (error: unknown) => error,
  )
  return { was, erased, broadcast }
}

test('a payment was sent before where any history holds what its settler would sign, and nothing is sent for that', async () => {
  expect(await asked([false, true])).toEqual({ was: true, erased: 1, broadcast: [] })
  expect(await asked([false, false])).toEqual({ was: false, erased: 1, broadcast: [] })
})

test('where no node tells its history that is no answer', async () => {
  const { was, erased } = await asked('away')
  expect(was).toBeInstanceOf(NodeFailure)
  expect(erased).toBe(1)
})

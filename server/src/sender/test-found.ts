import { openTestLane } from '@florin/server/payments/test-lane.ts'
import { openModelChain } from '@florin/server/payments/test-model-chain.ts'
import type { Store } from '@florin/server/store/postgres.ts'
import { livingAttempts, storeLooks } from './expiry-store.ts'

/** Base units of each payment here. */
const AMOUNT = 100n
const GAP = { milliseconds: 20_000, blocks: 10 }

/** One open place with one attempt, and looks at it as nodes gave them. */
export async function openFoundPlace(store: Store, chainId: number) {
  const model = openModelChain([{ asset: 'native', amount: 1_000n }])
  const lane = await openTestLane(store, model, chainId)
  const order = { asset: 'native', amount: AMOUNT, feeCeiling: 10n, at: model.tip() }
  const [sent] = await lane.send([lane.prepare(order)])
  if (sent?.kind !== 'committed') throw new Error('not committed')
  const { network } = lane.chain.config
  const [attempt] = await store.inTransaction('service', (tx) => livingAttempts(tx, network, 1))
  if (attempt === undefined) throw new Error('no attempt')
  const look = async (node: string, atMilliseconds: number, found = true): Promise<void> => {
    const { attemptId } = attempt
    const looks = [{ attemptId, node, found, finalizedHeight: 101n }]
    await store.inTransaction('service', (tx) => storeLooks(tx, looks, GAP, atMilliseconds))
  }
  /** The follower sees it after all. */
  const mine = async (): Promise<void> => {
    model.mine({ deposits: [], take: 1, feePercent: 50, reverts: false })
    await lane.follow(9)
  }
  return { model, lane, network, attempt, look, mine }
}

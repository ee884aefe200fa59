import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../../kernel/clock.ts'
import { openLog } from '../../../kernel/log.ts'
import { NodeFailure } from '../../chain.ts'
import type { Address, Block, Chain } from '../../chain.ts'
import { postText } from '../../json-rpc/post-text.ts'
import type { TradedToken } from '../../venue.ts'
import { requireAddress } from '../account.ts'
import { connectEvm } from '../connect.ts'
import { ETHER, startTestChain } from '../test-chain.ts'
import type { TestChain } from '../test-chain.ts'
import { openTestMarket } from './test-market.ts'

let scene: TestChain
let mint: Address
/** The block of a trade, and the height below that at which its pool was made. */
let traded: Block
let beforePool: bigint

beforeAll(async () => {
  scene = await startTestChain()
  const [first] = scene.sandbox.tokens
  if (first === undefined) throw new Error('nothing is traded here')
  mint = requireAddress(first.mint)
  const token: TradedToken = { ...first, mint }
  const market = openTestMarket(scene, 'uniswap-v2', token)
  const wallet = await scene.wallet(['native', '5'])
  const quote = await market.quoted('buy', ETHER)
  const [buy] = await market.land(wallet, await market.drafted(market.order(wallet.address, quote)))
  const [block] = await scene.chain.blocks(buy?.height ?? 0n, 1)
  if (block === undefined) throw new Error('nothing was mined')
  traded = block
  const facts = await scene.chain.market?.read(await scene.chain.blocks(0n, 4))
  const opened = facts?.find((fact) => fact.kind === 'opened' && fact.mint === mint)
  beforePool = (opened?.height ?? 0n) - 1n
})
afterAll(async () => {
  await scene.sandbox.stop()
})

/** The same chain, where calls are answered by a machine that stands still at a height, as long as there is one. */
function behindOneAddress(): { readonly chain: Chain; stand(height: bigint | undefined): void } {
  let standing: bigint | undefined
  const chain = connectEvm({
    config: scene.chain.config,
    log: openLog('silent'),
    clock: systemClock,
    post: (posting) => {
      const at = standing === undefined ? 'latest' : `0x${standing.toString(16)}`
      return postText({ ...posting, body: posting.body.replaceAll('"latest"', `"${at}"`) })
    },
  })
  return { chain, stand: (height) => (standing = height) }
}

describe('a machine that stands before a block', () => {
  test('does not make a pool none that it cannot know, and the pool is asked for again', async () => {
    const { chain, stand } = behindOneAddress()
    stand(beforePool)
    await expect(chain.market?.read([traded])).rejects.toThrow(NodeFailure)
    stand(undefined)
    const facts = await chain.market?.read([traded])
    expect(facts?.map(({ kind }) => kind)).toEqual(['reserves', 'trade'])
  })

  test('does not say what is no token to whoever asks as of that block', async () => {
    const { chain, stand } = behindOneAddress()
    const nobody = requireAddress(`0x${'6b'.repeat(20)}`)
    const asked = async (since?: bigint) => await chain.tokens?.facts([mint, nobody], since)
    stand(traded.height - 1n)
    await expect(asked(traded.height)).rejects.toThrow(NodeFailure)
    for (const since of [undefined, traded.height - 1n]) {
      expect(await asked(since)).toMatchObject([{ mint }, undefined])
    }
    // What is there was there.
    expect(await chain.tokens?.facts([mint], traded.height)).toMatchObject([{ mint }])
  })
})

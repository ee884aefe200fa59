import { expect, test } from 'vitest'
import type { TransactionHash } from '../chains/chain.ts'
import type { AwaitedApproval, ExactCheck } from '../chains/exact.ts'
import { settleAgain } from './settle-again.ts'
import { AMOUNT, claimFor, network, sceneOf } from './test-settle-scene.ts'

test('what is owed and lacks its approval again, as after a reorganisation, has that sent again', async () => {
  const approval: AwaitedApproval = {
    ...{ hash: '0x1' as TransactionHash, raw: Uint8Array.of(7), nonce: 0n, height: 9n, lacks: 0n },
    ...{ isUnderpriced: false, fundingFee: 0n, settlementFee: 0n },
  }
  const lacking = { ok: false, reason: 'permit2_allowance_required' } as const
  const heardBy = async (check: ExactCheck) => {
    const claim = claimFor(AMOUNT, { answeredAtMilliseconds: 1 })
    const { deps } = sceneOf(claim, check, 'exact')
    const chain = deps.chains.get(network)
    const read = chain?.exact?.read({}, {} as never)
    if (chain === undefined || read?.ok !== true) throw new Error('no payment')
    const heard: number[] = []
    const broadcast: typeof chain.broadcast = async (raws) => {
      heard.push(...raws.map(([first = 0]) => first))
      return [{ kind: 'accepted' }]
    }
    expect(await settleAgain(deps, { ...chain, broadcast }, claim, read.authorization)).toBe(false)
    return heard
  }
  expect(await heardBy({ ...lacking, approval })).toEqual([7])
  expect(await heardBy(lacking)).toEqual([])
})

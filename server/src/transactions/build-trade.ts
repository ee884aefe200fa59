import { Refusal } from '@florin/wire/errors.ts'
import { newId } from '../kernel/id.ts'
import type { TradeBuilder } from '../sender/trade-builder.ts'
import { earlierBuild, refuseShort, replay, selfCustodyOf } from './build-transaction.ts'
import type { BuildResult, TransferDeps } from './build-transaction.ts'
import { decided } from './commit-builds.ts'
import { approvalFields, buildFields } from './view.ts'

/** Builds swaps as transfers are built: the same keys, nonces, records and followers. */
export function openTradeBuilder(deps: TransferDeps): TradeBuilder {
  return {
    build: async (order) => {
      const { accountId, chain, sender, asset, priorityFee, operation, once } = order
      const answer = ({ build, state, replayed }: BuildResult) => ({
        paymentId: build.paymentId,
        fields: buildFields(build, state, chain.config),
        approval: build.facts.approval ? approvalFields(build.facts.approval, chain.config) : null,
        replayed,
      })
      const asked = { accountId, once, operation }
      const earlier = await earlierBuild(deps, asked)
      if (earlier !== undefined) return answer(await replay(deps, asked, earlier))
      // Nothing could be followed without it.
      selfCustodyOf(chain)
      const paymentId = newId(deps.random, 'pay')
      const prepared = await order.prepared(paymentId)
      const { recipient, amount, preparation, allowance, commitment, tradeId, beside } = prepared
      refuseShort({ chain, asset, amount }, preparation, allowance?.fee.max ?? 0n)
      const request = {
        ...{ accountId, chain, sender, recipient, asset, amount, priorityFee, once, operation },
        resource: null,
        metadataText: null,
        tradeId,
      }
      const decision = decided(
        await deps.queue.submit(chain, {
          ...{ request, paymentId, commitment, preparation, beside },
          allowance,
        }),
      )
      if (decision.kind === 'stored') {
        return answer({ build: decision.build, state: decision.state, replayed: false })
      }
      if (once === null) throw new Refusal('INTERNAL_ERROR')
      return answer(await replay(deps, asked, decision.paymentId))
    },
  }
}

import { endpoints } from '@florin/wire/endpoints.ts'
import { Refusal } from '@florin/wire/errors.ts'
import { changePlan, planUses } from '../access/operator-store.ts'
import { listPlans } from '../access/plan-store.ts'
import { actorOf } from '../audit/actor-of.ts'
import { route } from '../http/route.ts'
import type { Route } from '../http/route.ts'
import type { Tx } from '../store/postgres.ts'
import type { OperatorDeps } from './deps.ts'

/** What each plan allows, and where it differs from the endpoint table. Holds within limits.keyCacheMilliseconds on every instance. */
export function operatorPlanRoutes({ store, audit }: OperatorDeps): readonly Route[] {
  return [
    route(endpoints.operatorPlans, () =>
      store.inTransaction('service', async (tx) => ({ body: { plans: await planViews(tx) } })),
    ),

    route(endpoints.operatorChangePlan, (call) =>
      store.inTransaction('service', async (tx) => {
        const { plan } = call.params
        const { exceptions, ...more } = call.body
        refuseUnknown(exceptions ?? [])
        await changePlan(tx, plan, call.body)
        await audit.note(tx, {
          accountId: null,
          actor: actorOf(call),
          action: 'plan.changed',
          object: plan,
          details: {
            ...more,
            ...(exceptions === undefined
              ? {}
              : {
                  exceptions: exceptions.map(
                    ({ operation, included }) => `${included ? '+' : '-'}${operation}`,
                  ),
                }),
          },
        })
        const view = (await planViews(tx)).find((each) => each.plan === plan)
        if (view === undefined) throw new Error('a plan is gone')
        return { body: view }
      }),
    ),
  ]
}

function refuseUnknown(exceptions: readonly { readonly operation: string }[]): void {
  const names = exceptions.map(({ operation }) => operation)
  const wrong = names.find((name, index) => !(name in endpoints) || names.indexOf(name) !== index)
  if (wrong === undefined) return
  throw new Refusal('INVALID_PARAMETERS', {
    details: { exceptions: `${wrong} must be an operation, and be named once` },
  })
}

async function planViews(tx: Tx) {
  const uses = await planUses(tx)
  return (await listPlans(tx)).map((plan) => {
    const { exceptions = [], accounts = 0 } = uses.get(plan.plan) ?? {}
    return { ...plan, exceptions, accounts }
  })
}

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
        const { exceptions, exception, ...more } = call.body
        refuseUnknown('exceptions', exceptions ?? [])
        refuseUnknown('exception', exception === undefined ? [] : [exception])
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
                  exceptions: exceptions.map(noted),
                }),
            ...(exception === undefined ? {} : { exception: noted(exception) }),
          },
        })
        const view = (await planViews(tx)).find((each) => each.plan === plan)
        if (view === undefined) throw new Error('a plan is gone')
        return { body: view }
      }),
    ),
  ]
}

/** An exception as the audit log has it: had, not had, or none any more. */
function noted({
  operation,
  included,
}: {
  readonly operation: string
  readonly included: boolean | null
}): string {
  return included === null ? operation : `${included ? '+' : '-'}${operation}`
}

function refuseUnknown(
  field: 'exceptions' | 'exception',
  exceptions: readonly { readonly operation: string }[],
): void {
  const names = exceptions.map(({ operation }) => operation)
  const wrong = names.find(
    (name, index) => !Object.hasOwn(endpoints, name) || names.indexOf(name) !== index,
  )
  if (wrong === undefined) return
  throw new Refusal('INVALID_PARAMETERS', {
    details: { [field]: `${wrong} must be an operation, and be named once` },
  })
}

async function planViews(tx: Tx) {
  const uses = await planUses(tx)
  return (await listPlans(tx)).map((plan) => {
    const { exceptions = [], accounts = 0 } = uses.get(plan.plan) ?? {}
    return { ...plan, exceptions, accounts }
  })
}

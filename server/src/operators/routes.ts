import type { Route } from '../http/route.ts'
import { operatorAccountRoutes } from './account-routes.ts'
import type { OperatorDeps } from './deps.ts'
import { operatorLaneRoutes } from './lane-routes.ts'
import { operatorListRoutes } from './list-routes.ts'
import { operatorNetworkRoutes } from './network-routes.ts'
import { operatorPlanRoutes } from './plan-routes.ts'

/** Everything that only operators of the installation may ask. Every change is written down in the transaction that makes it. */
export function operatorRoutes(deps: OperatorDeps): readonly Route[] {
  return [
    ...operatorAccountRoutes(deps),
    ...operatorPlanRoutes(deps),
    ...operatorLaneRoutes(deps),
    ...operatorNetworkRoutes(deps),
    ...operatorListRoutes(deps),
  ]
}

import type { Endpoint } from '@florin/wire/endpoint.ts'
import { Refusal } from '@florin/wire/errors.ts'
import { ROLE_SCOPES } from '@florin/wire/role.ts'
import { permit } from '../access/permit.ts'
import type { SessionHolder } from './sessions.ts'

/**
 * Whether a session may use an operation. What a key opens, a session in an account opens by its role's scopes and the account's plan.
 * Throws Refusal FORBIDDEN naming what is missing.
 */
export function permitSession(
  { account, isOperator }: Pick<SessionHolder, 'account' | 'isOperator'>,
  { id, needs }: Pick<Endpoint, 'id' | 'needs'>,
): void {
  if (needs === null) return
  if ('session' in needs) {
    switch (needs.session) {
      case 'anyone':
        return
      case 'operator':
        if (!isOperator) throw lacking('session', 'needs an operator of the installation')
        return
      case 'member':
        if (account === null) throw noAccount()
        return
      case 'owner':
        if (account === null) throw noAccount()
        if (account.role !== 'owner') throw lacking('role', 'needs owner')
        return
      default:
        return needs.session satisfies never
    }
  }
  if (account === null) throw noAccount()
  const { plan, exceptions, role } = account
  const { roles, scope } = needs
  if (roles !== undefined && !roles.includes(role)) {
    throw lacking('role', `needs ${roles.join(' or ')}`)
  }
  const scopes = new Set(roles === undefined ? ROLE_SCOPES[role] : [scope])
  if (!scopes.has(scope)) throw lacking('role', `${role} does not include ${scope}`)
  permit({ plan, exceptions, scopes }, { id, needs })
}

function noAccount(): Refusal {
  return lacking('account', 'choose one of yours with PUT /session/account')
}

function lacking(what: string, details: string): Refusal {
  return new Refusal('FORBIDDEN', {
    message: 'This session may not do that.',
    details: { [what]: details },
  })
}

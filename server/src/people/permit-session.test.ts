import { describe, expect, test } from 'vitest'
import type { Endpoint } from '@florin/wire/endpoint.ts'
import { endpoints } from '@florin/wire/endpoints.ts'
import { Refusal } from '@florin/wire/errors.ts'
import { PLANS } from '@florin/wire/plan.ts'
import { ROLES, ROLE_SCOPES } from '@florin/wire/role.ts'
import { newId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import { permitSession } from './permit-session.ts'

const rows: readonly Endpoint[] = Object.values(endpoints)
const accountId = newId(systemRandom, 'acct')
const none = new Map<string, boolean>()

function isPermitted(work: () => void): boolean {
  try {
    work()
    return true
  } catch (error) {
    if (error instanceof Refusal && error.code === 'FORBIDDEN') return false
    throw error
  }
}

describe('a session', () => {
  test('may in its account exactly what its role and the plan of the account have, operation by operation', () => {
    for (const row of rows) {
      for (const role of ROLES) {
        for (const plan of PLANS) {
          const account = { accountId, role, plan, exceptions: none }
          const { needs } = row
          const expected =
            needs === null ||
            ('session' in needs
              ? needs.session === 'anyone' ||
                needs.session === 'member' ||
                (needs.session === 'owner' && role === 'owner')
              : (needs.roles?.includes(role) ?? ROLE_SCOPES[role].includes(needs.scope)) &&
                PLANS.indexOf(plan) >= PLANS.indexOf(needs.plan))
          const permitted = isPermitted(() => permitSession({ account, isOperator: false }, row))
          expect(permitted, `${row.id} for ${role} of ${plan}`).toBe(expected)
        }
      }
    }
  })

  test('without an account opens nothing of any, and an operator no account by that alone', () => {
    for (const row of rows) {
      const { needs } = row
      for (const isOperator of [false, true]) {
        const expected =
          needs === null ||
          ('session' in needs &&
            (needs.session === 'anyone' || (isOperator && needs.session === 'operator')))
        const permitted = isPermitted(() => permitSession({ account: null, isOperator }, row))
        expect(permitted, `${row.id}, operator: ${isOperator}`).toBe(expected)
      }
    }
  })

  test('never does what its plan leaves out, and does what it adds', () => {
    const row = endpoints.sendPayment
    const facts = { accountId, role: 'owner', plan: 'standard' } as const
    const at = (included: boolean) => ({
      isOperator: false,
      account: { ...facts, exceptions: new Map<string, boolean>([[row.id, included]]) },
    })
    expect(isPermitted(() => permitSession(at(false), row))).toBe(false)
    expect(isPermitted(() => permitSession(at(true), row))).toBe(true)
  })

  test('that only reads has no way to change anything of its account', () => {
    const account = { accountId, role: 'viewer', plan: 'enterprise', exceptions: none } as const
    const changing = rows.filter(
      (row) =>
        row.method !== 'GET' &&
        row.needs !== null &&
        !('session' in row.needs && row.needs.session === 'anyone') &&
        isPermitted(() => permitSession({ account, isOperator: false }, row)),
    )
    // A ticket listens, a simulation asks.
    const harmless = ['createEventTicket', 'simulateTransaction']
    expect(changing.map(({ id }) => id).filter((id) => !harmless.includes(id))).toEqual([])
  })
})

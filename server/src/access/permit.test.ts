import { describe, expect, test } from 'vitest'
import { Refusal } from '@florin/wire/errors.ts'
import { PLANS, SCOPES } from '../kernel/caller.ts'
import { newId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import { permit } from './permit.ts'

const accountId = newId(systemRandom, 'acct')
const keyId = newId(systemRandom, 'key')

describe('permit', () => {
  test('lets exactly the plan or a higher one with exactly the scope pass', () => {
    for (const [have, plan] of PLANS.entries()) {
      for (const [need, needed] of PLANS.entries()) {
        for (const scope of SCOPES) {
          for (const asked of SCOPES) {
            const caller = { accountId, keyId, plan, scopes: new Set([scope]) }
            const work = () => permit(caller, { needs: { scope: asked, plan: needed } })
            if (have >= need && scope === asked) expect(work).not.toThrow()
            else expect(work).toThrow(Refusal)
          }
        }
      }
    }
  })

  test('says what is missing, the plan first', () => {
    const caller = { accountId, keyId, plan: 'standard', scopes: new Set([]) } as const
    const needs = { scope: 'trade', plan: 'premium' } as const
    expect(() => permit(caller, { needs })).toThrow(
      expect.objectContaining({ code: 'FORBIDDEN', details: { plan: 'needs premium' } }),
    )
  })

  test('an operation that needs nothing is open', () => {
    const caller = { accountId, keyId, plan: 'standard', scopes: new Set([]) } as const
    expect(() => permit(caller, { needs: null })).not.toThrow()
  })
})

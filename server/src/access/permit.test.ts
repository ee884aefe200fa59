import { describe, expect, test } from 'vitest'
import { Refusal } from '@florin/wire/errors.ts'
import { PLANS, SCOPES } from '../kernel/caller.ts'
import { permit } from './permit.ts'

const exceptions: ReadonlyMap<string, boolean> = new Map()
const id = 'sendPayment'

describe('permit', () => {
  test('lets exactly the plan or a higher one with exactly the scope pass', () => {
    for (const [have, plan] of PLANS.entries()) {
      for (const [need, needed] of PLANS.entries()) {
        for (const scope of SCOPES) {
          for (const asked of SCOPES) {
            const caller = { plan, scopes: new Set([scope]), exceptions }
            const work = () => permit(caller, { id, needs: { scope: asked, plan: needed } })
            if (have >= need && scope === asked) expect(work).not.toThrow()
            else expect(work).toThrow(Refusal)
          }
        }
      }
    }
  })

  test('says what is missing, the plan first', () => {
    const caller = { plan: 'standard', scopes: new Set([]), exceptions } as const
    const needs = { scope: 'trade', plan: 'premium' } as const
    expect(() => permit(caller, { id, needs })).toThrow(
      expect.objectContaining({ code: 'FORBIDDEN', details: { plan: 'needs premium' } }),
    )
  })

  test('an operation that needs nothing is open', () => {
    const caller = { plan: 'standard', scopes: new Set([]), exceptions } as const
    expect(() => permit(caller, { id, needs: null })).not.toThrow()
  })
})

import type { Run } from '../command.ts'
import { readArguments } from '../read-arguments.ts'
import { UsageError } from '../usage-error.ts'
import { makeKey } from './change-keys.ts'
import { expiryFrom, planFrom, scopesFrom } from './key-order.ts'
import { keyView, momentText } from './key-view.ts'
import { withAccess } from './open-access.ts'
import { inWords } from './refusal.ts'

/** `florin keys create`: the one time that a key's text is shown. */
export const runKeysCreate: Run = async ({ args, environment, print, note }) => {
  const given = readArguments(args, {
    flags: ['name', 'scopes', 'plan', 'expires'],
    switches: ['json'],
  })
  const name = given.flag('name')
  if (name === undefined) throw new UsageError('--name is missing: what the key is for')
  const plan = planFrom(given.flag('plan'))
  const scopes = scopesFrom(given.flag('scopes'))
  const { facts, key } = await withAccess(environment, async (access) => {
    const { accountId, mode, clock } = access
    const expiresAtMilliseconds = expiryFrom(given.flag('expires'), clock.nowMilliseconds())
    const order = { accountId, name, mode, plan, scopes, expiresAtMilliseconds }
    return await inWords(makeKey(access, order))
  })
  if (given.has('json')) {
    print(`${JSON.stringify({ ...keyView(facts), key: key.reveal() })}\n`)
    return 0
  }
  // The key alone, so that a shell can keep it: KEY=$(florin keys create --name shop).
  print(`${key.reveal()}\n`)
  note(
    [
      '',
      `This is the only time that this key is shown. Id ${facts.keyId}, plan ${facts.plan},`,
      `scopes ${facts.scopes.join(', ')}, expires ${momentText(facts.expiresAtMilliseconds)}.`,
      '',
    ].join('\n'),
  )
  return 0
}

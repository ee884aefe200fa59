import { SYSTEM } from '../audit/entry.ts'
import { openAudit } from '../audit/audit.ts'
import type { Clock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import type { AccountId, MemberId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { Random } from '../kernel/random.ts'
import type { Secret } from '../kernel/secret.ts'
import type { Store } from '../store/postgres.ts'
import { dropSandboxLinks, insertLink } from './link-store.ts'
import type { Link } from './link-store.ts'
import { linkText } from './link-text.ts'
import {
  findOperators,
  hasOperator,
  insertMember,
  lockFirstOperator,
  putMembership,
} from './member-store.ts'
import { newToken, tokenDigest } from './token.ts'

interface Deps {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
}

const LINK_MILLISECONDS = limits.operatorLinkSeconds * 1000
const SANDBOX_OPERATOR = 'Sandbox operator'

/**
 * A link that signs an operator in, once, within limits.operatorLinkSeconds: the one with that email address, else the first; where there
 * is none yet, it makes the first. Undefined: no operator has that address.
 */
export async function giveOperatorLink(
  { store, clock, random }: Deps,
  baseUrl: string,
  email?: string,
): Promise<Secret | undefined> {
  const token = newToken(random)
  const now = clock.nowMilliseconds()
  return await store.inTransaction('service', async (tx) => {
    const operators = await findOperators(tx)
    const operator = operators.find((each) => email === undefined || each.email === email)
    if (operator === undefined && email !== undefined) return undefined
    const link: Link =
      operator === undefined
        ? { kind: 'first_operator' }
        : { kind: 'operator', memberId: operator.memberId }
    await insertLink(tx, link, {
      digest: tokenDigest(token),
      createdAtMilliseconds: now,
      expiresAtMilliseconds: now + LINK_MILLISECONDS,
    })
    await openAudit({ clock, random }).note(tx, {
      accountId: null,
      actor: SYSTEM,
      action: 'operator.link_given',
      object: operator?.memberId ?? null,
    })
    return linkText(baseUrl, token)
  })
}

/** The link of a first start: undefined once somebody runs the installation. */
export async function giveFirstLink(deps: Deps, baseUrl: string): Promise<Secret | undefined> {
  return (await hasOperator(deps.store)) ? undefined : await giveOperatorLink(deps, baseUrl)
}

/**
 * The link of a sandbox: it signs the first operator in, who owns the sandbox's account, as often as one likes, from this machine alone,
 * until the sandbox starts again.
 */
export async function giveSandboxLink(
  { store, clock, random }: Deps,
  { accountId, baseUrl }: { readonly accountId: AccountId; readonly baseUrl: string },
): Promise<Secret> {
  const token = newToken(random)
  const now = clock.nowMilliseconds()
  await store.inTransaction('service', async (tx) => {
    await lockFirstOperator(tx)
    const [first] = await findOperators(tx)
    const memberId: MemberId = first?.memberId ?? newId(random, 'mem')
    if (first === undefined) {
      const member = { memberId, email: null, name: SANDBOX_OPERATOR, isOperator: true }
      await insertMember(tx, member, now)
      await putMembership(tx, { memberId, accountId, role: 'owner' }, now)
    }
    await dropSandboxLinks(tx)
    await insertLink(
      tx,
      { kind: 'sandbox', memberId },
      { digest: tokenDigest(token), createdAtMilliseconds: now, expiresAtMilliseconds: null },
    )
  })
  return linkText(baseUrl, token)
}

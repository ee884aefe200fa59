import { setAccountPlan } from '@florin/server/access/account-store.ts'
import { openFirstAccount } from '@florin/server/access/create-account.ts'
import { createKey } from '@florin/server/access/create-key.ts'
import { deleteKey } from '@florin/server/access/delete-key.ts'
import { keyDigest, parseKey } from '@florin/server/access/key.ts'
import { listKeys } from '@florin/server/access/list-keys.ts'
import { findKeyByDigest } from '@florin/server/access/store.ts'
import type { Service } from '@florin/server/app.ts'
import { SCOPES } from '@florin/server/kernel/caller.ts'
import type { Plan } from '@florin/server/kernel/caller.ts'
import type { AccountId } from '@florin/server/kernel/id.ts'
import type { SandboxFile } from '../sandbox-file.ts'

const SANDBOX_ACCOUNT = 'Sandbox'

type ApiKeys = SandboxFile['apiKeys']
const nameOf = (plan: Plan) => `sandbox ${plan}`

/** The account that everything of the sandbox belongs to, made where there is none. */
export async function openSandboxAccount({
  store,
  custody: { clock, random },
}: Service): Promise<AccountId> {
  return (await openFirstAccount({ store, clock, random }, SANDBOX_ACCOUNT)).accountId
}

/**
 * One key per plan for the sandbox's account. Keys of the run before are used again while they are good, so that what
 * people have pasted elsewhere keeps working; one that is not is replaced, never added to.
 */
export async function seedKeys(
  service: Service,
  earlier: ApiKeys | undefined,
): Promise<{ readonly accountId: AccountId; readonly apiKeys: ApiKeys }> {
  const deps = {
    store: service.store,
    clock: service.custody.clock,
    random: service.custody.random,
  }
  const accountId = await openSandboxAccount(service)
  // What its owner may give: the keys here have every plan. Later an operator may say otherwise.
  if (earlier === undefined)
    await deps.store.inTransaction('service', (tx) => setAccountPlan(tx, accountId, 'enterprise'))

  const keyFor = async (plan: Plan): Promise<string> => {
    const text = earlier?.[plan]
    if (text !== undefined && (await isGood(service, text, { accountId, plan }))) return text
    for (const { keyId, name } of await listKeys(deps, accountId)) {
      if (name === nameOf(plan)) await deleteKey(deps, { accountId, keyId })
    }
    const { key } = await createKey(
      { ...deps, pepper: service.keyPepper },
      {
        accountId,
        name: nameOf(plan),
        mode: 'test',
        plan,
        scopes: SCOPES,
        expiresAtMilliseconds: null,
      },
    )
    return key.reveal()
  }
  const [standard, premium, enterprise] = await Promise.all([
    keyFor('standard'),
    keyFor('premium'),
    keyFor('enterprise'),
  ])
  return { accountId, apiKeys: { standard, premium, enterprise } }
}

async function isGood(
  { store, keyPepper }: Service,
  text: string,
  { accountId, plan }: { accountId: AccountId; plan: Plan },
): Promise<boolean> {
  const key = parseKey(text)
  const found = key && (await findKeyByDigest(store, keyDigest(key, keyPepper)))
  return found?.facts.accountId === accountId && found.facts.plan === plan
}

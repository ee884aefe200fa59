import { afterAll, beforeAll, expect, test } from 'vitest'
import { endpoints } from '@florin/wire/endpoints.ts'
import type { Endpoint } from '@florin/wire/endpoint.ts'
import { newId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import { openTestPeople } from './test-people.ts'
import type { TestBrowser, TestPeople, TestPeopleInstance } from './test-people.ts'
import { write } from '../store/test-write.ts'

/** What an operation for people is given that names a thing, and what it answers to a name of somebody else's. */
const MATRIX: Readonly<Record<string, { readonly field: string; readonly body?: object }>> = {
  selectAccount: { field: 'accountId' },
  endSession: { field: 'sessionId' },
  deletePasskey: { field: 'passkeyId' },
  changeMember: { field: 'memberId', body: { role: 'viewer' } },
  removeMember: { field: 'memberId' },
}
/** Fields that name nothing, or nothing but what the caller says it shall be. */
const NAMES_NOTHING = new Set([
  ...['name', 'email', 'role', 'password', 'currentPassword', 'response'],
  ...['limit', 'cursor', 'search', 'period', 'status'],
])

const rows: readonly Endpoint[] = Object.values<Endpoint>(endpoints).filter(
  // Operators see every account: a name of any is a name of theirs.
  ({ needs }) => needs !== null && 'session' in needs && needs.session !== 'operator',
)
const fieldsOf = ({ params, query, body }: Endpoint) =>
  [params, query, body].flatMap((schema) =>
    'properties' in schema ? Object.keys(Object(schema.properties)) : [],
  )

let scene: TestPeople
let here: TestPeopleInstance
let mine: TestBrowser
let theirs: Readonly<Record<string, string>>
beforeAll(async () => {
  scene = await openTestPeople()
  here = await scene.start()
  const someone = async (name: string) => {
    const accountId = await scene.anAccount(name)
    const memberId = await scene.aMember({ name }, [{ accountId, role: 'owner' }])
    const browser = await here.signIn(await scene.aLink({ kind: 'operator', memberId }))
    return { accountId, memberId, browser }
  }
  mine = (await someone('Mine')).browser
  const { accountId, memberId, browser } = await someone('Theirs')
  const { body } = await here.ask('GET', '/sessions', { as: browser })
  const [session] = body['sessions'] as { sessionId: string }[]
  const passkeyId = newId(systemRandom, 'psk')
  await write(
    scene.database.store,
    'test_passkey',
    `insert into passkeys (id, member_id, name, credential_id, public_key, counter, transports, synced, created_at)
     values ($1, $2, 'phone', $3, $3, 0, '{}', false, now())`,
    [passkeyId, memberId, Buffer.from(systemRandom.bytes(32))],
  )
  theirs = { accountId, memberId, sessionId: session?.sessionId ?? '', passkeyId }
})
afterAll(() => scene.close())

test('every operation for people, and every name that it is given, stands in the matrix', () => {
  const wanted = rows.flatMap((row) =>
    fieldsOf(row)
      .filter((field) => !NAMES_NOTHING.has(field))
      .map((field) => `${row.id} ${field}`),
  )
  expect(wanted.sort()).toEqual(
    Object.entries(MATRIX)
      .map(([id, { field }]) => `${id} ${field}`)
      .sort(),
  )
})

const PREFIXES = { accountId: 'acct', memberId: 'mem', sessionId: 'ses', passkeyId: 'psk' } as const

test.each(rows.filter(({ id }) => id in MATRIX))(
  '$id answers to a name of somebody else as to a name of nothing',
  async ({ id, method, path }) => {
    const { field = '', body = {} } = MATRIX[id] ?? {}
    const prefix = Object.entries(PREFIXES).find(([name]) => name === field)?.[1] ?? 'acct'
    const answers = []
    for (const value of [theirs[field] ?? '', newId(systemRandom, prefix)]) {
      const isInPath = path.includes(`{${field}}`)
      const sent = isInPath ? body : { ...body, [field]: value }
      const answer = await here.ask(method, path.replace(`{${field}}`, value), {
        as: mine,
        ...(Object.keys(sent).length === 0 ? {} : { body: sent }),
      })
      const { requestId: _, ...error } = Object(answer.body['error']) as Record<string, unknown>
      answers.push({ status: answer.status, error: JSON.stringify(error).replaceAll(value, '') })
    }
    expect(answers[0]).toEqual(answers[1])
    expect(answers[0]?.status).toBe(404)
  },
)

import { expect, test } from 'vitest'
import { SYSTEM } from '../audit/entry.ts'
import { holdKeyRow } from '../custody/installation-secret-store.ts'
import { newKeyRow } from '../custody/key-encryption-key.ts'
import { keyFromText } from '../custody/key-file.ts'
import { localKeyWrapper } from '../custody/key-wrapper.ts'
import { systemRandom as random } from '../kernel/random.ts'
import { until } from '../kernel/until.ts'
import { write } from '../store/test-write.ts'
import { createWebhook, rotateSecret } from './manage.ts'
import { resealWebhookSecrets } from './reseal-secrets.ts'
import { openTestWebhooks } from './test-webhooks.ts'
import { WAITS_HERE } from '../store/test-waits.ts'

test('a rotation that meets an exchange of the key waits for it, and neither of them is given up', async () => {
  const room = await openTestWebhooks({ givesOut: false })
  const { store } = room.database
  const fresh = await newKeyRow(keyFromText('a key text that is long enough for this'), random)
  const wrapper = localKeyWrapper({ keyEncryptionKey: fresh.key, random })
  const deps = { ...room.deps, wrapper }
  await write(
    store,
    'test_key_row',
    `insert into installation_secrets (name, sealed) values ('key-encryption-key', $1)`,
    [fresh.row],
  )
  try {
    const whose = { accountId: await room.newAccount(), actor: SYSTEM, key: undefined }
    const terms = { url: 'http://127.0.0.1:9/', description: null, types: [], enabled: true }
    const { webhook } = await createWebhook(deps, { ...whose, ...terms, plan: 'standard' })
    const order = { ...whose, webhookId: webhook.id, previousValidSeconds: 0 }
    const rotated = Promise.withResolvers<unknown>()
    const exchanged = store.inTransaction('service', async (tx) => {
      await holdKeyRow(tx, 'update')
      rotateSecret(deps, order).then(rotated.resolve, rotated.reject)
      await until('the rotation waits', isWaiting, { seconds: 30 })
      return await resealWebhookSecrets(tx, { before: wrapper, after: wrapper })
    })
    const [exchange, rotation] = await Promise.allSettled([exchanged, rotated.promise])
    expect(exchange).toEqual({ status: 'fulfilled', value: 1 })
    expect(rotation).toMatchObject({ status: 'fulfilled', value: { isRepeated: false } })
    expect(await store.inTransaction('service', (tx) => holdKeyRow(tx, 'share'))).toEqual(
      Buffer.from(fresh.row),
    )
  } finally {
    await room.close()
  }

  async function isWaiting(): Promise<boolean> {
    const rows = await store.query<{ waits: boolean }>(
      'test_waits',
      `select exists (select from ${WAITS_HERE}) as waits`,
    )
    return rows[0]?.waits === true
  }
})

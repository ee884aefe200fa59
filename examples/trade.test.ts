import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { openTestService, refusal } from '@florin/sdk/test-service.ts'
import { expect, test } from 'vitest'

test('with what `florin env` exports the trading example asks with the key whose plan may trade', async () => {
  const service = await openTestService([refusal(403, 'FORBIDDEN')])
  try {
    const example = fileURLToPath(new URL('trade.ts', import.meta.url))
    const env = {
      FLORIN_BASE_URL: service.baseUrl,
      FLORIN_API_KEY: 'of-standard',
      FLORIN_API_KEY_PREMIUM: 'of-premium',
    }
    await once(spawn(process.execPath, [example], { env, stdio: 'ignore' }), 'close')
    expect(service.seen.map(({ authorization }) => authorization)).toEqual(['Bearer of-premium'])
  } finally {
    await service.close()
  }
})

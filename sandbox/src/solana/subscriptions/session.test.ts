import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../../../server/src/kernel/until.ts'
import { startChain } from '../chain/chain.ts'
import type { SolanaChain } from '../chain/chain.ts'
import { openDistortions } from '../distortion.ts'
import { openSession } from './session.ts'

const directory = mkdtempSync(join(tmpdir(), 'florin-session-'))
let chain: SolanaChain
beforeAll(async () => {
  chain = await startChain(directory, 'evm_1', () => undefined)
})
afterAll(async () => {
  await chain.stop()
  rmSync(directory, { recursive: true, force: true })
})

test('what happens while the reply is on its way is told after it, in order', async () => {
  const sent: string[] = []
  const parts = {
    context: { chain, distortion: openDistortions(), airdrop: async () => '' },
    log: () => undefined,
  }
  const hub = {
    add(_: unknown, tell: (value: number) => void) {
      tell(1)
      tell(2)
      return () => undefined
    },
  }
  const socket = { send: (text: string) => void sent.push(text), end: () => undefined }
  const session = openSession(parts, hub, socket)
  session.received(Buffer.from('{"jsonrpc":"2.0","id":7,"method":"slotSubscribe"}'))
  await until('all has come', () => sent.length === 3, { seconds: 30 })
  const [reply, ...notifications] = sent.map((text): unknown => JSON.parse(text))
  expect(reply).toMatchObject({ id: 7 })
  expect(notifications).toMatchObject([{ params: { result: 1 } }, { params: { result: 2 } }])
  session.close()
})

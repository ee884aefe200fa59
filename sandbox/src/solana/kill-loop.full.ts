import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startSandbox } from '../../../e2e/actors/sandbox.ts'
import { until } from '../../../server/src/kernel/until.ts'
import { testClient } from './test-client.ts'

const KILLS = 40
const BETWEEN_KILLS_MILLISECONDS_MAX = 1_500
const RECOVERY_SECONDS = 20
/** Less than the blocks that are kept. */
const LOOK_BACK_SLOTS = 200n

test(`${KILLS} kills take back nothing that was final`, { timeout: 300_000 }, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'florin-solana-kill-'))
  let sandbox = await startSandbox({ directory, faults: true })
  const { instance } = sandbox
  const client = testClient(sandbox)
  const payee = await client.newKey()
  const finals = new Map<bigint, string>()
  const paid = new Set<string>()
  let isOver = false
  const watching = (async () => {
    while (!isOver) {
      const seen = await look(client).catch(() => undefined)
      if (seen !== undefined) finals.set(seen.slot, seen.blockhash)
      await delay(20)
    }
  })()
  const paying = (async () => {
    while (!isOver) {
      const signature = await sandbox.fund(payee.address, 'native', '1').catch(() => undefined)
      if (signature === undefined) await delay(20)
      else paid.add(signature)
    }
  })()
  try {
    for (let kill = 0; kill < KILLS; kill += 1) {
      await delay(((kill * 37) % 97) * (BETWEEN_KILLS_MILLISECONDS_MAX / 97))
      const highest = [...finals.keys()].reduce((most, slot) => (slot > most ? slot : most), 0n)
      const settled = [...paid]
      if (kill % 2 === 0) {
        await sandbox.fault({ chain: 'solana', kind: 'kill-node' })
      } else {
        await sandbox.kill('SIGKILL')
        sandbox = await startSandbox({ directory, faults: true })
      }
      const now = await until(
        'a final block shows',
        async () => await look(client).catch(() => undefined),
        { seconds: RECOVERY_SECONDS },
      )
      expect(sandbox.instance).toBe(instance)
      expect(now.slot).toBeGreaterThanOrEqual(highest)
      for (const [slot, blockhash] of finals) {
        if (slot < highest - LOOK_BACK_SLOTS) continue
        const block = await client.raw('getBlock', [Number(slot), { transactionDetails: 'none' }])
        expect(block.result ?? block.error, `slot ${slot}`).toMatchObject({ blockhash })
      }
      for (const signature of settled) {
        const { result } = await client.raw('getSignatureStatuses', [[signature]])
        expect(result, signature).toMatchObject({ value: [{ err: null }] })
      }
    }
    expect(finals.size).toBeGreaterThan(KILLS)
    expect(paid.size).toBeGreaterThan(KILLS)
  } finally {
    isOver = true
    await Promise.all([watching, paying])
    await sandbox.stop()
    rmSync(directory, { recursive: true, force: true })
  }
})

async function look({
  rpc,
}: ReturnType<typeof testClient>): Promise<{ slot: bigint; blockhash: string } | undefined> {
  const slot = await rpc.getSlot({ commitment: 'finalized' }).send()
  const block = await rpc.getBlock(slot, { transactionDetails: 'none', rewards: false }).send()
  return block === null ? undefined : { slot, blockhash: block.blockhash }
}

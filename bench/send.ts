import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@florin/server/kernel/clock.ts'
import { openLog } from '@florin/server/kernel/log.ts'
import { systemRandom } from '@florin/server/kernel/random.ts'
import { startPostgres } from '@florin/server/store/embedded/start-postgres.ts'
import { migrate } from '@florin/server/store/migrate.ts'
import { openClient } from '../e2e/actors/client.ts'
import { startSandbox } from '../e2e/actors/sandbox.ts'
import { startService } from '../e2e/actors/service.ts'
import type { ServiceHandle } from '../e2e/actors/service.ts'

// POST /payment/send over HTTP from one wallet: all sends share transactions (64 at most) against one transaction each.
// Both services run at once on databases of their own and one chain; rounds alternate, so drift of the machine meets both.
const ROUNDS = 5
const SENDS = 200
const IN_FLIGHT = 64

const log = openLog('silent')
const directory = await mkdtemp(join(tmpdir(), 'florin-bench-'))
const sandbox = await startSandbox()
const variants: {
  name: string
  service: ServiceHandle
  stop: () => Promise<void>
  seconds: number[]
}[] = []
try {
  for (const [name, sendBatchMax] of [
    ['shared', 64],
    ['alone', 1],
  ] as const) {
    const postgres = await startPostgres({
      directory: join(directory, name),
      log,
      clock: systemClock,
      random: systemRandom,
    })
    await migrate({ url: postgres.ownerUrl, log })
    const databaseUrl = postgres.ownerUrl.reveal()
    const service = await startService({ sandbox, databaseUrl, sendBatchMax, checkAnswers: false })
    variants.push({
      name,
      service,
      seconds: [],
      stop: async () => {
        await service.stop()
        await postgres.stop()
      },
    })
    for (const { address } of service.wallets) await sandbox.fund(address, 'native', '1000')
  }
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const { name, service, seconds } of variants) {
      const taken = await sendMany(service)
      // The first round warms both up.
      if (round > 0) seconds.push(taken)
      process.stderr.write(`round ${round} ${name}: ${(SENDS / taken).toFixed(0)} payments/s\n`)
    }
  }
  const rates = variants.map(({ name, seconds }) => ({ name, rate: SENDS / median(seconds) }))
  for (const { name, rate } of rates)
    process.stdout.write(`${name}\t${rate.toFixed(0)} payments/s\n`)
  const [shared, alone] = rates
  if (shared && alone) process.stdout.write(`ratio\t${(shared.rate / alone.rate).toFixed(2)}\n`)
} finally {
  for (const { stop } of variants) await stop()
  await sandbox.stop()
  await rm(directory, { recursive: true, force: true })
}

/** Seconds until every send was accepted by the node. */
async function sendMany({ baseUrl, apiKeys, wallets }: ServiceHandle): Promise<number> {
  const client = openClient(baseUrl, apiKeys.enterprise)
  const [sender, recipient] = wallets.map(({ address }) => address)
  let next = 0
  const started = performance.now()
  const caller = async () => {
    while (next < SENDS) {
      next += 1
      const reply = await client.post('/payment/send', {
        walletAddress: sender,
        recipientAddress: recipient,
        amount: '0.001',
        waitFor: 'submitted',
      })
      if (reply.status !== 200) throw new Error(JSON.stringify(reply.body))
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, caller))
  return (performance.now() - started) / 1000
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

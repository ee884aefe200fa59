import { sandboxNetwork, solanaSandboxNetwork } from '@florin/cli/up/sandbox-network.ts'
import { seedKeys } from '@florin/cli/up/seed-keys.ts'
import { seedSettlers } from '@florin/cli/up/seed-settlers.ts'
import { seedWallets } from '@florin/cli/up/seed-wallets.ts'
import { openService } from '@florin/server/app.ts'
import { keyFromText } from '@florin/server/custody/key-file.ts'
import { systemClock } from '@florin/server/kernel/clock.ts'
import type { Clock } from '@florin/server/kernel/clock.ts'
import type { NetworkConfig } from '@florin/server/kernel/network-config.ts'
import { killPointsFrom } from '@florin/server/kernel/kill-point.ts'
import { openLog } from '@florin/server/kernel/log.ts'
import { systemRandom } from '@florin/server/kernel/random.ts'
import { Secret } from '@florin/server/kernel/secret.ts'
import { readFacilitators } from '@florin/server/read-facilitators.ts'
import type { ServiceSettings } from './service.ts'

// The service alone, as a process that a test may kill: its database and its chain belong to the test.
const settings = JSON.parse(process.argv[2] ?? '{}') as ServiceSettings
const { instance, solana, ...evmOnly } = settings.sandbox
const ready = { ...evmOnly, instance, ...(solana === undefined ? {} : { solana }) }
let aheadSeconds = settings.clockAheadSeconds ?? 0
process.on('SIGUSR2', () => {
  aheadSeconds += settings.clockJumpSeconds ?? 0
})
const clock: Clock = {
  ...systemClock,
  nowMilliseconds: () => systemClock.nowMilliseconds() + aheadSeconds * 1000,
}
const service = await openService({
  networks: [
    { ...sandboxNetwork(ready), ...settings.network, ...sponsored(settings) },
    ...(solana === undefined ? [] : [solanaNetwork(solanaSandboxNetwork({ instance, solana }))]),
  ],
  databaseUrl: new Secret(settings.databaseUrl),
  ...(settings.redisUrl === undefined ? {} : { redisUrl: new Secret(settings.redisUrl) }),
  keyText: keyFromText(settings.keyText),
  log: openLog(settings.logLevel ?? 'warn'),
  clock,
  random: systemRandom,
  killPoint: killPointsFrom(settings.killPoint),
  checkAnswers: settings.checkAnswers ?? true,
  facilitators: readFacilitators(settings.facilitators ?? '') ?? [],
  metricsDoor: { host: '127.0.0.1', port: 0 },
  ...(settings.sendBatchMax === undefined ? {} : { sendBatchMax: settings.sendBatchMax }),
})
const { accountId, apiKeys } = await seedKeys(service, settings.apiKeys)
const wallets = await seedWallets(service, accountId, ready)
const settlers = await seedSettlers(service, { clock, random: systemRandom }, ready)
const { url, metricsUrl } = await service.listen({ host: '127.0.0.1', port: settings.port ?? 0 })
process.stdout.write(
  `${JSON.stringify({ baseUrl: url, metricsUrl, apiKeys, accountId, wallets, settlers })}\n`,
)

function solanaNetwork(network: NetworkConfig): NetworkConfig {
  const more = (settings.solanaNodesBeside ?? []).map((url) => new Secret(url))
  return { ...network, ...settings.solanaNetwork, rpcUrls: [...network.rpcUrls, ...more] }
}

/** What JSON cannot say as it is. */
function sponsored({ approvalSponsoring }: ServiceSettings) {
  if (approvalSponsoring === undefined) return {}
  const { wallet, amountMax, amountPerDay } = approvalSponsoring
  const amounts = { amountMax: BigInt(amountMax), amountPerDay: BigInt(amountPerDay) }
  return { approvalSponsoring: { wallet, ...amounts } }
}

const stop = () => void service.stop().then(() => process.exit(0))
process.stdin.on('end', stop).resume()
process.once('SIGTERM', stop)

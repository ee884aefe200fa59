import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { openService } from '@florin/server/app.ts'
import type { Service } from '@florin/server/app.ts'
import { keyFromText, loadOrCreateKeyFile } from '@florin/server/custody/key-file.ts'
import type { Config } from '@florin/server/config.ts'
import { killPointsFrom } from '@florin/server/kernel/kill-point.ts'
import { limits } from '@florin/server/kernel/limits.ts'
import type { NetworkConfig } from '@florin/server/kernel/network-config.ts'
import type { Random } from '@florin/server/kernel/random.ts'
import type { Secret, SecretBytes } from '@florin/server/kernel/secret.ts'
import { ownDashboard } from '../dashboard-pages.ts'
import { CommandFailed } from '../usage-error.ts'
import { portFailure } from './free-port.ts'
import { localUrl } from './local-url.ts'
import type { Workshop } from './workshop.ts'

const READY_SECONDS = 60
const READY_PAUSE_MILLISECONDS = 10
const STOP_SECONDS = limits.drainSeconds + 10

/** The same for a moment, to make what a network's configuration names. */
export async function withOwnService<Made>(
  workshop: Workshop,
  networks: readonly NetworkConfig[],
  databaseUrl: Secret,
  work: (service: Service) => Promise<Made>,
): Promise<Made> {
  const service = await putTogether(workshop, networks, databaseUrl)
  try {
    return await work(service)
  } finally {
    await service.stop()
  }
}

/** Puts the service together over a migrated database. It answers nobody yet. */
export async function openOwnService(
  workshop: Workshop,
  networks: readonly NetworkConfig[],
  databaseUrl: Secret,
): Promise<Service> {
  const { clock, closers } = workshop
  const service = await putTogether(workshop, networks, databaseUrl)
  closers.add('the service', async () => {
    const stopped = new AbortController()
    const stopping = service.stop().finally(() => stopped.abort())
    await Promise.race([stopping, clock.sleep(STOP_SECONDS * 1000, stopped.signal)])
    if (!stopped.signal.aborted) throw new Error(`still busy after ${STOP_SECONDS} s`)
    await stopping
  })
  return service
}

async function putTogether(
  workshop: Workshop,
  networks: readonly NetworkConfig[],
  databaseUrl: Secret,
): Promise<Service> {
  const { config, paths, log, clock, random, dashboard } = workshop
  if (config.killPoint !== null && networks.some(({ sandbox }) => !sandbox)) {
    throw new CommandFailed('FLORIN_KILL_POINT is for the sandbox only')
  }
  if (config.tls !== null) {
    throw new CommandFailed('FLORIN_TLS_CERT is for "florin serve": "florin up" speaks plain HTTP')
  }
  if (config.venues.length > 0) {
    throw new CommandFailed('FLORIN_VENUES is for "florin serve"')
  }
  const keyText = await ownKeyText(config, random)
  const killPoint = killPointsFrom(config.killPoint ?? undefined)
  return openService({
    networks,
    databaseUrl,
    redisUrl: config.redisUrl,
    metricsDoor: config.metricsDoor,
    facilitators: config.facilitators,
    allowedOrigins: config.allowedOrigins,
    keyText,
    log,
    clock,
    random,
    killPoint,
    edge: { files: ownDashboard({ ...dashboard, dataDirectory: paths.directory }) },
  })
}

async function ownKeyText({ keyText, keyFile }: Config, random: Random): Promise<SecretBytes> {
  if (keyText !== null) return keyFromText(keyText.reveal())
  await mkdir(dirname(keyFile), { recursive: true, mode: 0o700 })
  return await loadOrCreateKeyFile({ path: keyFile, random })
}

/** Opens the door and gives the address that callers on this machine use. What is behind it may still be out of reach. */
export async function openDoor({ config }: Workshop, service: Service): Promise<string> {
  const { host, port } = config
  const taken = await service.listen({ host, port }).catch((error: unknown) => {
    throw portFailure(error, { host, port })
  })
  return localUrl(host, taken.port)
}

/** Waits until everything that payments need answers. */
export async function awaitReady({ clock, ending }: Workshop, service: Service): Promise<void> {
  const deadline = clock.nowMilliseconds() + READY_SECONDS * 1000
  while (!(await service.isReady())) {
    ending.check()
    if (clock.nowMilliseconds() > deadline) {
      throw new Error(
        `the service is not ready after ${READY_SECONDS} s: its database or a node does not answer`,
      )
    }
    await clock.sleep(READY_PAUSE_MILLISECONDS, ending.signal)
  }
}

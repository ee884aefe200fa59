import { openService } from '@florin/server/app.ts'
import type { Service, ServiceOptions } from '@florin/server/app.ts'
import { KeyUnusable } from '@florin/server/custody/key-file.ts'
import { systemClock } from '@florin/server/kernel/clock.ts'
import { limits } from '@florin/server/kernel/limits.ts'
import { openLog } from '@florin/server/kernel/log.ts'
import type { Log } from '@florin/server/kernel/log.ts'
import { systemRandom } from '@florin/server/kernel/random.ts'
import { NoMetricsDoor } from '@florin/server/service-metrics.ts'
import { StoreUnavailable } from '@florin/server/store/postgres.ts'
import type { Run } from '../command.ts'
import { openOwnTag, ownDashboard } from '../dashboard-pages.ts'
import { giveBackMemory } from '../give-back-memory.ts'
import { noArguments } from '../read-arguments.ts'
import { openEnding } from '../up/ending.ts'
import type { Ending } from '../up/ending.ts'
import { portFailure } from '../up/free-port.ts'
import { findLauncher } from '../up/launcher.ts'
import { CommandFailed } from '../usage-error.ts'
import { unknownSettings } from '../unknown-settings.ts'
import { ownVersion } from '../version.ts'
import { awaitClock } from './await-clock.ts'
import { awaitDatabase } from './await-database.ts'
import { firstLinkText } from './first-link.ts'
import { findProblems } from './find-problems.ts'
import type { Production } from './find-problems.ts'
import { logLevelOf } from './log-level.ts'
import { ownUrl } from './own-url.ts'
import { CONFIGURATION_EXIT_CODE, problemText } from './problem.ts'
import { renewTlsOnHangUp } from './renew-tls.ts'
import { sayCurrencyTokens } from './say-currency-tokens.ts'
import { sayUnsettled } from './say-unsettled.ts'
import { watchReadiness } from './watch-readiness.ts'

const clock = systemClock
const STOP_SECONDS = limits.drainSeconds + 10

/** `florin serve`: the service on a database and on networks of the operator's own, until a signal. */
export const runServe: Run = async ({ args, environment, remarks = [], note }) => {
  noArguments(args)
  const launcher = await findLauncher(process.env, clock)
  const log = openLog(logLevelOf(environment), process.stdout)
  const ending = openEnding({
    launcher,
    note: (text) => log.info({}, text.trim()),
    now: clock.nowMilliseconds,
    signals: ['SIGTERM', 'SIGINT'],
  })
  await awaitClock({ clock, log, signal: ending.signal })
  const findings = await awaitDatabase({
    find: () => findProblems({ environment, clock, log }),
    clock,
    log,
    signal: ending.signal,
  })
  if (ending.signal.aborted) return ending.exitCode()
  const unknown = [...remarks, ...unknownSettings(environment)]
  if (!findings.ok) {
    note(problemText(findings.problems, unknown))
    return CONFIGURATION_EXIT_CODE
  }
  for (const reason of unknown) log.warn({ reason }, 'a setting is not known')
  await serve(findings.production, { log, ending, note })
  return ending.exitCode()
}

async function serve(
  production: Production,
  { log, ending, note }: { log: Log; ending: Ending; note: (text: string) => void },
): Promise<void> {
  const { config, networks, modules, databaseUrl, keyText, tls } = production
  sayWhatIsNotRight(production, log)
  const service = await openOrFail({
    networks,
    modules,
    databaseUrl,
    redisUrl: config.redisUrl,
    keyText,
    log,
    clock,
    random: systemRandom,
    killPoint: () => undefined,
    metricsDoor: config.metricsDoor,
    facilitators: config.facilitators,
    allowedOrigins: config.allowedOrigins,
    edge: {
      ...(config.publicUrl === null ? {} : { publicUrl: config.publicUrl }),
      ...(tls === undefined ? {} : { tls }),
      trustedProxies: config.trustedProxies,
      files: ownDashboard({
        dataDirectory: config.dataDirectory,
        tag: openOwnTag(),
        state: () => 'absent',
      }),
    },
  })
  const stopRenewing = renewTlsOnHangUp({ config, service, clock, log })
  // What fails to listen has nobody who wishes it to stop, and the watch ends all the same.
  const over = new AbortController()
  const signal = AbortSignal.any([ending.signal, over.signal])
  const watching = watchReadiness({ service, clock, log, signal })
  try {
    const { port } = await open(service, config)
    const network = networks.map((each) => each.network).join(' ')
    log.info({ host: config.host, port, network, version: await ownVersion() }, 'listening')
    sayCurrencyTokens(log, networks)
    await sayUnsettled({ store: service.store, log }, networks)
    const link = await firstLinkText({ store: service.store, clock, log }, ownUrl(config, port))
    if (link !== undefined) note(link)
    giveBackMemory()
    await once(ending.signal)
  } finally {
    stopRenewing()
    over.abort()
    await watching
    await stop(service, log)
  }
}

/** Waits for what is in flight, but not for ever: a supervisor would kill what does not end, and say nothing. */
async function stop(service: Service, log: Log): Promise<void> {
  const stopped = new AbortController()
  const stopping = service.stop().finally(() => stopped.abort())
  await Promise.race([stopping, clock.sleep(STOP_SECONDS * 1000, stopped.signal)])
  if (!stopped.signal.aborted) throw new CommandFailed(`still busy after ${STOP_SECONDS} s`)
  await stopping
  log.info({}, 'stopped')
}

/** What was looked at a moment ago may have changed since. */
async function openOrFail(options: ServiceOptions): Promise<Service> {
  try {
    return await openService(options)
  } catch (error) {
    if (error instanceof KeyUnusable) throw new CommandFailed(error.message, { cause: error })
    if (!(error instanceof StoreUnavailable)) throw error
    throw new CommandFailed('the database went away while the service started', { cause: error })
  }
}

async function open(service: Service, { host, port }: Production['config']) {
  return await service.listen({ host, port }).catch((error: unknown) => {
    const failure = portFailure(error, { host, port })
    if (error instanceof NoMetricsDoor) throw new CommandFailed(error.message, { cause: error })
    if (failure instanceof Error && 'code' in failure && typeof failure.code === 'string') {
      throw new CommandFailed(
        `cannot listen on ${host}, port ${port}: ${failure.code}. Check FLORIN_HOST and FLORIN_PORT.`,
        { cause: error },
      )
    }
    throw failure
  })
}

/** What does not keep it from starting, and somebody should know. */
function sayWhatIsNotRight({ networks, nodes, certificateEndsSoon }: Production, log: Log): void {
  for (const { network, node, host, finding } of nodes) {
    const facts = { network, node: String(node), host }
    if (finding.kind === 'right') log.info(facts, 'a node is the right one')
    if (finding.kind === 'unfit') {
      log.warn({ ...facts, reason: finding.reason }, 'a node cannot be read from yet')
    }
    if (finding.kind === 'silent') {
      log.warn({ ...facts, reason: finding.reason }, 'a node does not answer yet')
    }
  }
  for (const { network, rpcUrls } of networks) {
    if (rpcUrls.length === 1) log.warn({ network }, 'one node only: nobody stands in for it')
  }
  if (certificateEndsSoon !== undefined) {
    log.warn({ reason: `it ends on ${certificateEndsSoon}` }, 'renew the certificate')
  }
}

async function once(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
}

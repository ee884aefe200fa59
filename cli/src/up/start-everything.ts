import { writeDatabaseFile } from '../database-file.ts'
import { writeObject } from '../small-json.ts'
import { checkUsableDatabase } from '../usable-database.ts'
import { banner } from './banner.ts'
import { checkPortIsFree } from './free-port.ts'
import { readNetworksFile } from './networks.ts'
import { runDatabase } from './run-database.ts'
import { runSandbox } from './run-sandbox.ts'
import { together } from './together.ts'
import type { Workshop } from './workshop.ts'

/** Starts every part and gives the banner. With a networks file its networks take the sandbox's place. */
export async function startEverything(
  workshop: Workshop,
  onReady: (baseUrl: string) => Promise<void>,
): Promise<string> {
  const { config, paths, progress, ending } = workshop
  const start = performance.now()
  const given =
    config.networksFile === null ? null : await readNetworksFile(config.networksFile, [])
  await checkPortIsFree(config)
  await checkGivenDatabase(workshop)
  ending.check()
  // Together: they need nothing of each other. The service's code is read meanwhile, a third of a second of work.
  const [access, chains, { runAlone, runWithSandbox }, { seedSponsor }] = await together(
    runDatabase(workshop),
    given === null ? runSandbox(workshop) : null,
    import('./run-with-sandbox.ts'),
    import('./seed-sponsor.ts'),
  )
  ending.check()
  const { keyFile } = config
  const database = access.ownUrl
  const sandbox =
    chains !== null && config.sandboxApprovals
      ? await progress.step('making the wallet that pays for approvals', () =>
          seedSponsor(workshop, { database, sandbox: chains }),
        )
      : chains
  await writeDatabaseFile(paths.database, { url: access.url, keyFile, sandbox })
  if (sandbox === null) {
    const networks = given ?? []
    const { baseUrl, firstLink = '' } = await progress.step('starting the service', () =>
      runAlone(workshop, { networks, database }),
    )
    await onReady(baseUrl)
    return `Florin is ready on ${baseUrl}\nMake a key: florin keys create --name first\n${firstLink}`
  }
  const file = await progress.step('starting the service', () =>
    runWithSandbox(workshop, { database, sandbox }),
  )
  ending.check()
  if (sandbox.adminUrl !== null) await writeObject(paths.faults, { adminUrl: sandbox.adminUrl })
  await writeObject(paths.sandboxFile, file)
  await onReady(file.baseUrl)
  return banner(file, paths.sandboxFile, (performance.now() - start) / 1000)
}

/** First: whoever named a database that lets nobody in should not wait for a sandbox to be told so. */
async function checkGivenDatabase({ config, log, progress }: Workshop): Promise<void> {
  const { databaseUrl: url } = config
  if (url === null) return
  await progress.step('looking at the database', () => checkUsableDatabase({ url, log }))
}

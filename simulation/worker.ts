import { parentPort, workerData } from 'node:worker_threads'
import { openSimulationDatabase } from './database.ts'
import { defects } from './defects.ts'
import { plant } from './plant.ts'
import type { WorkerData } from './series.ts'

// A thread of its own: a planted defect must be in place before the service's modules are read.
const { databaseUrl, defect: name } = workerData as WorkerData
const port = parentPort
if (port === null) throw new Error('this runs as a worker thread')
const defect = defects.find((candidate) => candidate.name === name)
if (name !== undefined && defect === undefined) throw new Error(`there is no defect ${name}`)
if (defect !== undefined) plant(defect)
const { runWorld } = await import('./run-world.ts')
const database = await openSimulationDatabase(databaseUrl)

port.on('message', (message: { seed: number; wholeTrace: boolean } | 'stop') => {
  if (message === 'stop') {
    void database.close().then(() => port.close())
    return
  }
  runWorld(message.seed, database, message.wholeTrace).then(
    (report) => port.postMessage({ report }),
    (error: unknown) =>
      port.postMessage({ failure: error instanceof Error ? error.stack : String(error) }),
  )
})

import { parentPort, workerData } from 'node:worker_threads'
import { openSimulationDatabase } from './database.ts'
import { defects } from './defects.ts'
import { plant } from './plant.ts'
import type { SeriesAnswer, SeriesData, SeriesOrder } from './series.ts'

// A thread of its own: a defect must be planted before the service's modules are read.
const { databaseUrl, defect: name } = workerData as SeriesData
const port = parentPort
if (port === null) throw new Error('this runs as a worker thread')
const defect = defects.find((candidate) => candidate.name === name)
if (name !== undefined && defect === undefined) throw new Error(`there is no defect "${name}"`)
if (defect !== undefined) plant(defect)
const { runWorld } = await import('./run-world.ts')
const database = await openSimulationDatabase(databaseUrl)

const answer = (message: SeriesAnswer) => port.postMessage(message, [])
port.on('message', (order: SeriesOrder) => {
  if (order === 'stop') {
    void database.close().then(() => port.close())
    return
  }
  runWorld(order.seed, database, order.wholeTrace).then(
    (report) => answer({ report }),
    (error: unknown) => answer({ failure: error instanceof Error ? `${error.stack}` : 'unknown' }),
  )
})

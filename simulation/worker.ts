import { parentPort, workerData } from 'node:worker_threads'
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
const { openPremises } = await import('./premises.ts')
const { runWorld } = await import('./run-world.ts')
const premises = await openPremises(databaseUrl)

const answer = (message: SeriesAnswer) => port.postMessage(message, [])
port.on('message', (order: SeriesOrder) => {
  if (order === 'stop') {
    void premises.close().then(() => port.close())
    return
  }
  runWorld(order.seed, premises, order.wholeTrace).then(
    (report) => answer({ report }),
    (error: unknown) => answer({ failure: error instanceof Error ? `${error.stack}` : 'unknown' }),
  )
})

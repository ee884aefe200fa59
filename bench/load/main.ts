import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { openConnection, requestBytes } from './connection.ts'
import { LOAD_SECONDS_MAX } from './plan.ts'
import type { LoadMessage, LoadPlan } from './plan.ts'

// The callers, as a process of their own: what they cost is not on the service's account. Ends with its parent.
process.on('disconnect', () => process.exit(1))
const [plan] = (await once(process, 'message')) as [LoadPlan]
const { hostname, port } = new URL(plan.baseUrl)
const requests = plan.requests.map((request) => requestBytes(hostname, plan.apiKey, request))
const beginsAt = performance.now()
const warmUntil = beginsAt + plan.warmUpSeconds * 1000
const endAt = warmUntil + Math.min(plan.seconds, LOAD_SECONDS_MAX) * 1000
const pause = plan.pauseMilliseconds ?? 0

const milliseconds: number[] = []
const refused: Record<string, number> = {}
let firstRefusal: string | null = null
let answeredInAll = 0
let next = 0
let lastAnswerAt = warmUntil

let arrivals = 0

/** When a free caller's next request begins: now, or when it is due. */
async function turn(): Promise<number> {
  if (plan.arrivalsPerSecond === undefined) return performance.now()
  const due = beginsAt + (arrivals++ / plan.arrivalsPerSecond) * 1000
  const early = due - performance.now()
  if (early > 0) await delay(early)
  return due
}

async function call(): Promise<void> {
  const connection = await openConnection(hostname, Number(port))
  for (let now = await turn(); now < endAt; now = await turn()) {
    const request = requests[next++ % requests.length]
    if (request === undefined) throw new Error('a plan without requests')
    const { status, body } = await connection.ask(request)
    const answeredAt = performance.now()
    if (status === 200) {
      answeredInAll += 1
      if (now >= warmUntil) milliseconds.push(answeredAt - now)
      lastAnswerAt = answeredAt
    } else {
      refused[status] = (refused[status] ?? 0) + 1
      firstRefusal ??= body
      // What was refused at once would be asked again at once.
      await delay(100)
    }
    if (pause > 0) await delay(pause)
  }
  connection.end()
}

const tell = (message: LoadMessage) => process.send?.(message)
const callers = Array.from({ length: plan.callers }, () => call())
await Promise.race([delay(plan.warmUpSeconds * 1000), Promise.all(callers)])
tell({ kind: 'measuring' })
await Promise.all(callers)
tell({
  kind: 'done',
  report: {
    seconds: (Math.max(lastAnswerAt, endAt) - warmUntil) / 1000,
    milliseconds: Float64Array.from(milliseconds),
    answeredInAll,
    refused,
    firstRefusal,
  },
})

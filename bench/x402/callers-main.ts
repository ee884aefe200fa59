import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { openConnection, requestBytes } from '../load/connection.ts'
import type { Connection } from '../load/connection.ts'
import type { CallersMessage, CallersPlan } from './callers.ts'

// The callers, as a process of their own. Ends with its parent.
process.on('disconnect', () => process.exit(1))
const [plan] = (await once(process, 'message')) as [CallersPlan]
const { hostname, port } = new URL(plan.baseUrl)
const requests = plan.bodies.map((body) =>
  requestBytes(hostname, plan.apiKey, { method: 'POST', path: plan.path, body }),
)
const { load } = plan
// Before the clock starts: 64 connections that are opened take 20 to 40 ms, which is a part of a short load and hardly one of a long one.
const connections = await Promise.all(
  Array.from({ length: plan.callers }, () => openConnection(hostname, Number(port))),
)
const warmUpSeconds = load.kind === 'round' ? load.warmUpSeconds : 0
const beganAt = performance.now()
const warmUntil = beganAt + warmUpSeconds * 1000
const endAt = load.kind === 'round' ? warmUntil + load.seconds * 1000 : Infinity

const milliseconds: number[] = []
const refused: Record<string, number> = {}
let good = 0
let next = 0
let lastAnswerAt = warmUntil

/** Answers that came, and those that never did once they are refused. */
function counted(): number {
  return Object.values(refused).reduce((sum, each) => sum + each, good)
}

function take(): Buffer | undefined {
  if (performance.now() >= endAt) return undefined
  const turn = next++
  return load.kind === 'round' ? requests[turn % requests.length] : requests[turn]
}

async function call(connection: Connection): Promise<void> {
  for (let request = take(); request !== undefined; request = take()) {
    const askedAt = performance.now()
    const { status, body } = await connection.ask(request)
    const answeredAt = performance.now()
    const isGood = status === 200 && body.includes(plan.expects)
    if (!isGood) {
      const what = `${status} ${body.slice(0, 300)}`
      refused[what] = (refused[what] ?? 0) + 1
    }
    if (isGood) good += 1
    if (isGood && askedAt >= warmUntil) {
      milliseconds.push(answeredAt - askedAt)
      lastAnswerAt = answeredAt
    }
  }
  connection.end()
}

const tell = (message: CallersMessage) => process.send?.(message)
const callers = connections.map(call)
if (warmUpSeconds > 0) await delay(warmUpSeconds * 1000)
tell({ kind: 'measuring' })
const answered = Promise.all(callers)
const secondsMax = load.kind === 'once' ? load.secondsMax : undefined
await (secondsMax === undefined ? answered : Promise.race([answered, delay(secondsMax * 1000)]))
const missing = load.kind === 'once' ? plan.bodies.length - counted() : 0
if (missing > 0) refused['no answer'] = missing
const lastAt = missing > 0 ? performance.now() : load.kind === 'round' ? endAt : 0
tell({
  kind: 'done',
  report: {
    seconds: (Math.max(lastAnswerAt, lastAt) - warmUntil) / 1000,
    milliseconds: Float64Array.from(milliseconds),
    good,
    refused: Object.fromEntries(Object.entries(refused).slice(0, 5)),
    refusedCount: counted() - good,
  },
})

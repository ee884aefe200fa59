import { existsSync, readFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { afterAll, expect, test } from 'vitest'
import { CONNECTION_BACKLOG } from './node-server.ts'
import { openTestServer } from './test-server.ts'

const CALLERS = 700
const DEADLINE_MILLISECONDS = 15_000
const SYSTEM = '/proc/sys/net/core/somaxconn'
const isHeld = existsSync(SYSTEM) && Number(readFileSync(SYSTEM, 'utf8')) >= CONNECTION_BACKLOG

/** Connects as often as it is told, counts in shared memory who is in, and lets them go at the end. */
const CALLERS_OF = `
  const { connect } = require('node:net')
  const { workerData: { port, callers, count } } = require('node:worker_threads')
  for (let index = 0; index < callers; index += 1) {
    const socket = connect(port, '127.0.0.1', () => {
      if (Atomics.add(count, 0, 1) + 1 < callers) return
      Atomics.store(count, 1, 1)
      Atomics.notify(count, 1)
    })
    socket.on('error', () => undefined)
  }
`

const server = await openTestServer()
afterAll(() => server.close())

test.skipIf(!isHeld)(
  `${CALLERS} who come while the process is busy are in, and wait for nothing but it`,
  { timeout: 60_000 },
  async () => {
    const count = new Int32Array(new SharedArrayBuffer(8))
    const workerData = { port: server.port, callers: CALLERS, count }
    const worker = new Worker(CALLERS_OF, { eval: true, workerData })
    try {
      // The whole process stands still here: nothing is accepted, as in a long turn.
      Atomics.wait(count, 1, 0, DEADLINE_MILLISECONDS)
      expect(count[0]).toBe(CALLERS)
    } finally {
      await worker.terminate()
    }
  },
)

import { createServer } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import type { WebSocket } from 'ws'
import { EventReader } from '@florin/server/events/reader.ts'
import { tellAll } from '@florin/server/events/tell-all.ts'
import { FRAMES } from '@florin/server/events/socket-frames.ts'
import { frameEvent } from '@florin/server/events/framed-event.ts'
import type { FeedReader } from '@florin/server/events/feed.ts'
import type { NumberedEvent } from '@florin/server/events/event.ts'
import { eventText } from '@florin/server/events/framed-event.ts'
import { openWebSockets } from '@florin/server/http/web-socket.ts'
import type { SocketConnection } from '@florin/server/http/web-socket.ts'
import { systemClock } from '@florin/server/kernel/clock.ts'
import { newId } from '@florin/server/kernel/id.ts'
import { systemRandom } from '@florin/server/kernel/random.ts'

// The server of bench/fan-out.ts: sockets as the service has them at /florin, and those of plain `ws` at /ws. For each line on
// standard input it sends one event to all sockets of one side, and says what that took.

const accountId = newId(systemRandom, 'acct')
const plain: WebSocket[] = []
const plainSockets: Duplex[] = []
const ours: FeedReader[] = []
const ourSockets: Duplex[] = []
const plainServer = new WebSocketServer({ noServer: true, perMessageDeflate: false })
const open = openWebSockets()

/** A feed that hands its readers over. */
function join(connection: SocketConnection): void {
  const reader = new EventReader({
    feed: {
      join: (_, joined) => {
        ours.push(joined)
        return { newest: async () => 0, replay: () => undefined, leave: () => undefined }
      },
      announce: () => undefined,
      stop: async () => undefined,
    },
    markets: undefined,
    clock: systemClock,
    accountId,
    connection,
    form: FRAMES,
  })
  reader.want(['payments'])
  connection.attend({
    onText: () => undefined,
    messageBytesMax: () => Infinity,
    onPing: () => undefined,
    onPong: () => undefined,
    onDrain: () => reader.pump(),
    onClosed: () => undefined,
  })
}

const server = createServer()
server.on('upgrade', (request, socket, head) => {
  if (request.url === '/florin') {
    ourSockets.push(socket)
    open(request, socket, head, { headers: {}, opened: join, refused: () => socket.destroy() })
  } else {
    plainServer.handleUpgrade(request, socket, head, (webSocket) => {
      plain.push(webSocket)
      plainSockets.push(socket)
    })
  }
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object') tell({ port: address?.port })
})

let sequence = 0
/** One of 300 bytes. */
function newEvent(): NumberedEvent {
  sequence += 1
  const id = newId(systemRandom, 'evt')
  const event = { accountId, sequence, id, type: 'payment', channel: 'payments' } as const
  const facts = { ...event, resourceId: '', createdAtMilliseconds: Date.now() }
  const room = 300 - eventText({ ...facts, dataText: '{"filler":""}' }).length
  return { ...facts, dataText: JSON.stringify({ filler: 'x'.repeat(Math.max(room, 0)) }) }
}

const isHoldingBack = ({ writableLength }: Duplex) => writableLength > 0
const newEvents = (count: number) => Array.from({ length: count }, newEvent)

const sides: Readonly<Record<string, { send(count: number): void; waiting(): boolean }>> = {
  ws: {
    send: (count) => {
      for (const event of newEvents(count)) {
        const text = eventText(event)
        for (const webSocket of plain) webSocket.send(text)
      }
    },
    waiting: () => plainSockets.some(isHoldingBack),
  },
  florin: {
    send: (count) => {
      const events = newEvents(count).map(frameEvent)
      tellAll(
        ours,
        (reader) => reader.keepsUp(),
        (reader) => reader.take(events),
      )
    },
    waiting: () => ourSockets.some(isHoldingBack),
  },
}

/** `side count events`: so many broadcasts of so many events each, each begun when the one before has left the process. */
async function broadcast(line: string): Promise<void> {
  const [name = '', count = '0', events = '1'] = line.split(' ')
  const side = sides[name]
  if (side === undefined) throw new Error(`no side ${name}`)
  const took = { milliseconds: 0, cpuMilliseconds: 0 }
  // So that no side pays for what the other has left behind.
  globalThis.gc?.()
  // Looking at 5,000 sockets for what still waits is this script's own work, and of no side.
  const measure = async (work: () => void) => {
    const cpu = process.cpuUsage()
    const began = performance.now()
    work()
    await new Promise(setImmediate)
    const { user, system } = process.cpuUsage(cpu)
    took.milliseconds += performance.now() - began
    took.cpuMilliseconds += (user + system) / 1000
  }
  for (let sent = 0; sent < Number(count); sent += 1) {
    await measure(() => side.send(Number(events)))
    while (side.waiting()) await measure(() => undefined)
  }
  tell({ name, ...took })
}

function tell(facts: object): void {
  process.stdout.write(`${JSON.stringify(facts)}\n`)
}

let working = Promise.resolve()
process.stdin.setEncoding('utf8')
process.stdin.on('data', (text: string) => {
  for (const line of text.split('\n').filter((each) => each !== '')) {
    working = working.then(() =>
      line === 'memory' ? tell({ rss: process.memoryUsage().rss }) : broadcast(line),
    )
  }
})
process.stdin.on('end', () => process.exit(0))

import { WebSocket } from 'ws'

// The readers of bench/sockets.ts: `address sockets` and then keys as arguments. Opens the sockets, each key's as many as any other's, and
// subscribes. Answers each line, when the events were committed as JSON, with how long each took to each socket.

const [address = '', sockets = '0', ...keys] = process.argv.slice(2)
const AT_ONCE = 50
const PATIENCE_MILLISECONDS = 30_000
const INDEX = /"index":(\d+)/

/** Milliseconds of the machine's own clock, which other processes read too. */
const now = () => Number(process.hrtime.bigint()) / 1e6

const arrived: { readonly index: number; readonly at: number }[] = []

const openOne = (key: string) =>
  new Promise<void>((resolve, reject) => {
    const socket = new WebSocket(address, {
      perMessageDeflate: false,
      skipUTF8Validation: true,
      headers: { authorization: `Bearer ${key}` },
    })
    socket.on('error', reject)
    socket.on('close', (code) => reject(new Error(`a socket was closed: ${code}`)))
    socket.on('open', () => socket.send('{"method":"subscribe","keys":["payments"]}'))
    socket.on('message', (data) => {
      const text = Buffer.isBuffer(data) ? data.toString('latin1') : ''
      const index = INDEX.exec(text)?.[1]
      if (index !== undefined) arrived.push({ index: Number(index), at: now() })
      else if (text.includes('"subscribed"')) resolve()
    })
  })

for (let opened = 0; opened < Number(sockets); opened += AT_ONCE) {
  await Promise.all(
    Array.from({ length: Math.min(AT_ONCE, Number(sockets) - opened) }, (_, more) =>
      openOne(keys[(opened + more) % keys.length] ?? ''),
    ),
  )
}
process.stdout.write('open\n')

async function answer(line: string): Promise<void> {
  const committedAt: number[] = JSON.parse(line)
  const expected = (committedAt.length * Number(sockets)) / keys.length
  const until = now() + PATIENCE_MILLISECONDS
  while (arrived.length < expected && now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  const taken = Float64Array.from(
    arrived,
    ({ index, at }) => at - (committedAt[index] ?? NaN),
  ).sort()
  const at = (part: number) => taken[Math.min(Math.floor(taken.length * part), taken.length - 1)]
  const facts = { expected, arrived: arrived.length, longest: taken.at(-1) }
  arrived.length = 0
  process.stdout.write(
    `${JSON.stringify({ ...facts, p50: at(0.5), p95: at(0.95), p99: at(0.99) })}\n`,
  )
}

let rest = ''
process.stdin.setEncoding('utf8')
process.stdin.on('data', (text: string) => {
  const lines = `${rest}${text}`.split('\n')
  rest = lines.pop() ?? ''
  for (const line of lines) void answer(line)
})
process.stdin.on('end', () => process.exit(0))

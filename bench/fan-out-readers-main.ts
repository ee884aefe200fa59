import { connect } from 'node:net'

// The readers of bench/fan-out.ts: raw connections that ask for a WebSocket and count what comes. `port path count` as arguments.

const [port = '0', path = '/', count = '0'] = process.argv.slice(2)
const AT_ONCE = 100
const ASK = [
  `GET ${path} HTTP/1.1`,
  'host: 127.0.0.1',
  'connection: upgrade',
  'upgrade: websocket',
  'sec-websocket-version: 13',
  'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
  '',
  '',
].join('\r\n')

let bytes = 0
const openOne = () =>
  new Promise<void>((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1')
    socket.on('error', reject)
    socket.once('data', () => {
      socket.on('data', (data) => {
        bytes += data.length
      })
      resolve()
    })
    socket.write(ASK)
  })

for (let opened = 0; opened < Number(count); opened += AT_ONCE) {
  await Promise.all(
    Array.from({ length: Math.min(AT_ONCE, Number(count) - opened) }, () => openOne()),
  )
}
process.stdout.write('open\n')
process.stdin.on('data', () => process.stdout.write(`${bytes}\n`))
process.stdin.on('end', () => process.exit(0))

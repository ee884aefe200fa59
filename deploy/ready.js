// Plain JavaScript, for the health check of a container: 0 when /health/ready says ready, else 1.
// The certificate is not looked at: this asks the same machine whether it works, not who it is.
import { request as overHttp } from 'node:http'
import { request as overTls } from 'node:https'

const { FLORIN_PORT = '', FLORIN_TLS_CERT = '' } = process.env
const options = {
  host: '127.0.0.1',
  // Kubernetes sets FLORIN_PORT to an address where a Service is called florin: the service then listens where it does without.
  port: /^\d+$/.test(FLORIN_PORT) ? Number(FLORIN_PORT) : 4020,
  path: '/health/ready',
  timeout: 4_000,
  rejectUnauthorized: false,
}
const asked = FLORIN_TLS_CERT === '' ? overHttp(options) : overTls(options)
asked.on('response', ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1))
asked.on('timeout', () => process.exit(1))
asked.on('error', () => process.exit(1))
asked.end()

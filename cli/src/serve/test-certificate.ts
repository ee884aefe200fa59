import { generateKeyPairSync, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'

/** A self-signed certificate and its key, PEM. Built by hand, so that tests need no other program and own the dates. */
export interface TestCertificate {
  readonly certificate: string
  readonly key: string
}

const SEQUENCE = 0x30
const SET = 0x31
const INTEGER = 0x02
const BIT_STRING = 0x03
const OCTET_STRING = 0x04
const OBJECT_ID = 0x06
const UTF8 = 0x0c
const UTC_TIME = 0x17
const BOOLEAN = 0x01
/** ecdsa-with-SHA256, RFC 5758. */
const SIGNED_WITH = der(SEQUENCE, der(OBJECT_ID, hex('2a8648ce3d040302')))
const COMMON_NAME = der(OBJECT_ID, hex('550403'))
const ALTERNATIVE_NAMES = der(OBJECT_ID, hex('551d11'))
const BASIC_CONSTRAINTS = der(OBJECT_ID, hex('551d13'))

/** RFC 5280, the least that Node takes: version 3, one name, subjectAltName, and itself as its authority. */
export function testCertificate({
  host = 'localhost',
  from = Date.now() - 60_000,
  to = Date.now() + 90 * 86_400_000,
  keys = generateKeyPairSync('ec', { namedCurve: 'P-256' }),
}: {
  host?: string
  from?: number
  to?: number
  keys?: { publicKey: KeyObject; privateKey: KeyObject }
} = {}): TestCertificate {
  const name = der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, der(UTF8, Buffer.from('test')))))
  const extension = (id: Buffer, value: Buffer) => der(SEQUENCE, id, der(OCTET_STRING, value))
  const body = der(
    SEQUENCE,
    der(0xa0, der(INTEGER, hex('02'))),
    der(INTEGER, hex('01')),
    SIGNED_WITH,
    name,
    der(SEQUENCE, time(from), time(to)),
    name,
    keys.publicKey.export({ format: 'der', type: 'spki' }),
    der(
      0xa3,
      der(
        SEQUENCE,
        extension(ALTERNATIVE_NAMES, der(SEQUENCE, alternativeName(host))),
        extension(BASIC_CONSTRAINTS, der(SEQUENCE, der(BOOLEAN, hex('ff')))),
      ),
    ),
  )
  const signature = sign('sha256', body, keys.privateKey)
  const whole = der(SEQUENCE, body, SIGNED_WITH, der(BIT_STRING, hex('00'), signature))
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? []
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    key: keys.privateKey.export({ format: 'pem', type: 'pkcs8' }),
  }
}

function alternativeName(host: string): Buffer {
  const isAddress = /^[0-9.]+$/.test(host)
  return isAddress
    ? der(0x87, Buffer.from(host.split('.').map(Number)))
    : der(0x82, Buffer.from(host))
}

function time(milliseconds: number): Buffer {
  const digits = new Date(milliseconds).toISOString().replaceAll(/[-:T]/g, '').slice(2, 14)
  return der(UTC_TIME, Buffer.from(`${digits}Z`))
}

function der(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents)
  const { length } = content
  const header =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...header]), content])
}

function hex(text: string): Buffer {
  return Buffer.from(text, 'hex')
}

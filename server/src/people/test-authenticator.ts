import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto'

const FLAG_PRESENT = 0x01
const FLAG_VERIFIED = 0x04
const FLAG_CREDENTIAL = 0x40

/** An authenticator in software with one credential: ES256, no attestation. Source: Web Authentication Level 3, 6.1 and 8.7. */
export interface TestAuthenticator {
  readonly credentialId: string
  create(options: Ask): object
  get(options: Ask): object
}

/** What a page is asked, and what a test changes of how it is answered. */
export interface Ask {
  readonly challenge: string
  readonly origin: string
  readonly rpId: string
  readonly isVerified?: boolean
  readonly counter?: number
}

export function testAuthenticator(): TestAuthenticator {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const id = randomBytes(16)
  const credentialId = id.toString('base64url')
  let counter = 0

  function data(ask: Ask, more: Buffer, flags: number): Buffer {
    counter = ask.counter ?? counter + 1
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    const verified = ask.isVerified === false ? 0 : FLAG_VERIFIED
    const hash = createHash('sha256').update(ask.rpId).digest()
    return Buffer.concat([hash, Buffer.from([FLAG_PRESENT | verified | flags]), count, more])
  }

  const clientData = (type: string, { challenge, origin }: Ask) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))

  const shared = {
    id: credentialId,
    rawId: credentialId,
    type: 'public-key',
    clientExtensionResults: {},
    authenticatorAttachment: 'platform',
  }

  return {
    credentialId,
    create: (ask) => {
      const length = Buffer.alloc(2)
      length.writeUInt16BE(id.length)
      // COSE: kty EC2, alg ES256, crv P-256, x, y.
      const key = map([
        [integer(1), integer(2)],
        [integer(3), integer(-7)],
        [integer(-1), integer(1)],
        [integer(-2), bytes(Buffer.from(x, 'base64url'))],
        [integer(-3), bytes(Buffer.from(y, 'base64url'))],
      ])
      const authData = data(
        ask,
        Buffer.concat([Buffer.alloc(16), length, id, key]),
        FLAG_CREDENTIAL,
      )
      const attestation = map([
        [text('fmt'), text('none')],
        [text('attStmt'), map([])],
        [text('authData'), bytes(authData)],
      ])
      return {
        ...shared,
        response: {
          clientDataJSON: clientData('webauthn.create', ask).toString('base64url'),
          attestationObject: attestation.toString('base64url'),
          transports: ['internal'],
        },
      }
    },
    get: (ask) => {
      const authData = data(ask, Buffer.alloc(0), 0)
      const client = clientData('webauthn.get', ask)
      const signed = Buffer.concat([authData, createHash('sha256').update(client).digest()])
      return {
        ...shared,
        response: {
          clientDataJSON: client.toString('base64url'),
          authenticatorData: authData.toString('base64url'),
          signature: createSign('sha256').update(signed).sign(privateKey).toString('base64url'),
        },
      }
    },
  }
}

/** CBOR, as far as it is needed. Source: RFC 8949, 3. */
function map(pairs: readonly (readonly [Buffer, Buffer])[]): Buffer {
  return Buffer.concat([head(5, pairs.length), ...pairs.flat()])
}

function integer(value: number): Buffer {
  return value >= 0 ? head(0, value) : head(1, -1 - value)
}

function text(value: string): Buffer {
  return Buffer.concat([head(3, value.length), Buffer.from(value)])
}

function bytes(value: Buffer): Buffer {
  return Buffer.concat([head(2, value.length), value])
}

function head(major: number, count: number): Buffer {
  const type = major << 5
  if (count < 24) return Buffer.from([type | count])
  if (count < 256) return Buffer.from([type | 24, count])
  return Buffer.from([type | 25, count >> 8, count & 255])
}

import { toBase64 } from '../base64.ts'
import { FlorinError } from '../florin-error.ts'

/** What signs offers and receipts. One of your own, for a key that does not leave its vault, has the same three parts. */
export interface ReceiptSigner {
  /** Names the key for everybody who checks a signature: a DID URL. */
  readonly kid: string
  /** Of JWS: `EdDSA`, `ES256`. */
  readonly algorithm: string
  /** The signature as JWS has it: of ES256 both numbers after each other, 64 bytes. It is waited for 5 seconds. */
  sign(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array>
}

/**
 * A private key as a JWK, in names of our own: Node knows no global `JsonWebKey`, which is one of these. What is not read here is for
 * WebCrypto. Source: RFC 7517, 4.
 */
export interface PrivateJwk {
  readonly kty?: string
  readonly crv?: string
  readonly x?: string
  readonly y?: string
  readonly d?: string
  readonly alg?: string
  readonly ext?: boolean
  readonly key_ops?: string[]
  readonly kid?: string
  readonly use?: string
}

const KINDS = {
  Ed25519: { algorithm: 'EdDSA', use: { name: 'Ed25519' }, parts: ['crv', 'kty', 'x'] },
  'P-256': {
    algorithm: 'ES256',
    use: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
    parts: ['crv', 'kty', 'x', 'y'],
  },
} as const

/**
 * A signer for the paywall's offers and receipts from a private key as a JWK, Ed25519 or P-256. `kid` says where people find
 * the public key, such as `did:web:shop.example#key-1`; left out, the key itself is the name (`did:jwk`).
 * @throws {FlorinError} INVALID_SETTING for a key that cannot sign so
 */
export async function receiptSigner(jwk: PrivateJwk, kid?: string): Promise<ReceiptSigner> {
  const kind = jwk.crv === 'Ed25519' || jwk.crv === 'P-256' ? KINDS[jwk.crv] : undefined
  if (kind === undefined || jwk.d === undefined) throw refused()
  const { algorithm, use, parts } = kind
  const key = await crypto.subtle.importKey('jwk', jwk, use, false, ['sign']).catch(() => {
    throw refused()
  })
  const open = Object.fromEntries(parts.map((part) => [part, jwk[part]]))
  return {
    kid: kid ?? `did:jwk:${base64Url(new TextEncoder().encode(JSON.stringify(open)))}#0`,
    algorithm,
    sign: async (bytes) => new Uint8Array(await crypto.subtle.sign(use, key, bytes)),
  }
}

/** Says nothing of the key itself. */
function refused(): FlorinError {
  return new FlorinError({
    code: 'INVALID_SETTING',
    message: 'the key is no private JWK of Ed25519 or P-256',
  })
}

/** Source: RFC 7515, 2. */
export function base64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { isIP } from 'node:net'
import { createSecureContext } from 'node:tls'
import type { Config } from '@florin/server/config.ts'
import type { TlsIdentity } from '@florin/server/http/node-server.ts'
import { Secret } from '@florin/server/kernel/secret.ts'
import type { Problem } from './problem.ts'

const EXPIRES_SOON_DAYS = 14
const DAY_MILLISECONDS = 86_400_000
const FILE_BYTES_MAX = 1024 * 1024
const WORLD = 0o007

/** What the certificate's files are good for now. */
export interface TlsFiles {
  /** Undefined when there are problems. */
  readonly identity: TlsIdentity | undefined
  readonly problems: readonly Problem[]
  /** When the certificate ends, as text, if that is soon. */
  readonly endsSoon: string | undefined
}

/** Reads and checks the two files. Never throws; nothing of the key is in a problem. */
export async function readTlsFiles(
  { certificateFile, keyFile }: NonNullable<Config['tls']>,
  { publicUrl, now }: { publicUrl: string | null; now: number },
): Promise<TlsFiles> {
  const problems: Problem[] = []
  const add = (what: string, next: string) => problems.push({ what, next })
  const [certificateText, keyText] = await Promise.all([
    readSmall(certificateFile).catch((error: unknown) => {
      add(`FLORIN_TLS_CERT cannot be read: ${reasonOf(error)}`, 'Name a PEM file that it can read.')
    }),
    readSmall(keyFile).catch((error: unknown) => {
      add(`FLORIN_TLS_KEY cannot be read: ${reasonOf(error)}`, 'Name a PEM file that it can read.')
    }),
  ])
  const certificate = certificateText === undefined ? undefined : parseCertificate(certificateText)
  const key = keyText === undefined ? undefined : parseKey(keyText)
  if (certificateText !== undefined && certificate === undefined) {
    add('FLORIN_TLS_CERT holds no certificate in PEM form.', 'It begins with BEGIN CERTIFICATE.')
  }
  if (keyText !== undefined && key === undefined) {
    add(
      'FLORIN_TLS_KEY holds no private key in PEM form, or one under a passphrase.',
      'Take the passphrase away: openssl pkey -in key.pem -out plain.pem',
    )
  }
  if (keyText !== undefined && ((await modeOf(keyFile)) & WORLD) !== 0) {
    add('FLORIN_TLS_KEY can be read by everybody.', `Run: chmod o-rwx ${keyFile}`)
  }
  if (certificate !== undefined) problems.push(...timeProblems(certificate, now))
  if (certificate !== undefined && publicUrl !== null && !isFor(certificate, publicUrl)) {
    add(
      `The certificate is not for the host of FLORIN_PUBLIC_URL, ${publicUrl}.`,
      `It names ${certificate.subjectAltName ?? 'no host'}. Get one that names it, or correct the address.`,
    )
  }
  if (certificate !== undefined && key !== undefined && !certificate.checkPrivateKey(key)) {
    add('FLORIN_TLS_KEY is not the key of the certificate.', 'Name the two files of one pair.')
  }
  if (problems.length > 0 || certificateText === undefined || keyText === undefined) {
    return { identity: undefined, problems, endsSoon: undefined }
  }
  const unusable = contextProblem(certificateText, keyText)
  if (unusable !== undefined) {
    return { identity: undefined, problems: [unusable], endsSoon: undefined }
  }
  const endsSoon =
    certificate !== undefined &&
    certificate.validToDate.getTime() - now < EXPIRES_SOON_DAYS * DAY_MILLISECONDS
      ? certificate.validTo
      : undefined
  return {
    identity: { certificate: certificateText, key: new Secret(keyText) },
    problems,
    endsSoon,
  }
}

function timeProblems(certificate: X509Certificate, now: number): readonly Problem[] {
  if (certificate.validToDate.getTime() <= now) {
    return [
      {
        what: `The certificate in FLORIN_TLS_CERT ended on ${certificate.validTo}.`,
        next: 'Renew it. A running service reads the files again on SIGHUP.',
      },
    ]
  }
  if (certificate.validFromDate.getTime() > now) {
    return [
      {
        what: `The certificate in FLORIN_TLS_CERT begins on ${certificate.validFrom} only.`,
        next: "Check this machine's clock, or take another certificate.",
      },
    ]
  }
  return []
}

/** The library's own judgement: keys that are too short, broken chains. Its texts name no secret. */
function contextProblem(cert: string, key: string): Problem | undefined {
  try {
    createSecureContext({ cert, key })
    return undefined
  } catch (error) {
    return {
      what: `The certificate cannot be used: ${reasonOf(error)}`,
      next: 'Get a new one with a key of 2,048 bits RSA or more, or an elliptic curve.',
    }
  }
}

function isFor(certificate: X509Certificate, publicUrl: string): boolean {
  const host = new URL(publicUrl).hostname.replace(/^\[(.*)\]$/, '$1')
  const found = isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)
  return found !== undefined
}

function parseCertificate(text: string): X509Certificate | undefined {
  try {
    return new X509Certificate(text)
  } catch {
    return undefined
  }
}

function parseKey(text: string): KeyObject | undefined {
  try {
    return createPrivateKey(text)
  } catch {
    return undefined
  }
}

async function readSmall(path: string): Promise<string> {
  const { size } = await stat(path)
  if (size > FILE_BYTES_MAX) throw new Error(`${path} is too large`)
  return await readFile(path, 'utf8')
}

async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

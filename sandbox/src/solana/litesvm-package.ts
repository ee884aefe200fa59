import { createRequire } from 'node:module'
import { Complaint } from '../host/complaint.ts'

/** Checks that npm installed the native part of litesvm for this platform. Nothing is downloaded. @throws {Complaint} */
export function requireLitesvm(platform = platformName()): void {
  const name = `litesvm-${platform}`
  try {
    createRequire(createRequire(import.meta.url).resolve('litesvm')).resolve(name)
  } catch {
    throw new Complaint(
      `the Solana sandbox needs the package ${name}, and it is not installed; run "npm ci" without ` +
        '--omit=optional. There is none for Windows.',
    )
  }
}

function platformName(): string {
  const { platform, arch } = process
  return platform === 'linux' ? `linux-${arch}-gnu` : `${platform}-${arch}`
}

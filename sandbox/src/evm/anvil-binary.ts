import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { Complaint } from '../host/complaint.ts'

const PACKAGES: Readonly<Record<string, string>> = {
  'linux-x64': '@foundry-rs/anvil-linux-amd64',
}

/** The path of the anvil binary that npm installed for this platform. Nothing is downloaded. */
export function findAnvil(platform = `${process.platform}-${process.arch}`): string {
  const name = PACKAGES[platform]
  const path = name === undefined ? undefined : binaryOf(name)
  if (path === undefined) {
    throw new Complaint(
      `the EVM sandbox needs the anvil binary, and none is installed for ${platform}` +
        (name === undefined ? '.' : ` (package ${name}); run "npm ci" without --omit=optional.`),
    )
  }
  return path
}

function binaryOf(name: string): string | undefined {
  try {
    const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`)
    const binary = join(dirname(manifest), 'bin', 'anvil')
    return existsSync(binary) ? binary : undefined
  } catch {
    return undefined
  }
}

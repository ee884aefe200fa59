import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { limits } from '../kernel/limits.ts'

/** One file of a build of the dashboard, as the build's own list tells of it. */
export interface BuiltFile {
  readonly type: string
  /** Its name changes with its content. */
  readonly hashed: boolean
  /** In which forms it is there beside its plain one. */
  readonly encodings: readonly ('br' | 'gzip')[]
}

/** A finished build: a folder with a list of what is in it, made by dashboard/build. */
export interface BuiltFiles {
  readonly directory: string
  /** Names the sources that it was made of. */
  readonly tag: string
  readonly files: ReadonlyMap<string, BuiltFile>
}

const LIST = 'files.json'
const SUFFIX = { br: '.br', gzip: '.gz' } as const

/** Reads the list of a build; undefined when there is none, or none that this version understands. */
export async function openBuiltFiles(directory: string): Promise<BuiltFiles | undefined> {
  const text = await readFile(join(directory, LIST), 'utf8').catch(() => undefined)
  if (text === undefined || text.length > limits.dashboardListBytesMax) return undefined
  const list = asRecord(parsed(text))
  const files = new Map<string, BuiltFile>()
  for (const [name, value] of Object.entries(asRecord(list['files']))) {
    const { type, hashed, encodings } = asRecord(value)
    if (typeof type !== 'string' || typeof hashed !== 'boolean' || !Array.isArray(encodings)) {
      return undefined
    }
    files.set(name, {
      type,
      hashed,
      encodings: ENCODINGS.filter((each) => encodings.includes(each)),
    })
  }
  const { tag } = list
  return typeof tag === 'string' && files.has('index.html') ? { directory, tag, files } : undefined
}

const ENCODINGS = ['br', 'gzip'] as const

/** Reads one listed file in one of its forms; throws when it is not there any more. */
export async function readBuiltFile(
  { directory }: BuiltFiles,
  name: string,
  encoding: 'br' | 'gzip' | undefined,
): Promise<Buffer> {
  const bytes = await readFile(join(directory, name + (encoding ? SUFFIX[encoding] : '')))
  if (bytes.length > limits.dashboardFileBytesMax) throw new Error(`${name} is too large`)
  return bytes
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

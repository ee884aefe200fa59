/** One instruction of a Dockerfile, its continuation lines joined. */
export interface Instruction {
  readonly name: string
  readonly rest: string
}

/** The instructions of a Dockerfile in order. */
export function dockerInstructions(text: string): readonly Instruction[] {
  return text
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .map((line) => /^([A-Z]+)\s+(.*)$/.exec(line.trim()))
    .filter((match) => match !== null)
    .map(([, name = '', rest = '']) => ({ name, rest: rest.trim() }))
}

/** What COPY takes from the repository, in order; what it takes from another stage is left out. */
export function copiedPaths(instructions: readonly Instruction[]): readonly string[] {
  return instructions
    .filter(({ name, rest }) => name === 'COPY' && !rest.startsWith('--from='))
    .flatMap(({ rest }) => rest.split(/\s+/).slice(0, -1))
}

/** Sections of a systemd unit: per section its keys with all their values, in order. */
export function unitSections(
  text: string,
): ReadonlyMap<string, ReadonlyMap<string, readonly string[]>> {
  const sections = new Map<string, Map<string, string[]>>()
  let current = new Map<string, string[]>()
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (line === '' || line.startsWith('#')) continue
    const name = /^\[(\w+)\]$/.exec(line)?.[1]
    if (name !== undefined) {
      current = new Map()
      sections.set(name, current)
      continue
    }
    const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? []
    if (key === undefined || value === undefined) throw new Error(`not a line of a unit: ${line}`)
    current.set(key, [...(current.get(key) ?? []), value])
  }
  return sections
}

export type Yaml = string | readonly Yaml[] | { readonly [key: string]: Yaml }

interface Line {
  readonly indent: number
  readonly text: string
}

/** Reads the YAML that our compose file is written in: maps, lists of texts, lists in brackets; no anchors, no blocks of text. */
export function readPlainYaml(text: string): Yaml {
  const lines = text
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.trim().startsWith('#'))
    .map((line) => ({ indent: line.search(/\S/), text: line.trim() }))
  const [value, rest] = readBlock(lines)
  if (rest.length > 0) throw new Error(`not understood: ${rest[0]?.text}`)
  return value
}

function readBlock(lines: readonly Line[]): [Yaml, readonly Line[]] {
  const indent = lines[0]?.indent ?? 0
  const end = lines.findIndex((line) => line.indent < indent)
  const own = end === -1 ? lines : lines.slice(0, end)
  const rest = lines.slice(own.length)
  if (own[0]?.text.startsWith('- ')) {
    return [own.map((line) => scalar(line.text.slice(2))), rest]
  }
  const map: Record<string, Yaml> = {}
  let left = own
  while (left.length > 0) {
    const [line, ...after] = left
    const [, key, inline] = /^([\w-]+):(?:\s+(.*))?$/.exec(line?.text ?? '') ?? []
    if (key === undefined) throw new Error(`not understood: ${line?.text}`)
    if (key in map) throw new Error(`given twice: ${key}`)
    left = after
    if (inline !== undefined) map[key] = scalar(inline)
    else if ((left[0]?.indent ?? 0) > indent) [map[key], left] = readBlock(left)
    else map[key] = ''
  }
  return [map, rest]
}

function scalar(text: string): Yaml {
  const list = /^\[(.*)\]$/.exec(text)?.[1]
  if (list !== undefined) return list.split(',').map((each) => scalar(each.trim()))
  return text.replace(/^(["'])(.*)\1$/, '$2')
}

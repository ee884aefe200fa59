/** One line of a reading: a metric's value under its labels. */
export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const LINE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"(?:,|$)/y
const TYPES = ['counter', 'gauge', 'histogram', 'summary', 'untyped']

/**
 * Reads Prometheus' text format, and throws at what is not: a line of another form, a sample without its family's HELP and TYPE
 * before it, a family that comes twice, the same sample twice. Source: the format's grammar at prometheus.io.
 */
export function readSamples(text: string): readonly Sample[] {
  if (!text.endsWith('\n')) throw new Error('the last line does not end')
  const types = new Map<string, string>()
  const helped = new Set<string>()
  const seen = new Set<string>()
  let family = ''
  return text.split('\n').flatMap((line) => {
    if (line === '') return []
    const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? []
    if (kind === 'HELP') {
      if (helped.has(name)) throw new Error(`${name} comes twice`)
      helped.add(name)
      return []
    }
    if (kind === 'TYPE') {
      if (!helped.has(name) || types.has(name) || !TYPES.includes(rest)) throw new Error(line)
      types.set(name, rest)
      family = name
      return []
    }
    if (seen.has(line.replace(/ \S+$/, ''))) throw new Error(`twice: ${line}`)
    seen.add(line.replace(/ \S+$/, ''))
    return [sampleOf(line, family, types.get(family) === 'histogram')]
  })
}

function sampleOf(line: string, family: string, isHistogram: boolean): Sample {
  const [, name = '', inner = '', number = ''] = LINE.exec(line) ?? []
  const suffixed = name === family || /^_(bucket|sum|count)$/.test(name.slice(family.length))
  const belongs = isHistogram ? suffixed && name.startsWith(family) : name === family
  const value = /^nan$/i.test(number) ? Number.NaN : Number(number.replace('Inf', 'Infinity'))
  if (!belongs || (Number.isNaN(value) && !/^nan$/i.test(number))) throw new Error(`bad: ${line}`)
  const labels: Record<string, string> = {}
  LABEL.lastIndex = 0
  for (let at = 0; at < inner.length; at = LABEL.lastIndex) {
    const [, label = '', text = ''] = LABEL.exec(inner) ?? []
    if (label === '' || Object.hasOwn(labels, label)) throw new Error(`bad labels: ${line}`)
    labels[label] = text.replaceAll('\\"', '"').replaceAll('\\n', '\n').replaceAll('\\\\', '\\')
  }
  return { name, labels, value }
}

/** The value of the one sample with these labels, others allowed; undefined when there is none. */
export function valueOf(
  samples: readonly Sample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const found = samples.filter(
    (sample) =>
      sample.name === name &&
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  )
  if (found.length > 1) throw new Error(`${found.length} samples of ${name}`)
  return found[0]?.value
}

import type { Endpoint } from '@florin/wire/endpoint.ts'
import type { OperationReference } from '@florin/wire/reference/operation-reference.ts'

export interface Sample {
  /** What `highlight` calls the language. */
  readonly language: 'sh' | 'js' | 'python'
  readonly title: string
  readonly text: string
}

interface Request {
  readonly method: string
  readonly address: string
  readonly hasKey: boolean
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: object | undefined
  /** The answer has no end. */
  readonly isStream: boolean
}

/** An operation's example in each language, ready to be pasted. The key comes from the environment, so it is in no history. */
export function samplesOf(
  endpoint: Endpoint,
  reference: OperationReference,
  baseUrl: string,
): readonly Sample[] {
  const request = requestOf(endpoint, reference, baseUrl)
  return [
    { language: 'sh', title: 'curl', text: curl(request) },
    { language: 'js', title: 'JavaScript', text: javascript(request) },
    { language: 'python', title: 'Python', text: python(request) },
  ]
}

function requestOf(
  { id, idempotent, method, needs, path, stream }: Endpoint,
  { body, params = {}, query = {} }: OperationReference,
  baseUrl: string,
): Request {
  const filled = path.replaceAll(/\{(\w+)\}/g, (part, name: string) =>
    encodeURIComponent(params[name] ?? part),
  )
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]) => [name, String(value)]),
  )
  return {
    method,
    address: `${baseUrl}${filled}${search.size === 0 ? '' : `?${search.toString()}`}`,
    hasKey: needs !== null && 'scope' in needs,
    headers: [
      ...(idempotent ? [['Idempotency-Key', EXAMPLE_KEYS[id] ?? 'order-1001'] as const] : []),
      ...(body === undefined ? [] : [['Content-Type', 'application/json'] as const]),
    ],
    body,
    isStream: stream === true,
  }
}

const EXAMPLE_KEYS: Readonly<Record<string, string>> = {
  sendPayment: 'invoice-1001',
  createWallet: 'wallet-shop',
}

function curl({ method, address, hasKey, headers, body, isStream }: Request): string {
  return [
    `curl ${isStream ? '-N ' : ''}${method === 'GET' ? '' : `-X ${method} `}${quoted(address)}`,
    ...(hasKey ? ['-H "Authorization: Bearer $FLORIN_API_KEY"'] : []),
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quoted(JSON.stringify(body, null, 2))}`]),
  ].join(' \\\n  ')
}

/** One word of a POSIX shell, whatever it holds. */
function quoted(text: string): string {
  return /^[\w/:.@=,{}-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

function javascript({ method, address, hasKey, headers, body, isStream }: Request): string {
  const all = [
    ...(hasKey ? ['Authorization: `Bearer ${process.env.FLORIN_API_KEY}`'] : []),
    ...headers.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`),
  ]
  const options = [
    ...(method === 'GET' ? [] : [`method: ${JSON.stringify(method)},`]),
    ...(all.length === 0
      ? []
      : [`headers: {\n${all.map((each) => `    ${each},\n`).join('')}  },`]),
    ...(body === undefined
      ? []
      : [`body: JSON.stringify(${indented(JSON.stringify(body, null, 2), 2)}),`]),
  ]
  const given = options.length === 0 ? '' : `, {\n  ${options.join('\n  ')}\n}`
  return [
    `const response = await fetch(${JSON.stringify(address)}${given})`,
    ...(isStream
      ? [
          'if (!response.ok) throw new Error((await response.json()).error.code)',
          'const decoder = new TextDecoder()',
          'for await (const bytes of response.body) {',
          '  console.log(decoder.decode(bytes, { stream: true }))',
          '}',
        ]
      : [
          'const answer = await response.json()',
          'if (!response.ok) throw new Error(answer.error.code)',
        ]),
  ].join('\n')
}

function python({ method, address, hasKey, headers, body, isStream }: Request): string {
  const all = [
    ...(hasKey ? [`"Authorization": f"Bearer {os.environ['FLORIN_API_KEY']}"`] : []),
    ...headers
      .filter(([name]) => name !== 'Content-Type')
      .map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`),
  ]
  const given = [
    JSON.stringify(address),
    ...(all.length === 0
      ? []
      : [`headers={\n${all.map((each) => `        ${each},\n`).join('')}    }`]),
    ...(body === undefined ? [] : [`json=${indented(pythonValue(body), 4)}`]),
    ...(isStream ? ['stream=True'] : []),
  ]
  return [
    `${hasKey ? 'import os\n' : ''}import requests\n`,
    `response = requests.${method.toLowerCase()}(\n    ${given.join(',\n    ')},\n)`,
    ...(isStream
      ? [
          'if not response.ok:\n    raise RuntimeError(response.json()["error"]["code"])',
          'for line in response.iter_lines(decode_unicode=True):\n    print(line)',
        ]
      : [
          'answer = response.json()',
          'if not response.ok:\n    raise RuntimeError(answer["error"]["code"])',
        ]),
  ].join('\n')
}

/** JSON with Python's three words for nothing and truth; text keeps its own. */
function pythonValue(value: object): string {
  const words: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' }
  return JSON.stringify(value, null, 4).replaceAll(
    /"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/g,
    (token) => words[token] ?? token,
  )
}

function indented(text: string, spaces: number): string {
  return text.replaceAll('\n', `\n${' '.repeat(spaces)}`)
}

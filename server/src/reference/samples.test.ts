import { execFileSync } from 'node:child_process'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { describedOperations } from '@florin/wire/described-operations.ts'
import type { Endpoint } from '@florin/wire/endpoint.ts'
import { endpoints } from '@florin/wire/endpoints.ts'
import { operationReferences } from '@florin/wire/reference/operations.ts'
import { samplesOf } from './samples.ts'

const BASE = 'https://pay.example/prefix'
/** That each row has words is another test's affair. */
const rows: readonly Endpoint[] = describedOperations.filter(({ id }) => id in operationReferences)
const sampleOf = (row: Endpoint, language: string, body?: object) => {
  const reference = operationReferences[row.id]
  if (reference === undefined) throw new Error(`${row.id} has no words`)
  const samples = samplesOf(row, { ...reference, ...(body === undefined ? {} : { body }) }, BASE)
  return samples.find((sample) => sample.language === language)?.text ?? ''
}

/** What a sample in JavaScript hands to fetch beside the address. */
interface Asked {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** The words that a shell hands to curl, with the key in its environment. */
function wordsOf(command: string): readonly string[] {
  const script = `curl() { for word in "$@"; do printf '%s\\0' "$word"; done; }\n${command}`
  const output = execFileSync('sh', ['-euc', script], {
    encoding: 'utf8',
    env: { FLORIN_API_KEY: 'florin_test_key' },
  })
  return output.split('\0').slice(0, -1)
}

describe('a sample', () => {
  test.each(rows.map((row) => [row.id, row] as const))('in curl asks for %s', (id, row) => {
    const { body, params = {} } = operationReferences[id] ?? {}
    const words = wordsOf(sampleOf(row, 'sh'))
    const address = words.find((word) => word.startsWith('https://')) ?? ''
    const path = row.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '')
    expect(address.split('?')[0]).toBe(BASE + path)
    expect(words.includes('Authorization: Bearer florin_test_key')).toBe(
      row.needs !== null && 'scope' in row.needs,
    )
    expect(words.some((word) => /^Idempotency-Key: \S+$/.test(word))).toBe(row.idempotent)
    const data = words[words.indexOf('-d') + 1] ?? ''
    if (body !== undefined) expect(JSON.parse(data)).toEqual(body)
    else expect(words).not.toContain('-d')
  })

  test.each(rows.map((row) => [row.id, row] as const))(
    'in JavaScript asks for %s',
    async (id, row) => {
      const asked: [string, Asked][] = []
      const fetch = async (address: string, init: Asked = {}) => {
        asked.push([address, init])
        return { ok: true, json: async () => ({}), body: [new Uint8Array([100])] }
      }
      const process = { env: { FLORIN_API_KEY: 'key' } }
      await runInNewContext(`(async () => {${sampleOf(row, 'js')}})()`, {
        ...{ fetch, process, TextDecoder },
        console: { log: () => undefined },
      })
      const [address = '', init = {}] = asked[0] ?? []
      expect(address.startsWith(BASE)).toBe(true)
      expect(init.method ?? 'GET').toBe(row.method)
      expect(init.headers?.['Authorization']).toBe(
        row.needs !== null && 'scope' in row.needs ? 'Bearer key' : undefined,
      )
      const body = operationReferences[id]?.body
      expect(init.body === undefined ? undefined : JSON.parse(init.body)).toEqual(body)
    },
  )

  test('is one word of the shell whatever stands in the body', () => {
    const body = { note: `it's $HOME \`id\` "quoted" \\ !`, line: 'a\nb' }
    const words = wordsOf(sampleOf(endpoints.sendPayment, 'sh', body))
    expect(JSON.parse(words.at(-1) ?? '')).toEqual(body)
  })

  test("in Python has Python's words for nothing and truth, and text as it was", () => {
    const body = { a: null, b: true, c: [false], d: 'null and true' }
    const text = sampleOf(endpoints.sendPayment, 'python', body)
    for (const part of ['"a": None', '"b": True', 'False', '"d": "null and true"']) {
      expect(text).toContain(part)
    }
  })
})

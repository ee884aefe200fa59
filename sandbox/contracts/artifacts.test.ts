import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { isJsonObject, parseJson } from '../src/host/json.ts'
import { artifactPath, CONTRACTS, sourceHash } from './compile.ts'

describe('the committed contracts', () => {
  test.each(CONTRACTS)('%s was made of the sources that lie here now', (name) => {
    const artifact = parseJson(readFileSync(artifactPath(name), 'utf8'))
    const sources = isJsonObject(artifact) ? artifact['sources'] : undefined
    if (!isJsonObject(sources)) throw new Error(`${name} names no sources`)
    expect(Object.keys(sources)).toContain(`${name}.sol`)
    const now = Object.keys(sources).map((path) => [path, sourceHash(path)])
    expect(sources).toEqual(Object.fromEntries(now))
  })
})

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readState, saveState, statePathsOf } from './state-file.ts'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'florin-state-'))
})
afterEach(() => {
  rmSync(directory, { recursive: true })
})
const stateAt = (height: number) => ({
  instance: 'evm_00',
  height,
  dump: new Uint8Array([10, 0, 255, height]),
})

test('the newest save and the one before it can be read back', async () => {
  const [path, previous] = statePathsOf(directory)
  expect(readState(path)).toEqual({ kind: 'absent' })
  for (const height of [1, 2, 3]) await saveState(directory, stateAt(height))
  expect(readState(path)).toMatchObject({ kind: 'good', state: { instance: 'evm_00', height: 3 } })
  expect(readState(previous)).toMatchObject({ kind: 'good', state: { height: 2 } })
  const read = readState(path)
  expect(read.kind === 'good' && [...read.state.dump]).toEqual([10, 0, 255, 3])
})

test('every truncation and every changed byte is seen as torn', async () => {
  await saveState(directory, stateAt(1))
  const [path] = statePathsOf(directory)
  const whole = readFileSync(path)
  for (let length = 0; length < whole.length; length += 1) {
    writeFileSync(path, whole.subarray(0, length))
    expect(readState(path), `${length} bytes`).toEqual({ kind: 'torn', path })
  }
  const dumpStart = whole.indexOf('\n') + 1
  for (let at = dumpStart; at < whole.length; at += 1) {
    const changed = Buffer.from(whole)
    changed[at] = (changed[at] ?? 0) ^ 1
    writeFileSync(path, changed)
    expect(readState(path), `byte ${at}`).toEqual({ kind: 'torn', path })
  }
})

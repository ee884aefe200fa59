import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { artifactPath, compileContracts } from './compile.ts'

test('compiling again gives the committed artifacts, byte for byte', { timeout: 120_000 }, () => {
  for (const artifact of compileContracts()) {
    expect(`${JSON.stringify(artifact, null, 2)}\n`).toBe(
      readFileSync(artifactPath(artifact.contractName), 'utf8'),
    )
  }
})

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRecord } from './record.ts'
import { root, runTool } from './tool.ts'

const TIMEOUT_SECONDS = 60

export interface Finding {
  readonly line: number
  readonly rule: string
}

/** Lints one file under the repository's own rules, even one that the ordinary run leaves out. */
export async function lintFile(file: string): Promise<readonly Finding[]> {
  const folder = await mkdtemp(join(tmpdir(), 'florin-lint-'))
  const configFile = join(folder, 'config.json')
  try {
    const config: unknown = JSON.parse(await readFile(join(root, '.oxlintrc.json'), 'utf8'))
    if (!isRecord(config)) throw new Error('.oxlintrc.json is not an object')
    await writeFile(configFile, JSON.stringify({ ...config, ignorePatterns: [] }))
    const { output } = await runTool(
      ['node_modules/oxlint/bin/oxlint', '-c', configFile, '--format=unix', file],
      { timeoutSeconds: TIMEOUT_SECONDS },
    )
    return [...output.matchAll(/^\S+?:(\d+):\d+: .*\[\w+\/([\w-]+\([\w-]+\))\]$/gm)].map(
      ([, line = '', rule = '']) => ({ line: Number(line), rule }),
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

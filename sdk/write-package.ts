import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject } from './src/is-object.ts'

const home = import.meta.dirname
const root = join(home, '..')
const COMPILER = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
const TIMEOUT_MILLISECONDS = 120_000

/**
 * Writes the client as a package that any Node from 20 on, a browser or React Native takes: JavaScript and declarations,
 * no dependency. It is compiled against the web's own types alone, so nothing of Node can slip in.
 */
export function writePackage(directory: string): void {
  rmSync(directory, { recursive: true, force: true })
  const project = join(home, 'tsconfig.build.json')
  const args = [COMPILER, '-p', project, '--outDir', directory]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    timeout: TIMEOUT_MILLISECONDS,
  })
  if (status !== 0) throw new Error(`the client does not compile:\n${stdout}${stderr}`)
  const manifest: unknown = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
  const published = {
    ...(isObject(manifest) ? manifest : {}),
    private: undefined,
    exports: { '.': { types: './florin.d.ts', default: './florin.js' } },
    sideEffects: false,
    engines: { node: '>=20' },
  }
  writeFileSync(join(directory, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
  cpSync(join(home, 'README.md'), join(directory, 'README.md'))
  cpSync(join(root, 'LICENSE'), join(directory, 'LICENSE'))
}

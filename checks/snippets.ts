import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { SourceFile } from './source.ts'
import { root, runTool } from './tool.ts'

/** A block of TypeScript in a document. */
export interface Snippet {
  /** The document, and which of its blocks it is, from 1: `docs/guides/buy.md 1`. */
  readonly name: string
  readonly code: string
}

const FENCE = /^```ts\n(.*?)^```/gms
const TIMEOUT_SECONDS = 120
/** What a reader does with what the block has made is not in it. */
const OPTIONS = { noUnusedLocals: false, noUnusedParameters: false }

/** Every block of TypeScript of the documents that users read. */
export function snippetsOf(files: readonly SourceFile[]): readonly Snippet[] {
  return files
    .filter(({ path }) => path === 'README.md' || /^docs\/(guides|concepts|operating)\//.test(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(FENCE)].map(([, code = ''], index) => ({
        name: `${path} ${index + 1}`,
        code,
      })),
    )
}

/**
 * What the compiler has against blocks, each as a module of its own behind what it takes for given, by its name. The files lie beside the
 * packages for as long as that takes, so that imports lead where a reader's do.
 */
export async function snippetProblems(
  snippets: readonly Snippet[],
  givens: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const folder = await mkdtemp(join(root, 'node_modules', '.snippets-'))
  try {
    const files = await Promise.all(
      snippets.map(async ({ name, code }, index) => {
        const file = `${index}.ts`
        // In one line, so that the compiler counts the lines of the block.
        const given = (givens[name] ?? '').trim().replaceAll(/\s*\n\s*/g, '; ')
        await writeFile(join(folder, file), `${given}\n${code}\nexport {}\n`)
        return file
      }),
    )
    const settings = { extends: join(root, 'tsconfig.json'), compilerOptions: OPTIONS, files }
    // Whatever the rest of the repository is made of has been looked at.
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ ...settings, include: [] }))
    const args = ['node_modules/typescript/bin/tsc', '-p', folder, '--pretty', 'false']
    const { exitCode, output } = await runTool(args, { timeoutSeconds: TIMEOUT_SECONDS })
    if (exitCode === 0) return []
    const named = output.replaceAll(
      new RegExp(`^\\S*${basename(folder)}/(\\d+)\\.ts\\((\\d+),\\d+\\)`, 'gm'),
      (_, index: string, line: string) =>
        `${snippets[Number(index)]?.name ?? ''}, line ${Number(line) - 1}`,
    )
    return named.trimEnd().split('\n')
  } finally {
    await rm(folder, { recursive: true })
  }
}

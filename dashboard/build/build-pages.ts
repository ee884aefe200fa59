import { chmod, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import tailwindcss from '@tailwindcss/vite'
import { build } from 'vite'
import { listFiles } from './list-files.ts'
import { LIST } from './places.ts'
import { ROOT } from './source-tag.ts'

/** Builds of other sources that are kept, for services that still run on them. */
const KEPT = 3
const DRAFT = 'draft-'
/** A build takes seconds; one that was ended leaves its draft behind. */
const DRAFT_MILLISECONDS_MAX = 3_600_000

/**
 * Builds the dashboard into `place/tag`. It is there whole or not at all; who builds the same at the same time may win.
 * Gives the folder.
 */
export async function buildPages({ place, tag }: { place: string; tag: string }): Promise<string> {
  const target = join(place, tag)
  // The libraries have a slow form for development, and Vite believes this more than the mode below.
  process.env['NODE_ENV'] = 'production'
  const draft = await mkdtemp(join(place, DRAFT))
  try {
    await build({
      configFile: false,
      envDir: false,
      root: join(ROOT, 'dashboard'),
      base: '/dashboard/',
      mode: 'production',
      logLevel: 'warn',
      plugins: [tailwindcss()],
      build: {
        outDir: draft,
        emptyOutDir: true,
        target: 'es2023',
        // Nothing inline: the page's own rules forbid it.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        reportCompressedSize: false,
        rolldownOptions: {
          // A mark for servers that render React; there is none here.
          onwarn: (warning, warn) => {
            if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning)
          },
        },
      },
    })
    const files = await listFiles(draft)
    await writeFile(join(draft, LIST), JSON.stringify({ tag, files }))
    // Whoever runs the service may read it: it is often built by somebody else.
    await chmod(draft, 0o755)
    await rename(draft, target).catch(async (error: unknown) => {
      if (!(await stat(join(target, LIST)).catch(() => undefined))) throw error
    })
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
  await removeOld(place, tag)
  return target
}

/** Removes all but the newest builds of other sources, and drafts that nobody works on any more. */
async function removeOld(place: string, tag: string): Promise<void> {
  const names = (await readdir(place)).filter((name) => name !== tag)
  const others = await Promise.all(
    // Who builds the same at the same time may take it away before we look.
    names.map(async (name) => ({ name, at: await changedAt(join(place, name)) })),
  )
  const builds = others.filter(({ name }) => /^[0-9a-f]{16}$/.test(name))
  const old = builds.sort((left, right) => right.at - left.at).slice(KEPT)
  const abandoned = others.filter(
    ({ name, at }) => name.startsWith(DRAFT) && at < Date.now() - DRAFT_MILLISECONDS_MAX,
  )
  for (const { name } of [...old, ...abandoned]) {
    await rm(join(place, name), { recursive: true, force: true })
  }
}

const changedAt = (path: string) =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => Date.now(),
  )

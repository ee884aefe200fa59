// Builds the dashboard, unless the build of these sources is there already.
//   main.ts [--end-with-input] [FOLDER ...]    folders that take it when the installation cannot be written to
import { INSTALLED, isBuilt, writablePlace } from './places.ts'
import { sourceTag } from './source-tag.ts'

const [first, ...rest] = process.argv.slice(2)
const endsWithInput = first === '--end-with-input'
// Whoever started it is gone.
if (endsWithInput) process.stdin.on('end', () => process.exit(1)).resume()

const folders = endsWithInput || first === undefined ? rest : [first, ...rest]
const places = [INSTALLED, ...folders]
const tag = await sourceTag()
if (!(await isBuilt(places, tag))) {
  const place = await writablePlace(places)
  if (place === undefined)
    throw new Error(`the dashboard cannot be written to ${places.join(', ')}`)
  const { buildPages } = await import('./build-pages.ts')
  await buildPages({ place, tag })
}
process.stdout.write('The dashboard is built: florin serves it at /dashboard\n')
process.exit(0)

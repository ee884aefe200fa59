import { join } from 'node:path'
import { writePackage } from './write-package.ts'

writePackage(join(import.meta.dirname, 'dist'))
process.stdout.write('The client is in sdk/dist: npm pack ./sdk/dist\n')

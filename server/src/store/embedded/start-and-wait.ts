// Started by tests as a process of its own, to be killed: runs PostgreSQL on the directory of its
// first argument, with the binaries of the second one, prints where it is, and stops on SIGTERM.
import { systemClock } from '../../kernel/clock.ts'
import { openLog } from '../../kernel/log.ts'
import { systemRandom } from '../../kernel/random.ts'
import { installedPackageDirectory } from './package.ts'
import { startPostgres } from './start-postgres.ts'

const [, , directory = '', packageDirectory = installedPackageDirectory()] = process.argv
const postgres = await startPostgres({
  directory,
  packageDirectory,
  durable: false,
  log: openLog('warn'),
  clock: systemClock,
  random: systemRandom,
})
process.on('SIGTERM', () => {
  void postgres.stop().then(() => process.exit(0))
})
const { pid, port, ownerUrl } = postgres
process.stdout.write(`${JSON.stringify({ pid, port, ownerUrl: ownerUrl.reveal() })}\n`)

import { expect, test } from 'vitest'
import { readVenueModule } from './venue-modules.ts'

const venue = {
  api: 1,
  name: 'curve',
  networks: ['solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1'],
  program: '11111111111111111111111111111112',
  open: () => ({}),
}

test('a package with a venue of this version is a module', () => {
  expect(readVenueModule({ venue })).toEqual({ ok: true, module: venue })
})

test.each([
  [{}, 'exports no "venue"'],
  [undefined, 'exports no "venue"'],
  [{ default: venue }, 'exports no "venue"'],
  [{ venue: { ...venue, api: 2 } }, 'is written for version 2; this is version 1'],
  [{ venue: { ...venue, api: undefined } }, 'is written for version none; this is version 1'],
  [{ venue: () => venue }, 'is written for version none; this is version 1'],
  [{ venue: { ...venue, name: 'rfq' } }, 'takes the name "rfq", which is one of our own'],
  [{ venue: { ...venue, name: 'A curve' } }, 'exports a "venue" that is none'],
  [{ venue: { ...venue, networks: [] } }, 'exports a "venue" that is none'],
  [{ venue: { ...venue, networks: ['solana'] } }, 'exports a "venue" that is none'],
  [{ venue: { ...venue, program: 'x' } }, 'exports a "venue" that is none'],
  ...[
    '11111111111111111111111111111111',
    'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4',
    'BPFLoaderUpgradeab1e11111111111111111111111',
  ].map((program): [unknown, string] => [
    { venue: { ...venue, program } },
    `takes the program ${program}, which is known here`,
  ]),
  [{ venue: { ...venue, open: {} } }, 'exports a "venue" that is none'],
])('%j is none', (exported, problem) => {
  expect(readVenueModule(exported)).toEqual({ ok: false, problem })
})

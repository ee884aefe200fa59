import { expect, test } from 'vitest'
import { nearestName } from './nearest-name.ts'

const NAMES = [
  'PORT',
  'HOST',
  'TLS_CERT',
  'TLS_KEY',
  'KEY',
  'LOG_LEVEL',
  'METRICS_PORT',
  'DATA_DIR',
]

test.each([
  ['PROT', 'PORT'],
  ['LOGLEVEL', 'LOG_LEVEL'],
  ['LOG_LEVLE', 'LOG_LEVEL'],
  ['METRIC_PORT', 'METRICS_PORT'],
  ['TLS_CERTIFICATE', 'TLS_CERT'],
  ['DATA_DIRECTORY', 'DATA_DIR'],
  ['METRICS', 'METRICS_PORT'],
  ['KEYS', 'KEY'],
])('%s is taken for %s', (given, meant) => {
  expect(nearestName(given, NAMES)).toBe(meant)
})

test.each(['IMAGE', 'SHOP_TOKEN', 'ENV', 'KEYRING', '', 'X'.repeat(5000)])(
  '%s is near to none',
  (given) => {
    expect(nearestName(given, NAMES)).toBeUndefined()
  },
)

import { expect, test } from 'vitest'
import { browserText } from './browser-text.ts'

const GECKO = 'AppleWebKit/537.36 (KHTML, like Gecko)'
const AGENTS: Readonly<Record<string, string>> = {
  'Chrome on Windows': `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${GECKO} Chrome/140.0.0.0 Safari/537.36`,
  'Edge on Windows': `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${GECKO} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`,
  'Opera on Linux': `Mozilla/5.0 (X11; Linux x86_64) ${GECKO} Chrome/139.0.0.0 Safari/537.36 OPR/123.0.0.0`,
  'Firefox on Linux': 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0',
  'Safari on macOS':
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15',
  'Safari on iPhone':
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1',
  'Chrome on Android': `Mozilla/5.0 (Linux; Android 10; K) ${GECKO} Chrome/140.0.0.0 Mobile Safari/537.36`,
  'Samsung Internet on Android': `Mozilla/5.0 (Linux; Android 10; K) ${GECKO} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`,
  'Chrome on iPad':
    'Mozilla/5.0 (iPad; CPU OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0.0.0 Mobile/15E148 Safari/604.1',
}

test('a session is named by its browser and system, and not by what a browser sends', () => {
  const said = Object.values(AGENTS).map(browserText)
  expect(said).toEqual(Object.keys(AGENTS))
})

test('a program is called what it calls itself, and what says nothing is unknown', () => {
  expect(['curl/8.5.0', 'node', '', 'Mozilla/5.0 (X11; Linux x86_64)'].map(browserText)).toEqual([
    ...['curl', 'node', 'Unknown browser', 'Unknown browser on Linux'],
  ])
})

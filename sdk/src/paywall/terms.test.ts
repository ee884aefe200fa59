import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { systemClock } from '../clock.ts'
import { FlorinError } from '../florin-error.ts'
import { limits } from '../limits.ts'
import type { Requirement } from './requirement.ts'
import { openTerms } from './terms.ts'

const UNHEARD = { away: () => undefined, back: () => undefined }

/** Terms of which the service says what the test has it say, at the time of the test. */
function open() {
  const scene = { now: 1_000_000, asked: 0, isDown: false, isMute: false }
  const said: readonly Requirement[] = []
  const ask = async () => {
    scene.asked += 1
    await Promise.resolve()
    if (scene.isMute) await new Promise(() => undefined)
    if (scene.isDown) throw new Error('nobody answers')
    return said
  }
  return {
    scene,
    said,
    terms: openTerms(ask, { ...systemClock, now: () => scene.now }, UNHEARD).now,
  }
}

test('visits of one moment ask the service once, and nobody asks again for a while', async () => {
  const { scene, terms, said } = open()
  const all = await Promise.all(Array.from({ length: 50 }, () => terms()))
  expect(new Set(all)).toEqual(new Set([said]))
  scene.now += limits.paywallTermsMilliseconds - 1
  await terms()
  expect(scene.asked).toBe(1)
  scene.now += 1
  await Promise.all([terms(), terms()])
  expect(scene.asked).toBe(2)
})

test('a call that was given up on is a service that did not answer', async () => {
  const ask = async () => {
    throw new FlorinError({ code: 'ABORTED', message: 'the call was aborted' })
  }
  await expect(openTerms(ask, systemClock, UNHEARD).now()).rejects.toMatchObject({
    code: 'NO_ANSWER',
  })
})

test('while the service cannot be asked what held before holds, and it is asked again now and then', async () => {
  const { scene, terms, said } = open()
  await terms()
  scene.isDown = true
  scene.now += limits.paywallTermsMilliseconds
  for (let visit = 0; visit < 20; visit += 1) expect(await terms()).toBe(said)
  expect(scene.asked).toBe(2)
  scene.now += limits.paywallTermsPauseMilliseconds
  await terms()
  expect(scene.asked).toBe(3)
})

test('a service that says nothing keeps those waiting who come while nobody knows, and no others', async () => {
  const { scene, terms, said } = open()
  await terms()
  scene.isDown = true
  scene.now += limits.paywallTermsMilliseconds
  await terms()
  scene.isMute = true
  scene.now += limits.paywallTermsPauseMilliseconds
  expect(await Promise.race([terms(), setImmediate('kept waiting')])).toBe(said)
  expect(scene.asked).toBe(3)
})

test('a clock that was set back makes nothing hold longer', async () => {
  const { scene, terms } = open()
  await terms()
  scene.now -= 30 * 86_400_000
  await terms()
  expect(scene.asked).toBe(2)
  scene.isDown = true
  scene.now += limits.paywallTermsMilliseconds
  await terms()
  scene.now -= 3_600_000
  await terms()
  expect(scene.asked).toBe(4)
})

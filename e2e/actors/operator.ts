import { systemClock } from '@florin/server/kernel/clock.ts'
import { systemRandom } from '@florin/server/kernel/random.ts'
import { giveOperatorLink } from '@florin/server/people/give-link.ts'
import type { World } from './world.ts'

/** Somebody who runs the installation, signed in; the session outlives the service that gave it. */
export interface Operator {
  /** Throws for any other answer than 200; gives its body. */
  ask(path: string, body?: object): Promise<Record<string, unknown>>
}

/** Signs in as an operator, at whichever service of the world is the newest. */
export async function signInOperator(world: World): Promise<Operator> {
  const { store } = world.database
  const deps = { store, clock: systemClock, random: systemRandom }
  const link = await giveOperatorLink(deps, world.service().baseUrl)
  const [, token] = (link?.reveal() ?? '').split('#link=')
  const browser = { cookie: '', csrfToken: '' }
  const ask: Operator['ask'] = async (path, body) => {
    const { baseUrl } = world.service()
    const answer = await fetch(baseUrl + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        ...{ 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
        ...(browser.cookie === '' ? {} : { cookie: browser.cookie }),
        ...(browser.csrfToken === '' ? {} : { 'x-csrf-token': browser.csrfToken }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text}`)
    const said = JSON.parse(text) as Record<string, unknown>
    const [cookie] = answer.headers.getSetCookie()
    if (cookie !== undefined) browser.cookie = cookie.split(';')[0] ?? ''
    if (typeof said['csrfToken'] === 'string') browser.csrfToken = said['csrfToken']
    return said
  }
  await ask('/session', { link: token })
  return { ask }
}

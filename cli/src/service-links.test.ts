import { expect, test } from 'vitest'
import { withoutServiceLinks } from './service-links.ts'

/** As Kubernetes sets them for a Service with one named port. */
const linksOf = (prefix: string) => ({
  [`${prefix}_SERVICE_HOST`]: '10.0.171.239',
  [`${prefix}_SERVICE_PORT`]: '4020',
  [`${prefix}_SERVICE_PORT_HTTP`]: '4020',
  [`${prefix}_PORT`]: 'tcp://10.0.171.239:4020',
  [`${prefix}_PORT_4020_TCP`]: 'tcp://10.0.171.239:4020',
  [`${prefix}_PORT_4020_TCP_PROTO`]: 'tcp',
  [`${prefix}_PORT_4020_TCP_PORT`]: '4020',
  [`${prefix}_PORT_4020_TCP_ADDR`]: '10.0.171.239',
})

test('what Kubernetes sets for Services of our name is no setting, their ports included', () => {
  expect(
    withoutServiceLinks({
      ...linksOf('FLORIN'),
      ...linksOf('FLORIN_METRICS'),
      ...linksOf('OTHER'),
      FLORIN_HOST: '0.0.0.0',
    }),
  ).toEqual({ ...linksOf('OTHER'), FLORIN_HOST: '0.0.0.0' })
})

test('a port that somebody set stays beside the links, and so does an address without them', () => {
  const { FLORIN_PORT } = withoutServiceLinks({ ...linksOf('FLORIN'), FLORIN_PORT: '4021' })
  expect(FLORIN_PORT).toBe('4021')
  const alone = { FLORIN_PORT: 'tcp://0.0.0.0:4020', FLORIN_METRICS_PORT: '9402' }
  expect(withoutServiceLinks(alone)).toEqual(alone)
})
